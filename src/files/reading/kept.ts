import { cacheFile, type Environment } from './cache-file.ts';
import { keepSmall } from './cache-folder.ts';
import { readPack, touchPack, writePack } from './pack.ts';

/** What is kept for one name at most, in bytes; more is not kept at all. */
const MOST = 256 * 1024 * 1024;

/** Texts that were made once, under one key at a time. None of its failures is told. */
export interface Kept {
  find(key: string): Iterable<string> | undefined;
  /** In place of those before. */
  save(key: string, texts: readonly string[]): void;
}

/** Undefined where the user wants no cache or the system gives none. */
export function openKept(name: readonly string[], env: Environment, build?: string): Kept | undefined {
  const file = cacheFile(name, env, build);
  if (file === undefined) return undefined;
  const { path, made } = file;
  return {
    find: (key) => {
      const pack = readPack(path, made, MOST);
      if (pack?.find(`${key} 0`) === undefined) return undefined;
      touchPack(path);
      return textsIn(pack.entries());
    },
    save: (key, texts) => {
      const entries = texts.map((text, at) => ({
        key: `${key} ${at}`,
        json: Buffer.from(text),
        offsets: new Int32Array(),
      }));
      if (entries.reduce((sum, { json }) => sum + json.length, 0) > MOST) return;
      writePack(path, made, entries);
      keepSmall(path);
    },
  };
}

function* textsIn(entries: Iterable<{ readonly json: Buffer }>): Iterable<string> {
  for (const { json } of entries) yield json.toString('utf8');
}
