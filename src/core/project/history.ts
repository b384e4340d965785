import { posix } from 'node:path';
import type { DesiredState } from '../desired/state.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type ReadResult, readManifests } from '../manifest/read.ts';
import type { Source } from '../manifest/source.ts';
import type { Touched } from '../model/address.ts';
import { madeOnce } from '../model/by-key.ts';
import { startId } from './blobs.ts';
import { CommitTree, lackedHere } from './commit-tree.ts';
import type { Git } from './git.ts';
import {
  commits,
  differences,
  filesOfTree,
  type GitCommand,
  MODES,
  type TreeEntry,
  treeEntries,
  typesAndHashes,
} from './git-commands.ts';
import { type CompileRequest, compileProject } from './project.ts';
import type { ProjectSpot, Repository } from './revision.ts';
import { comparerOf, type Difference } from './touched.ts';

/** A commit in the form that people know. */
interface CommitNote {
  readonly hash: string;
  /** The commit date, ISO 8601. */
  readonly date: string;
  /** The first line of the message. */
  readonly subject: string;
}

export interface PastProject {
  readonly commit: CommitNote;
  /**
   * How many commits there are up to it, if it is on the line of HEAD and its first parents, the successive states of the branch
   * itself. Undefined if it was merged from beside the line.
   */
  readonly number: number | undefined;
  /** `none`: the project did not exist yet. `broken`: nothing of it can be read. */
  readonly state: DesiredState | 'none' | 'broken';
  /** Why a part of it, or all, could not be read or compiled. */
  readonly unread: Diagnostic | undefined;
}

type Read = Pick<PastProject, 'state' | 'unread'>;

/** True for what another clone has. */
export function isLacking({ code }: Diagnostic): boolean {
  return code === 'file-unreadable';
}

/** Why no earlier commit follows. */
type Ended = 'beginning' | 'depth' | 'shallow';

/** The maximum of commits to read that touch the project directory. A version is nearly always found in the first few. */
export const DEPTH = 1_000;

export interface HistoryRequest extends CompileRequest {
  readonly repository: Repository;
  /** The name of the project, and its former one. */
  readonly names: readonly string[];
  /** The full hash of the commit to start with. */
  readonly head: string;
}

interface ListedCommit extends ProjectSpot {
  readonly commit: CommitNote;
  readonly number: number | undefined;
  /** The hash of the project directory. Undefined where it is missing. */
  readonly folder: string | undefined;
}

const NONE: Read = { state: 'none', unread: undefined };
const NOTE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S+) ?(.*)$/s;

/**
 * The project in earlier commits, newest first: first the line of first parents (the states that the branch had), then the
 * merged commits. Only commits that touch the project directory count. If the project was moved, earlier commits count if they
 * touch its former folder. Works offline. A commit is read and compiled on demand. Equal folders are compiled once, and equal
 * files of all commits are read once.
 */
export class History {
  /** Environment variables that the commits so far read, by name. */
  readonly environment = new Map<string, string>();
  readonly shallow: boolean;
  readonly #states = new Map<string, Promise<Read>>();
  readonly #read = new Map<Source, ReadResult>();
  readonly #touchedBy: ReturnType<typeof comparerOf>;
  readonly #listings: Listings;
  #listed: readonly ListedCommit[] | undefined;
  /** The message of git if it could not list the commits. There are no commits then. */
  problem: string | undefined;
  /** Why the history ended, after `commits` is exhausted. */
  ended: Ended = 'beginning';

  constructor(private readonly request: HistoryRequest) {
    this.#touchedBy = comparerOf(request.repository.blobs);
    this.#listings = new Listings(request.repository.git);
    this.shallow = request.repository.isShallow() === true;
  }

