import type { ManifestPattern } from '../desired/project.ts';
import { type Diagnostic, type problem, problemIn } from '../diagnostics/diagnostic.ts';
import { systemWords } from '../diagnostics/system-words.ts';
import type { Source } from '../manifest/source.ts';
import type { FileTree, FolderEntry } from '../manifest/tree.ts';
import { MOST } from '../model/bounds.ts';
import { caseless, type Glob, leadsOutside, MAX_PATTERN, parseGlob } from './glob.ts';
import { notRegular } from './read-file.ts';

interface Discovery {
  /** Paths relative to the project directory, with forward slashes, in code-unit order. */
  readonly files: readonly string[];
  /** Files that almost match a pattern, and need not be manifests: JSON files, hidden ones, and those with a further ending. */
  readonly doubtful: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A folder or a link counts as this many entries, because resolving it takes as much longer. */
const FOLDER = 5;
const LINK = 20;
const TOO_LARGE = 'project-too-large';
/** Not searched unless a pattern names it. */
const SKIPPED = 'node_modules';

/**
 * Every file that a pattern matches. Nothing is skipped silently: each of these gets a diagnostic: a match that cannot be a
 * manifest, an unreadable folder, a link that leads outside, a pattern without a match (HAZARDS 26).
 */
export function discover(
  tree: FileTree,
  patterns: readonly ManifestPattern[],
  projectFile: string,
): Discovery {
  const walk = new Walk(tree, projectFile);
  for (const pattern of patterns) walk.search(pattern);
  walk.reportPassedOver();
  return {
    files: [...walk.files].sort(),
    doubtful: walk.nearMisses.filter(isDoubtful),
    diagnostics: walk.diagnostics,
  };
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The extensions of files that hold YAML, of which JSON is a part. */
const EXTENSIONS = ['yaml', 'yml', 'json'];

/** `bb.yaml` of `bb.yaml.txt`, `bb.yaml.bak`, `bb.yaml~`: a manifest that somebody set aside, or the copy of an editor. */
function withoutEnding(file: string): string {
  return isSetAside(file) ? file.replace(/(\.(?:yaml|yml|json))[^a-z0-9][^/]*$/i, '$1') : file;
}

function isSetAside(file: string): boolean {
  return !EXTENSIONS.includes(extensionOf(file).toLowerCase());
}

/** True for a path that the pattern matches in another case, with another extension, or without a point in front or a further ending. */
function almostMatches({ inAnyCase }: Glob, path: readonly string[]): boolean {
  const name = withoutEnding(path.at(-1) ?? '');
  const extension = extensionOf(name);
  if (!EXTENSIONS.includes(extension.toLowerCase())) return false;
  const folder = path.slice(0, -1);
  const stem = name.slice(0, -extension.length).replace(/^\.+(?=.)/, '');
  return EXTENSIONS.some((other) => inAnyCase.matches([...folder, stem + other]));
}

function isHidden(file: string): boolean {
  return file.slice(file.lastIndexOf('/') + 1).startsWith('.');
}

function isDoubtful(file: string): boolean {
  return isHidden(file) || isSetAside(file) || extensionOf(file).toLowerCase() === 'json';
}

export function holdsManifest({ text }: Source): boolean {
  return /apiVersion["']?\s*:\s*["']?tradeform\b/.test(text);
}

/**
 * A diagnostic for each doubtful file that the project does not read: an error if the file is a manifest, and a note if somebody
 * set it aside. A hidden file that is none belongs to an editor or to another tool, and is not named.
 */
export function doubtfulPassedOver(tree: FileTree, files: readonly string[]): readonly Diagnostic[] {
  tree.prepare(files);
  return files.flatMap((file): readonly Diagnostic[] => {
    const result = tree.read(file);
    const error = nearMiss(file);
    const isManifest = 'source' in result ? holdsManifest(result.source) : !isHidden(file);
    if (isSetAside(file)) return isManifest ? [{ ...error, severity: 'info' }] : [];
    if (isManifest) return [error];
    const hint = 'move it out of the folders of manifests, or add a pattern if it is a manifest';
    return isHidden(file) ? [] : [{ ...error, severity: 'warning', hint }];
  });
}

/** The error about a file that looks like a manifest and is not read. */
function nearMiss(file: string): Diagnostic {
  return problemIn(
    file,
    'file-passed-over',
    'no pattern of spec.manifests matches this file, only its path in another case, with another extension, or without the point in front or the ending',
    `rename the file, or add a pattern for ${isHidden(file) ? '.' : ''}*.${extensionOf(file)}`,
  );
}

class Walk {
  readonly files = new Set<string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly #reported = new Set<string>();
  #entries = 0;
  #matching = 0;
  /** Files that almost match a pattern. */
  readonly #nearMisses = new Set<string>();

  constructor(
    private readonly tree: FileTree,
    private readonly projectFile: string,
  ) {}

  search({ pattern, location }: ManifestPattern): void {
    const fail = (...said: Parameters<typeof problem>) => {
      this.diagnostics.push({ ...problemIn(location, ...said), length: pattern.length });
    };
    if (leadsOutside(pattern)) {
      const message = `the pattern ${pattern} leads outside the project directory`;
      fail('file-outside-project', message, 'manifests must be below tradeform.yaml');
      return;
    }
    const parsed = parseGlob(pattern);
    if ('problem' in parsed) {
      const shown = pattern.length > MAX_PATTERN ? `${pattern.slice(0, 40)}…` : pattern;
      const message = `the pattern ${shown} cannot be used: ${parsed.problem}`;
      fail('invalid-value', message, 'for example manifests/**/*.yaml');
      return;
    }
    const before = this.diagnostics.length;
    const matched = this.#folder(parsed.glob, [...parsed.glob.base], []);
    this.#besideBase(parsed.glob);
    if (matched > 0 || this.diagnostics.length > before) return;
    fail(
      'no-manifests',
      `the pattern ${pattern} matches no file`,
      'tradeform never takes an empty set of manifests for "delete everything": write a manifest or change the pattern',
    );
  }

  /** The base is not searched for: other folders can have its name in another case. */
  #besideBase(glob: Glob): void {
    for (const [at, name] of glob.base.entries()) {
      const above = glob.base.slice(0, at);
      for (const entry of this.#listed(above)) {
        if (entry.type !== 'folder' || entry.name === name || caseless(entry.name) !== caseless(name))
          continue;
        const [base, beside] = [name, entry.name].map((each) => {
          const standing = this.tree.find([...above, each].join('/'));
          return 'real' in standing ? standing.real : undefined;
        });
        // Where the file system takes them for the same, it is one folder.
        if (base === undefined || base !== beside) this.#folder(glob, [...above, entry.name], []);
      }
    }
  }

  #listed(folder: readonly string[]): readonly FolderEntry[] {
    try {
      return this.tree.list(folder.join('/'));
    } catch {
      // The search for the base reports it.
      return [];
    }
  }

  /** The number of matches below a folder. `ancestors` are real paths, to detect circular links. */
  #folder(glob: Glob, path: readonly string[], ancestors: readonly string[]): number {
    this.#entries += FOLDER;
    const real = this.#enter(path);
    if (real === undefined || ancestors.includes(real)) return 0;
    let entries: readonly FolderEntry[];
    try {
      entries = this.tree.list(path.join('/'));
    } catch (error) {
      this.#report(path, 'file-unreadable', `the folder cannot be listed: ${systemWords(error)}`);
      return 0;
    }
    let matched = 0;
    const length = path.reduce((sum, name) => sum + name.length, 0);
    const within = [...ancestors, real];
    for (const entry of entries) {
      if (this.#isTooMuch(length + entry.name.length, glob)) break;
      matched += this.#entry(glob, [...path, entry.name], entry, within);
    }
    return matched;
  }

  /** Links can reach the same folders in many ways, and names can be many and long. */
  #isTooMuch(characters: number, { length }: Glob): boolean {
    this.#entries += 1;
    this.#matching += length * characters;
    if (this.#entries <= MOST.entries && this.#matching <= MOST.matching && this.files.size <= MOST.files)
      return false;
    if (this.#reported.has(TOO_LARGE)) return true;
    this.#reported.add(TOO_LARGE);
    const message =
      this.files.size > MOST.files
        ? `the patterns of spec.manifests match more than ${MOST.files} files`
        : 'searching for manifests takes too long: too many files and folders, or patterns';
    const hint = 'write patterns that name the folders of manifests, or split the project';
    this.diagnostics.push(problemIn(this.projectFile, TOO_LARGE, message, hint));
    return true;
  }

  /** The real path of a folder within the project. Undefined for anything else, with a diagnostic if one is needed. */
  #enter(path: readonly string[]): string | undefined {
    const standing = this.tree.find(path.join('/'));
    if (standing.type === 'outside') {
      this.#report(path, 'file-outside-project', `the folder ${standing.why}`);
      return undefined;
    }
    if (standing.type !== 'broken') return standing.real;
    // If a pattern names a missing folder, the diagnostic about a pattern without matches is enough.
    if (!standing.missing)
      this.#report(path, 'file-unreadable', `the folder cannot be read: ${standing.problem}`);
    return undefined;
  }

  #entry(
    glob: Glob,
    path: readonly string[],
    { name, type }: FolderEntry,
    ancestors: readonly string[],
  ): number {
    // `.git` belongs to git alone. Under a different spelling it is reported, because somebody may use it for manifests.
    if (name === '.git') return 0;
    const matches = glob.matches(path);
    if (!matches && type !== 'folder' && almostMatches(glob, path)) this.#nearMisses.add(path.join('/'));
    const below =
      type !== 'file' &&
      (name !== SKIPPED || glob.base.includes(SKIPPED)) &&
      (glob.mayMatchBelow(path) || (type === 'folder' && glob.inAnyCase.mayMatchBelow(path)));
    if (!matches && !below) return 0;
    switch (type) {
      case 'file':
        return matches ? this.#take(path) : 0;
      case 'folder':
        return below ? this.#folder(glob, path, ancestors) : 0;
      case 'link':
        return this.#link(glob, path, { matches, below }, ancestors);
      case 'other':
        if (matches) this.#push(notRegular(path.join('/')));
        return matches ? 1 : 0;
    }
  }

