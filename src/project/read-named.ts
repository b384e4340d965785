import { basename, dirname } from 'node:path';
import { Door } from './door/door.ts';
import { follow } from './door/straying.ts';
import { outside, readSource, unreadableFile } from './read-file.ts';
import type { FileResult } from './tree.ts';

/**
 * The text of a file that the command line names by its absolute path. The file may lie anywhere, but is not read through a
 * link that leads out of its repository or project. `name` is its name in diagnostics.
 */
export function readNamed(path: string, name: string): FileResult {
  try {
    const led = follow(path);
    if (!('real' in led))
      return { diagnostic: outside(name, `is reached through a link that leads outside ${led.home}`) };
    return readSource(new Door(dirname(led.real)), basename(led.real), name);
  } catch (error) {
    return { diagnostic: unreadableFile(name, error) };
  }
}