  /**
   * `wanted`: a commit of this number is read and compiled. The others are passed over. `touched`: the tasks that differ from those of
   * the next newer commit of the line.
   */
  async *commits(
    wanted: (number: number | undefined, touched: () => Touched) => boolean,
  ): AsyncGenerator<PastProject> {
    this.#listed ??= await this.#list();
    const listed = this.#listed;
    if (this.problem !== undefined) return;
    this.request.repository.blobs.load([...this.#listings.blobs]);
    for (const [index, { commit, number, folder, ...spot }] of listed.entries()) {
      const { projectFile, inside, folder: next } = listed[index - 1] ?? { ...spot, folder };
      const touched = (): Touched => {
        if (index === 0) return new Set();
        const isMoved = projectFile !== spot.projectFile || inside !== spot.inside;
        const found = this.#listings.between(next, folder, projectFile);
        return isMoved || found === undefined ? 'all' : this.#touchedBy(found);
      };
      if (!wanted(number, touched)) continue;
      yield { commit, number, ...(await this.#state(folder, spot)) };
    }
  }

  async #list(): Promise<readonly ListedCommit[]> {
    const { head, projectFile, repository } = this.request;
    const ancestry = await repository.ancestry();
    if ('problem' in ancestry) {
      this.problem = ancestry.problem;
      return [];
    }
    const { numbers, parents } = ancestry;
    const line: ListedCommit[] = [];
    const merged: ListedCommit[] = [];
    let place: FormerPlace | undefined = { commit: head, inside: repository.git.place.inside, projectFile };
    while (place !== undefined && line.length <= DEPTH) {
      const own = this.#revisions('--first-parent', place);
      // Without merges all commits are on the line.
      const others = numbers.size === parents.size ? [] : this.#revisions('--full-history', place);
      this.#listings.add([...own, ...others].slice(0, DEPTH));
      const { count, before } = this.#formerPlace(own, place, parents);
      line.push(...own.slice(0, count).map((one) => ({ ...one, number: numbers.get(one.commit.hash) })));
      merged.push(...others);
      place = before;
    }
    const inLine = new Set(line.map(({ commit }) => commit.hash));
    const all = [...line, ...merged.filter(({ commit }) => !inLine.has(commit.hash))];
    if (all.length > DEPTH) this.ended = 'depth';
    else if (this.shallow) this.ended = 'shallow';
    return all.slice(0, DEPTH);
  }

  /** The commits that touch the project directory: one more than will be read. git is asked for folders below the top. */
  #revisions(how: string, { commit: from, inside, projectFile }: FormerPlace): readonly ListedCommit[] {
    const text = this.#text(commits([how, `--max-count=${DEPTH + 1}`, from], inside));
    // A line `commit HASH`, then a line in our own format.
    const listed = text.split('\n').flatMap((line) => {
      const [, hash, folder, written, subject = ''] = NOTE.exec(line) ?? [];
      if (hash === undefined || folder === undefined || written === undefined) return [];
      // For people. Where git cannot read a date, it prints the placeholder itself.
      const date = Number.isNaN(Date.parse(written)) ? '1970-01-01T00:00:00Z' : written;
      return [{ commit: { hash, date, subject }, number: undefined, folder, inside, projectFile }];
    });
    if (inside === '' || listed.length === 0) return listed;
    const names = listed.map(({ commit }) => `${commit.hash}:${inside}\n`);
    const answers = this.#text(typesAndHashes, names.join('')).split('\n');
    return listed.map((one, index) => {
      const [, folder] = /^tree ([0-9a-f]{40,64})$/.exec(answers[index] ?? '') ?? [];
      return { ...one, folder };
    });
  }

  /**
   * How many of these commits (newest first, on the line of first parents) have the project in its place, and where it was before: in
   * the one place that had a project of this name. `before` is undefined if the project did not exist, or if its place is unclear.
   */
  #formerPlace(
    line: readonly ListedCommit[],
    spot: ProjectSpot,
    parents: ReadonlyMap<string, readonly string[]>,
  ): { readonly count: number; readonly before: FormerPlace | undefined } {
    const { repository, names } = this.request;
    const until = (count: number) => {
      const [commit] = parents.get(line[count - 1]?.commit.hash ?? '') ?? [];
      const [only, second] = commit === undefined ? [] : (repository.projectsIn(commit, spot, names) ?? []);
      if (commit === undefined || only === undefined || second !== undefined) return undefined;
      return { count, before: { commit, ...only } };
    };
    const files = line.map(({ folder }) => this.#listings.hashOf(spot.projectFile, folder) ?? '');
    const here = files.includes('') ? files.indexOf('') : line.length;
    // Another project may have had the place before.
    const at = posix.join(spot.inside, spot.projectFile);
    const other = repository.otherProject(files.slice(0, here), at, names);
    const moved = (other < 0 ? undefined : until(other)) ?? until(here);
    return moved ?? { count: line.length, before: undefined };
  }

  async #state(folder: string | undefined, spot: ProjectSpot): Promise<Read> {
    if (folder === undefined) return NONE;
    return madeOnce(this.#states, `${folder} ${spot.projectFile}`, () => this.#compile(folder, spot));
  }

  async #compile(folder: string, { inside, projectFile }: ProjectSpot): Promise<Read> {
    const entries = this.#listings.get(folder);
    if (entries === undefined) return { state: 'broken', unread: lackedHere(projectFile) };
    const { blobs, submodules } = this.request.repository;
    const tree = new CommitTree({
      ...{ entries, blobs, inside, submodules },
      // Links out of the project directory are followed only on disk.
      isFolder: () => undefined,
    });
    const standing = tree.find(projectFile);
    if (standing.type === 'broken' && standing.missing) return NONE;
    const { state, environment, diagnostics } = await compileProject(tree, {
      ...this.request,
      projectFile,
      compared: true,
      past: (source) => madeOnce(this.#read, source, () => readManifests(source)),
    });
    for (const [name, value] of environment) this.environment.set(name, value);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const unread = errors.find(isLacking) ?? errors[0];
    // Problems are noted in the manifests so that each is reported once. Another commit must find them again.
    if (unread !== undefined) this.#read.clear();
    return { state: state ?? 'broken', unread };
  }

  #text(command: GitCommand, input?: string): string {
    const answer = this.request.repository.git.ask(command, input);
    if (answer.ok) return answer.text;
    this.problem ??= answer.problem;
    return '';
  }
}

interface FormerPlace extends ProjectSpot {
  /** The full hash of the last commit with the project in that place. */
  readonly commit: string;
}

/** Files whose contents are needed: manifests, tables of task sets, schemas of policies. */
const READ = /\.(?:ya?ml|csv|json)$/i;

/**
 * The files of many nearly equal folders, in one git process for any number of them: the differences of the first one from an empty
 * folder, and of each other one from the previous one.
 */
class Listings {
  readonly #known = new Map<string, readonly TreeEntry[]>();
  readonly #between = new Map<string, readonly Difference[]>();
  /** Contents of files that differ between the folders. Reading all at once costs no more than reading one. */
  readonly blobs = new Set<string>();
  /** True if there are links: they can lead to files with any name. */
  #links = false;

