import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { hasGitName } from './git-name.ts';
import { isInside } from './location.ts';

/** What stands at the top of a repository, and of a project. */
const TOPS = ['.git', 'tradeform.yaml'];
/** As many as Linux follows. */
const MOST_LINKS = 40;

/** Where a path leads, or the link on the way that leads out of the repository or project that it stands in. */
type Followed =
  | { readonly real: string }
  /** `link` is its absolute path, `home` the folder that it leads out of. */
  | { readonly link: string; readonly home: string };

/**
 * Follows an absolute path link by link, whether or not anything stands at its end. A link in a repository or a project is
 * content of it, which somebody else may have written: it may lead to other content, but not out of the nearest folder
 * above it that has `.git` or `tradeform.yaml`, nor into a `.git` folder. Links elsewhere are the user's own, and so is a path that
 * plainly lies elsewhere.
 * Throws ELOOP for links that go in a circle, and what else the system says.
 */
export function follow(path: string): Followed {
  return new Way().follow(resolve(path));
}

/** A link through which nothing is read or written. */
export class StrayingLink extends Error {
  constructor({ link, home }: Extract<Followed, { link: string }>) {
    super(`${link} is a link that leads outside ${home}`);
    this.name = 'StrayingLink';
  }
}

/**
 * The real path that is written where `path` is to be. A link at its end that leads to nothing is written over, not through.
 * Throws a StrayingLink, and what `follow` throws.
 */
export function goalOf(path: string): string {
  const led = follow(path);
  if (!('real' in led)) throw new StrayingLink(led);
  return isThere(led.real) ? led.real : join(goalOfFolder(dirname(path)), basename(path));
}

function goalOfFolder(path: string): string {
  const led = follow(path);
  if ('real' in led) return led.real;
  throw new StrayingLink(led);
}

class Way {
  #links = 0;

  follow(path: string): Followed {
    const { root } = parse(path);
    let at = root;
    const rest = path.slice(root.length).split(sep);
    for (const [index, name] of rest.entries()) {
      const next = join(at, name);
      const stat = lstatSync(next, { throwIfNoEntry: false });
      if (stat === undefined) return { real: join(next, ...rest.slice(index + 1)) };
      if (!stat.isSymbolicLink()) {
        at = next;
        continue;
      }
      const led = this.#leave(next, at);
      if (!('real' in led)) return led;
      at = led.real;
    }
    return { real: at };
  }

  /** Where a link in a folder, both real paths, leads in the end. */
  #leave(link: string, folder: string): Followed {
    this.#links += 1;
    if (this.#links > MOST_LINKS)
      throw Object.assign(new Error('its symbolic links form a loop'), { code: 'ELOOP' });
    const led = this.follow(resolve(folder, readlinkSync(link)));
    const home = this.#homeOf(folder);
    if (home === undefined || !('real' in led)) return led;
    const strays = !isInside(home, led.real) || hasGitName(relative(home, led.real));
    return strays ? { link, home } : led;
  }

  #homeOf(start: string): string | undefined {
    for (let folder = start; ; folder = dirname(folder)) {
      if (TOPS.some((name) => isThere(join(folder, name)))) return folder;
      if (dirname(folder) === folder) return undefined;
    }
  }
}

/** Of links too, wherever they lead. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
