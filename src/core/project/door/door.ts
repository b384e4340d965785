import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from '../../diagnostics/system-words.ts';
import { type BytesRead, readDescriptor } from '../read-bytes.ts';
import { hasGitName } from './git-name.ts';
import { isInside, locationOf } from './location.ts';

type DoorRead = BytesRead | { readonly type: 'outside'; readonly why: string };

// Opened without blocking, so that neither a FIFO nor a device can stop the run. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Error codes for a link at the end of a path, including the code of FreeBSD. */
const IS_LINK: readonly unknown[] = ['ELOOP', 'EMLINK'];
/** Folders in which the system shows itself as files. A project may lie in `/dev/shm`. */
const OF_SYSTEM = /^\/(?:proc|sys|dev(?!\/shm(?:\/|$)))(?:\/|$)/;

/**
 * The only door through which the files of a folder are read. Everything that it returns was read inside the folder. A link
 * that leads out, a path with a `.git` component (as git compares names) and files in /proc, /sys or /dev are `outside`, and
 * nothing of them is read. The place of an open file is read from its descriptor, so that exchanging a link in between has no
 * effect.
 */
export class Door {
  #real: string | undefined;
  /** Folders that are known to be inside. */
  readonly #inside = new Set<string>();

  constructor(private readonly root: string) {}

  /** Why a real path is outside, as the end of a sentence about a file or folder. Undefined if the path is inside. */
  whyOutside(real: string): string | undefined {
    const name = basename(real);
    const folder = real.slice(0, -name.length);
    if (this.#inside.has(folder) && !hasGitName(name)) return undefined;
    const why = this.#whyOutside(real);
    if (why === undefined) this.#inside.add(folder);
    return why;
  }

  #whyOutside(real: string): string | undefined {
    this.#real ??= realpathSync.native(this.root);
    if (!isInside(this.#real, real)) return 'is a link that leads outside the project directory';
    if (hasGitName(real)) return 'is in a .git folder, which is not part of the project';
    return OF_SYSTEM.test(real) ? 'is a file of the system, which is not part of the project' : undefined;
  }

  /**
   * The bytes of a regular file. They are valid until the next file is read. Throws the system's error if the file cannot be
   * read.
   */
  read(path: string): DoorRead {
    const full = join(this.root, path);
    const opened = this.#open(full);
    if (typeof opened !== 'number') return opened;
    try {
      return readDescriptor(opened, () => this.whyOutside(locationOf(opened, full)));
    } finally {
      closeSync(opened);
    }
  }

  /** The target of a link is known before anything is opened, because opening a device can have effects. */
  #open(full: string): number | Extract<DoorRead, { type: 'outside' }> {
    try {
      return openSync(full, FLAGS);
    } catch (error) {
      if (!IS_LINK.includes(errorCode(error))) throw error;
    }
    const real = realpathSync.native(full);
    const why = this.whyOutside(real);
    return why === undefined ? openSync(real, FLAGS) : { type: 'outside', why };
  }
}
