import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ManifestPattern } from '../desired/project.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Glob, leadsOutside, parseGlob } from './glob.ts';
import { notRegular, reason } from './read-file.ts';

export interface Discovery {
  /** Paths relative to the project directory, with forward slashes, in code-unit order. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Not searched unless a pattern names it. */
const SKIPPED = 'node_modules';

/**
 * Every file that a pattern matches. Nothing is passed over in silence: what matches and cannot be a manifest, folders
 * that cannot be listed, links that lead outside, and patterns that match nothing are diagnostics (HAZARDS 26).
 */
export function discover(
  projectDir: string,
  patterns: readonly ManifestPattern[],
  projectFile: string,
): Discovery {
  const walk = new Walk(projectDir, projectFile);
  for (const pattern of patterns) walk.search(pattern);
  return { files: [...walk.files].sort(), diagnostics: walk.diagnostics };
}

class Walk {
  readonly files = new Set<string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly #root: string;
  readonly #realRoot: string;
  readonly #projectFile: string;
  readonly #reported = new Set<string>();

  constructor(root: string, projectFile: string) {
    this.#root = root;
    this.#realRoot = realpathSync(root);
    this.#projectFile = projectFile;
  }

  search({ pattern, location }: ManifestPattern): void {
    const fail = (
      code: 'file-outside-project' | 'invalid-value' | 'no-manifests',
      message: string,
      hint: string,
    ) => {
      this.diagnostics.push({ severity: 'error', code, message, hint, location, length: pattern.length });
    };
    if (leadsOutside(pattern)) {
      fail(
        'file-outside-project',
        `the pattern ${pattern} leads out of the project directory`,
        'manifests lie below tradeform.yaml',
      );
      return;
    }
    const parsed = parseGlob(pattern);
    if ('problem' in parsed) {
      fail(
        'invalid-value',
        `the pattern ${pattern} cannot be used: ${parsed.problem}`,
        'for example manifests/**/*.yaml',
      );
      return;
    }
    const before = this.diagnostics.length;
    const matched = this.#folder(parsed.glob, [...parsed.glob.base], []);
    if (matched > 0 || this.diagnostics.length > before) return;
    fail(
      'no-manifests',
      `the pattern ${pattern} matches no file`,
      'an empty set of manifests never means "delete everything": write a manifest or change the pattern',
    );
  }

  /** Number of matches below a folder; `ancestors` are real paths, against links that go in a circle. */
  #folder(glob: Glob, path: readonly string[], ancestors: readonly string[]): number {
    const real = this.#enter(path);
    if (real === undefined || ancestors.includes(real)) return 0;
    let entries: Dirent[];
    try {
      entries = readdirSync(join(this.#root, ...path), { withFileTypes: true });
    } catch (error) {
      this.#report(path, 'file-unreadable', `the folder cannot be listed: ${reason(error)}`);
      return 0;
    }
    let matched = 0;
    for (const entry of entries)
      matched += this.#entry(glob, [...path, entry.name], entry, [...ancestors, real]);
    return matched;
  }

  /** The real path of a folder within the project; undefined, with a diagnostic where it is needed, for anything else. */
  #enter(path: readonly string[]): string | undefined {
    try {
      const real = realpathSync(join(this.#root, ...path));
      if (this.#isInside(real)) return real;
      this.#report(
        path,
        'file-outside-project',
        'the folder is a link that leads out of the project directory',
      );
    } catch (error) {
      // A folder that a pattern names and that is not there matches nothing, which is told by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#report(path, 'file-unreadable', `the folder cannot be read: ${reason(error)}`);
      }
    }
    return undefined;
  }

  #entry(glob: Glob, path: readonly string[], entry: Dirent, ancestors: readonly string[]): number {
    const matches = glob.matches(path);
    const below = glob.mayMatchBelow(path) && (entry.name !== SKIPPED || glob.base.includes(SKIPPED));
    if (!matches && !below) return 0;
    if (entry.isFile()) return matches ? this.#take(path) : 0;
    if (entry.isDirectory()) return below ? this.#folder(glob, path, ancestors) : 0;
    if (entry.isSymbolicLink()) return this.#link(glob, path, { matches, below }, ancestors);
    // A name that is no plain entry: some file systems do not tell the type in listings.
    const stat = lstatSync(join(this.#root, ...path), { throwIfNoEntry: false });
    if (stat?.isFile() === true) return matches ? this.#take(path) : 0;
    if (stat?.isDirectory() === true) return below ? this.#folder(glob, path, ancestors) : 0;
    if (matches) this.#push(notRegular(path.join('/')));
    return matches ? 1 : 0;
  }

  #link(
    glob: Glob,
    path: readonly string[],
    { matches, below }: { matches: boolean; below: boolean },
    ancestors: readonly string[],
  ): number {
    const full = join(this.#root, ...path);
    let real: string;
    let stat: Stats;
    try {
      real = realpathSync(full);
      stat = statSync(real);
    } catch (error) {
      // It may have led to a folder of manifests: what stood there must not look deleted.
      this.#report(path, 'file-unreadable', `the link cannot be followed: ${reason(error)}`);
      return matches ? 1 : 0;
    }
    if (stat.isDirectory()) return below ? this.#folder(glob, path, ancestors) : 0;
    if (!matches) return 0;
    if (!this.#isInside(real))
      this.#report(
        path,
        'file-outside-project',
        'the file is a link that leads out of the project directory',
      );
    else if (!stat.isFile()) this.#push(notRegular(path.join('/')));
    else this.#take(path);
    return 1;
  }

  #take(path: readonly string[]): number {
    const file = path.join('/');
    if (file === this.#projectFile) return 0;
    this.files.add(file);
    return 1;
  }

  #isInside(real: string): boolean {
    const path = relative(this.#realRoot, real);
    return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !path.startsWith(sep));
  }

  #report(path: readonly string[], code: 'file-unreadable' | 'file-outside-project', message: string): void {
    const file = path.length === 0 ? '.' : path.join('/');
    this.#push({ severity: 'error', code, message, location: { file, line: 1, column: 1 } });
  }

  /** Two patterns may come upon the same thing. */
  #push(diagnostic: Diagnostic): void {
    const key = `${diagnostic.code} ${diagnostic.location?.file}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.diagnostics.push(diagnostic);
  }
}
