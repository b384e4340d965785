import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BytesRead, readDescriptor } from '../read-bytes.ts';
import { hasGitName } from './git-name.ts';
import { isInside, locationOf } from './location.ts';

type DoorRead = BytesRead | { readonly type: 'outside'; readonly why: string };

// Opened without blocking: neither a FIFO nor a device can hold up the run. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** What a file at the end of a link is answered with: that of FreeBSD, too. */
const IS_LINK: readonly unknown[] = ['ELOOP', 'EMLINK'];
/** What the system shows of itself as files. A project can lie in `/dev/shm`. */
const OF_SYSTEM = /^\/(?:proc|sys|dev(?!\/shm(?:\/|$)))(?:\/|$)/;

/**
 * The one door through which the files of a folder are read. What it gives has been read inside of the folder: a link that
 * leads out, a path with a `.git` component (as git itself compares names) and what lies in /proc, /sys or /dev is `outside`, and nothing of
 * it is read. Where an open file lies is asked of its descriptor, so that a link that is exchanged in between fools nobody.
 */
export class Door {
  readonly #root: string;
  #real: string | undefined;
  /** Folders of files that were found to be inside. */
  readonly #inside = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Why a real path counts as outside: what can be said of a file or folder. Undefined where it lies inside. */
  whyOutside(real: string): string | undefined {
    const name = basename(real);
    const folder = real.slice(0, -name.length);
    if (this.#inside.has(folder) && !hasGitName(name)) return undefined;
    const why = this.#whyOutside(real);
    if (why === undefined) this.#inside.add(folder);
    return why;
  }

  #whyOutside(real: string): string | undefined {
    this.#real ??= realpathSync.native(this.#root);
    if (!isInside(this.#real, real)) return 'is a link that leads outside the project directory';
    if (hasGitName(real)) return 'is in a .git folder, which is not part of the project';
    return OF_SYSTEM.test(real) ? 'is a file of the system, which is not part of the project' : undefined;
  }

  /** The bytes of a regular file, which stand until the next file is read. Throws what the system says of one that cannot be read. */
  read(path: string): DoorRead {
    const full = join(this.#root, path);
    const opened = this.#open(full);
    if (typeof opened !== 'number') return opened;
    try {
      return readDescriptor(opened, () => this.whyOutside(locationOf(opened, full)));
    } finally {
      closeSync(opened);
    }
  }

  /** Of a link it is known where it leads before anything is opened: to open a device can already do something. */
  #open(full: string): number | Extract<DoorRead, { type: 'outside' }> {
    try {
      return openSync(full, FLAGS);
    } catch (error) {
      if (!IS_LINK.includes((error as NodeJS.ErrnoException).code)) throw error;
    }
    const real = realpathSync.native(full);
    const why = this.whyOutside(real);
    return why === undefined ? openSync(real, FLAGS) : { type: 'outside', why };
  }
}