  #link(
    glob: Glob,
    path: readonly string[],
    { matches, below }: { matches: boolean; below: boolean },
    ancestors: readonly string[],
  ): number {
    this.#entries += LINK;
    const standing = this.tree.find(path.join('/'));
    if (standing.type === 'broken') {
      // The link may have led to a folder of manifests. Their tasks must not look deleted.
      this.#report(path, 'file-unreadable', `the link cannot be followed: ${standing.problem}`);
      return matches ? 1 : 0;
    }
    const folder = standing.type === 'folder' || (standing.type === 'outside' && standing.folder);
    if (folder) return below ? this.#folder(glob, path, ancestors) : 0;
    if (!matches) return 0;
    if (standing.type === 'outside') this.#report(path, 'file-outside-project', `the file ${standing.why}`);
    else if (standing.type === 'file') this.#take(path);
    else this.#push(notRegular(path.join('/')));
    return 1;
  }

  /** The files that somebody may believe to count. */
  get nearMisses(): readonly string[] {
    const isRead = (file: string) => this.files.has(file) || this.files.has(withoutEnding(file));
    return [...this.#nearMisses].filter((file) => !isRead(file)).sort();
  }

  /** Without a report, the resources of such a file would look deleted. */
  reportPassedOver(): void {
    for (const file of this.nearMisses) if (!isDoubtful(file)) this.#push(nearMiss(file));
  }

  #take(path: readonly string[]): number {
    const file = path.join('/');
    if (file === this.projectFile) return 0;
    this.files.add(file);
    return 1;
  }

  #report(path: readonly string[], code: 'file-unreadable' | 'file-outside-project', message: string): void {
    this.#push(problemIn(path.length === 0 ? '.' : path.join('/'), code, message));
  }

  /** Two patterns may find the same problem. */
  #push(diagnostic: Diagnostic): void {
    const key = `${diagnostic.code} ${diagnostic.location?.file}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.diagnostics.push(diagnostic);
  }
}
