import type { DesiredState } from '../desired/state.ts';
import { type ReadResult, readManifests } from '../manifest/read.ts';
import type { Source } from '../manifest/source.ts';
import { Blobs } from './blobs.ts';
import { CommitTree } from './commit-tree.ts';
import type { Git } from './git.ts';
import { commits, filesOfCommit, type GitCommand, isShallow, typesAndHashes } from './git-commands.ts';
import { Listings } from './listings.ts';
import { type CompileRequest, compileProject } from './project.ts';

/** A commit as people know it. */
interface CommitNote {
  readonly hash: string;
  /** When it came into this history, ISO 8601. */
  readonly date: string;
  /** First line of its message. */
  readonly subject: string;
}

export interface PastProject {
  readonly commit: CommitNote;
  /** The earlier of its two dates, in milliseconds since the epoch: a rebase moves only one of them. */
  readonly made: number;
  /** It lies on the line of HEAD and first parents: what the branch itself was, one after the other. */
  readonly onLine: boolean;
  /** `none`: there was no project yet. `broken`: it does not compile. */
  readonly state: DesiredState | 'none' | 'broken';
}

/** Why there is no commit further back. */
type Ended = 'beginning' | 'depth' | 'since' | 'shallow';

export interface HistoryRequest extends CompileRequest {
  readonly git: Git;
  /** Full hash of the commit to begin with. */
  readonly head: string;
  /** Most commits to look at, of those that touch the project directory. */
  readonly depth: number;
  /** A date, ISO 8601, or a full hash: nothing older is looked at; the commit itself is. */
  readonly since?: { readonly date: string } | { readonly commit: string };
}

interface Dated {
  readonly commit: CommitNote;
  readonly made: number;
}

interface Listed extends Dated {
  /** Where the project lies in it. */
  readonly inside: string;
  readonly onLine: boolean;
}

const OID = /^[0-9a-f]{40,64}$/;

/**
 * The project as earlier commits have it, newest first: the line of first parents, which is what was the branch at some time,
 * then what was merged into it. Only commits that touch the project directory count; where it was moved, those before touch the
 * folder in which it lay. Offline; each commit is read and
 * compiled when it is asked for, equal folders once, and equal files of all commits once.
 */
export class History {
  /** Variables of the process environment that the commits looked at so far read, by name. */
  readonly environment = new Map<string, string>();
  readonly shallow: boolean;
  readonly #request: HistoryRequest;
  readonly #blobs: Blobs;
  readonly #states = new Map<string, PastProject['state']>();
  readonly #read = new Map<Source, ReadResult>();
  #listings: Listings | undefined;
  #problem: string | undefined;
  #ended: Ended = 'beginning';

  constructor(request: HistoryRequest) {
    this.#request = request;
    this.#blobs = new Blobs(request.git);
    this.shallow = this.#text(isShallow).trim() === 'true';
  }

  /** Why it went no further, once `commits` is through. */
  get ended(): Ended {
    return this.#ended;
  }

