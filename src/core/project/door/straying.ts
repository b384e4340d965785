import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { hasGitName } from './git-name.ts';
import { isInside, isThere, realPathOf } from './location.ts';

/** Names that mark the top of a repository or of a project. */
const TOPS = ['.git', 'tradeform.yaml'];
/** The same limit as in Linux. */
const MOST_LINKS = 40;

/** The target of a path, or a link on the way that leads out of its repository or project. */
type Followed =
  | { readonly real: string }
  /** `link` is the absolute path of the link, `home` the folder that it leads out of. */
  | { readonly link: string; readonly home: string };

/**
 * Follows an absolute path link by link, even if nothing exists at its end. A link in a repository or a project is content that
 * somebody else may have written. It may lead to other content, but not out of the nearest folder above it with `.git` or
 * `tradeform.yaml`, and not into a `.git` folder. `top` is the folder of a project that has no `tradeform.yaml` yet. Links
 * elsewhere are the user's own. Throws ELOOP for circular links, and other errors of the system.
 */
export function follow(path: string, top?: string): Followed {
  const way = new Way();
  way.top = top && realPathOf(top);
  return way.follow(resolve(path));
}

/** Nothing is read or written through this link. */
export class StrayingLink extends Error {
  constructor({ link, home }: Extract<Followed, { link: string }>) {
    super(`${link} is a link that leads outside ${home}`);
    this.name = 'StrayingLink';
  }
}

/**
 * The real path to write for `path`. A link at its end without a target is replaced, not followed. Throws a StrayingLink, and
 * the errors of `follow`.
 */
export function goalOf(path: string, top?: string): string {
  const real = realOf(path, top);
  return isThere(real) ? real : join(realOf(dirname(path), top), basename(path));
}

function realOf(path: string, top: string | undefined): string {
  const led = follow(path, top);
  if ('real' in led) return led.real;
  throw new StrayingLink(led);
}

class Way {
  #links = 0;
  top: string | undefined;

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

  /** The final target of a link in a folder. Both are real paths. */
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
      if (folder === this.top || TOPS.some((name) => isThere(join(folder, name)))) return folder;
      if (dirname(folder) === folder) return undefined;
    }
  }
}