  constructor(private readonly git: Git) {}

  add(all: readonly ListedCommit[]): void {
    const folders = all
      .flatMap(({ folder }) => folder ?? [])
      .filter((each, at, listed) => each !== listed[at - 1]);
    const [first] = folders;
    if (first === undefined) return;
    const nothing = startId('tree', 0, first).digest('hex');
    const entries = new Map<string, TreeEntry>();
    const pairs = folders.map((folder, index) => `${folders[index - 1] ?? nothing} ${folder}\n`);
    const answer = this.git.ask(differences, pairs.join(''));
    if (!answer.ok) return;
    for (const [index, [pair, found]] of differencesOf(answer.text).entries()) {
      this.#between.set(pair, found);
      for (const { path, files } of found) {
        const { mode, hash } = files[1];
        if (mode === MODES.none) entries.delete(path);
        else entries.set(path, { mode, hash, path });
        if (!mode.startsWith('100') && mode !== MODES.none) this.#links = true;
        if (index > 0 && READ.test(path))
          for (const file of files) if (file.mode !== MODES.none) this.blobs.add(file.hash);
      }
      this.#known.set(pair.slice(pair.indexOf(' ') + 1), [...entries.values()]);
    }
  }

  /** The hash of a file or link in a folder, if that folder is known. */
  hashOf(file: string, folder = ''): string | undefined {
    const found = this.#known.get(folder)?.find(({ path }) => path === file);
    return found?.mode === MODES.submodule ? undefined : found?.hash;
  }

  /** The files that can make a difference; undefined if they are not known. */
  between(
    one: string | undefined,
    next: string | undefined,
    projectFile: string,
  ): readonly Difference[] | undefined {
    if (one === next) return [];
    const found = this.#between.get(`${one} ${next}`);
    return this.#links ? found : found?.filter(({ path }) => path === projectFile || READ.test(path));
  }

  /** Undefined if the repository lacks a part of it. */
  get(folder: string): readonly TreeEntry[] | undefined {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const answer = this.git.ask(filesOfTree(folder));
    if (!answer.ok) return undefined;
    const entries = treeEntries(answer.text);
    this.#known.set(folder, entries);
    return entries;
  }
}

/** `BEFORE AFTER\n`, then `:MODE MODE HASH HASH LETTER\0PATH\0` for each file. */
function differencesOf(text: string): readonly (readonly [pair: string, Difference[]])[] {
  const found: [string, Difference[]][] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] !== ':') {
      const end = text.indexOf('\n', at);
      if (end < 0) return found;
      found.push([text.slice(at, end), []]);
      at = end + 1;
      continue;
    }
    const head = text.indexOf('\0', at);
    const tail = text.indexOf('\0', head + 1);
    if (head < 0 || tail < 0) return found;
    const [former = MODES.none, mode = MODES.none, before = '', hash = ''] = text
      .slice(at + 1, head)
      .split(' ');
    const files = [
      { mode: former, hash: before },
      { mode, hash },
    ] as const;
    found.at(-1)?.[1].push({ path: text.slice(head + 1, tail), files });
    at = tail + 1;
  }
  return found;
}