  /** What git said where it could not tell the commits; there are none then. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async *commits(): AsyncGenerator<PastProject> {
    const listed = this.#list();
    const folders = this.#folders(listed);
    if (this.#problem !== undefined) return;
    this.#listings = new Listings(
      this.#request.git,
      folders.flatMap((folder) => folder ?? []),
    );
    this.#blobs.load(this.#listings.blobs);
    for (const [index, { commit, made, onLine, inside }] of listed.entries()) {
      yield { commit, made, onLine, state: await this.#state(folders[index], inside) };
    }
  }

  #list(): readonly Listed[] {
    const { depth, since, head, git, projectFile } = this.#request;
    const last = since !== undefined && 'commit' in since ? since.commit : undefined;
    const line: Listed[] = [];
    const merged: Listed[] = [];
    let place: FormerPlace | undefined = { commit: head, inside: this.#inside };
    while (place !== undefined && line.length <= depth) {
      const { commit: from, inside } = place;
      const listed = this.#revisions(['--first-parent'], from, inside);
      const hashes = listed.map(({ commit }) => commit.hash);
      const { count, before } = formerPlace(git, hashes, inside, projectFile);
      line.push(...listed.slice(0, count).map((dated) => ({ ...dated, inside, onLine: true })));
      const others = this.#revisions(['--full-history'], from, inside);
      merged.push(...others.map((dated) => ({ ...dated, inside, onLine: false })));
      place = before;
    }
    const inLine = new Set(line.map(({ commit }) => commit.hash));
    const all = [
      ...line,
      ...merged.filter(({ commit }) => !inLine.has(commit.hash)),
      ...(last === undefined ? [] : this.#notes(commits(['--max-count=1', last]))).map((dated) => ({
        ...dated,
        inside: this.#inside,
        onLine: true,
      })),
    ];
    const young = all.filter(({ commit }) => isYoung(commit, since));
    if (young.length > depth) this.#ended = 'depth';
    else if (young.length < all.length || (last !== undefined && this.#hasEarlier(last)))
      this.#ended = 'since';
    else if (this.shallow) this.#ended = 'shallow';
    return young.slice(0, depth);
  }

  /** A commit before this one touches the project directory: `--since` keeps it from being looked at. */
  #hasEarlier(hash: string): boolean {
    const two = this.#notes(commits(['--full-history', '--max-count=2', hash], this.#inside));
    return two.some(({ commit }) => commit.hash !== hash);
  }

  /** Those that touch the project directory, one more than are looked at. */
  #revisions(how: readonly string[], from: string, inside: string): readonly Dated[] {
    const { depth, since } = this.#request;
    const range = since !== undefined && 'commit' in since ? [from, `^${since.commit}`] : [from];
    return this.#notes(commits([...how, `--max-count=${depth + 1}`, ...range], inside));
  }

  /** A line `commit HASH`, and one in our own form. */
  #notes(command: GitCommand): readonly Dated[] {
    const text = this.#text(command);
    return text.split('\n').flatMap((line) => {
      const [, hash, date, written, subject] = /^([0-9a-f]{40,64}) (\S+) (\S+) ?(.*)$/.exec(line) ?? [];
      if (hash === undefined || date === undefined || written === undefined) return [];
      const made = Math.min(Date.parse(date), Date.parse(written));
      return [{ commit: { hash, date, subject: subject ?? '' }, made }];
    });
  }

  /** The project directory in each of the commits; undefined where there is none. */
  #folders(listed: readonly Listed[]): readonly (string | undefined)[] {
    const names = listed.map(({ commit, inside }) => `${commit.hash}:${inside}\n`);
    const answer = this.#text(typesAndHashes, names.join(''));
    return answer.split('\n').map((line) => {
      const [type, hash = ''] = line.split(' ');
      return type === 'tree' && OID.test(hash) ? hash : undefined;
    });
  }

  async #state(folder: string | undefined, inside: string): Promise<PastProject['state']> {
    if (folder === undefined) return 'none';
    const known = this.#states.get(folder);
    if (known !== undefined) return known;
    const state = await this.#compile(folder, inside);
    this.#states.set(folder, state);
    return state;
  }

  async #compile(folder: string, inside: string): Promise<PastProject['state']> {
    const listing = this.#listings?.get(folder);
    if (listing === undefined) return 'broken';
    const tree = new CommitTree({
      listing,
      blobs: this.#blobs,
      inside,
      // Links that leave the project directory are followed on disk alone.
      isFolder: () => undefined,
    });
    const { projectFile } = this.#request;
    const standing = tree.find(projectFile);
    if (standing.type === 'broken' && standing.missing) return 'none';
    const { state, environment } = await compileProject(tree, {
      ...this.#request,
      past: (source) => this.#manifests(source),
    });
    for (const [name, value] of environment) this.environment.set(name, value);
    if (state !== undefined) return state;
    // What was found wrong is noted in the manifests, so that it is not told twice: another commit has to find it itself.
    this.#read.clear();
    return 'broken';
  }

  #manifests(source: Source): ReadResult {
    const known = this.#read.get(source);
    if (known !== undefined) return known;
    const result = readManifests(source);
    this.#read.set(source, result);
    return result;
  }

  get #inside(): string {
    return this.#request.git.place.inside;
  }

  #text(command: GitCommand, input?: string): string {
    const answer = this.#request.git.ask(command, input);
    if (answer.ok) return answer.stdout.toString('utf8');
    this.#problem ??= answer.problem;
    return '';
  }
}

function isYoung({ date }: CommitNote, since: HistoryRequest['since']): boolean {
  return since === undefined || !('date' in since) || Date.parse(date) >= Date.parse(since.date);
}

/** Where a project lay before its folder was moved. */
interface FormerPlace {
  /** Full hash of the last commit that has it there. */
  readonly commit: string;
  /** The folder, from the top of the repository; empty for the top. */
  readonly inside: string;
}

/** No line break may come into what git reads line by line. */
const UNFIT = /\p{Cc}/u;

/**
 * How many of these commits, newest first on the line of first parents, have the project in `inside`, and where it lay before
 * them: in the one folder that is gone since, and whose project file has the same content. `before` is undefined where it did not exist, or nobody can tell.
 */
function formerPlace(
  git: Git,
  line: readonly string[],
  inside: string,
  projectFile: string,
): { readonly count: number; readonly before: FormerPlace | undefined } {
  const all = { count: line.length, before: undefined };
  const at = join(inside, projectFile);
  const asked = git.ask(typesAndHashes, line.map((hash) => `${hash}:${at}\n`).join(''));
  if (!asked.ok) return all;
  const blobs = asked.stdout
    .toString('utf8')
    .split('\n')
    .map((text) => /^blob (\S+)$/.exec(text)?.[1]);
  const gone = line.findIndex((_, index) => blobs[index] === undefined);
  const count = gone < 0 ? line.length : gone;
  const [first, blob] = [line[count - 1], blobs[count - 1]];
  if (first === undefined || blob === undefined) return all;
  const [, parent] = textOf(git.ask(commits(['--first-parent', '--max-count=2', first]))).matchAll(
    /^commit ([0-9a-f]{40,64})$/gm,
  );
  const commit = parent?.[1];
  if (commit === undefined) return all;
  const places = textOf(git.ask(filesOfCommit(commit, '')))
    .split('\0')
    .flatMap((entry) => {
      const [, hash, path = ''] = /^\S+ blob (\S+)\t(.*)$/s.exec(entry) ?? [];
      const named = path === projectFile || path.endsWith(`/${projectFile}`);
      return hash === blob && named && !UNFIT.test(path)
        ? [path.slice(0, -projectFile.length).replace(/\/$/, '')]
        : [];
    });
  // What stands there still was copied, not moved.
  const stands = textOf(
    git.ask(typesAndHashes, places.map((place) => `${first}:${join(place, projectFile)}\n`).join('')),
  );
  const types = stands.split('\n');
  const [only, second] = places.filter((_, index) => types[index]?.startsWith('blob ') !== true);
  if (only === undefined || second !== undefined) return all;
  return { count, before: { commit, inside: only } };
}

function join(inside: string, file: string): string {
  return inside === '' ? file : `${inside}/${file}`;
}

function textOf(answer: ReturnType<Git['ask']>): string {
  return answer.ok ? answer.stdout.toString('utf8') : '';
}
