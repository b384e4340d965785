import { lstatSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { readManifests } from '../manifest/read.ts';
import type { Source } from '../manifest/source.ts';
import { madeOnce } from '../model/by-key.ts';
import { type Ancestry, ancestryOf } from './ancestry.ts';
import { Blobs } from './blobs.ts';
import { CommitTree, FETCH, submodulesOf } from './commit-tree.ts';
import { PROJECT_FILE } from './find-project.ts';
import { type Git, openGit } from './git.ts';
import {
  ancestry,
  commitOf,
  filesOfCommit,
  type GitAnswer,
  indexedFiles,
  mergeBase,
  objectsWithPrefix,
  refsMatching,
  shallowness,
  shallownessAndHead,
  treeEntries,
  typeAt,
} from './git-commands.ts';
import type { Environment } from './git-program.ts';
import { type CompileRequest, compileProject, noProject, type Project, type Settings } from './project.ts';

/** The name at the start of a revision: `main` of `main~3` and `main@{yesterday}`. */
const NAME = /^[^~^@:*?[\\ ]+/;
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const SHORT_HASH = /^[0-9a-f]{4,39}$/;
/** `HEAD`, `FETCH_HEAD`, `ORIG_HEAD`. */
const OF_GIT = /^[A-Z]+(?:_[A-Z]+)*$/;

/**
 * What a revision name means, written so that git reads nothing else: with the full name of the ref, or with the whole hash. git
 * itself prefers any file `.git/main` and a tag to the branch `main`, a local branch to a remote one, and all of them to a short
 * hash, and at most prints a warning. So whoever may push tags or branches, or write such a file, could choose what
 * `--base main` compares with. A tag is also compared with the remote branches: a clone without a local branch `main` would take
 * the tag. A name of capitals, such as FETCH_HEAD, is a file that git writes. Undefined: no ref and no object has the name.
 */
function meaningOf(git: Git, revision: string) {
  const [name = ''] = NAME.exec(revision) ?? [];
  if (name === '' || HASH.test(name)) return { exact: revision };
  const exactly = (base: string) => ({ exact: base + revision.slice(name.length) });
  const full = name.startsWith('refs/');
  // In the order in which git tries them.
  const rests = full
    ? [name]
    : [name, `tags/${name}`, `heads/${name}`, `remotes/${name}`, `remotes/${name}/HEAD`];
  const named = full ? rests : rests.map((rest) => `refs/${rest}`);
  const answer = git.ask(refsMatching(full ? named : [...named, `refs/remotes/*/${name}`]));
  if (!answer.ok) return undefined;
  const found = answer.text.split('\n');
  const refs = named.filter((ref) => found.includes(ref));
  const tag = `refs/tags/${name}`;
  const ofRemotes = found.filter((ref) => ref === `refs/remotes/${ref.split('/')[2]}/${name}`);
  const meanings = refs.length === 1 && refs[0] === tag ? [tag, ...ofRemotes] : refs;
  if (meanings.length > 1) {
    const hint = `write the full name: ${meanings.find((ref) => ref !== tag)}`;
    return { problem: `it may be ${meanings.join(' or ')}`, hint };
  }
  const [ref] = meanings;
  const objects = SHORT_HASH.test(name) ? git.ask(objectsWithPrefix(name)) : undefined;
  const hashes = objects?.ok === true ? objects.text.split('\n').filter(Boolean) : [];
  if (ref !== undefined && hashes.length > 0)
    return {
      problem: `it may be ${ref} or the beginning of a hash`,
      hint: `write ${ref}, or the whole hash`,
    };
  if (ref !== undefined) return exactly(ref);
  const [hash] = hashes;
  if (hash !== undefined) return hashes.length === 1 ? exactly(hash) : undefined;
  return OF_GIT.test(name) ? { exact: revision } : undefined;
}

export interface ProjectSpot {
  /** The folder relative to the top of the repository. Empty for the top. */
  readonly inside: string;
  readonly projectFile: string;
}

/** git reads its input by lines, so a path must not contain a line break. */
const UNFIT = /\p{Cc}/u;

/** A commit, and the files of the project directory in it. */
export interface Revision {
  /** The revision as requested. */
  readonly name: string;
  /** The full hash. */
  readonly commit: string;
  readonly tree: CommitTree;
  /** Where the project was then, relative to its folder. */
  readonly projectFile: string;
  /** The project files of the whole repository, as paths from its top. Undefined if git cannot list them. */
  readonly others: () => readonly string[] | undefined;
}

const SHOWN =
  'write a branch, a tag or a commit: main, v1.4, HEAD~3; main... is the commit where HEAD left main';
const MERGE_BASE = '...';
const YAML = /\.ya?ml$/i;

type FoundRevision = { readonly revision: Revision } | { readonly diagnostic: Diagnostic };

type Opened = { readonly repository: Repository } | { readonly diagnostic: Diagnostic };

export type ProjectDir = Pick<Settings, 'projectDir'>;

const opened = new WeakMap<ProjectDir, Opened>();

/** The repository of a project directory, opened once for each object. Only reads, works offline, and runs no program but git. */
export function openRepository(place: ProjectDir, env: Environment): Opened {
  return madeOnce(opened, place, () => {
    const found = openGit(place.projectDir, env);
    if ('git' in found) return { repository: new Repository(found.git) };
    return failed(found.reason === 'refused' ? 'git-refused' : 'no-repository', found.problem, found.hint);
  });
}

interface Listed {
  readonly written: number | undefined;
  readonly files: Promise<GitAnswer>;
}

/** When the index was written. Undefined while git writes files and index, and after it was killed at that. */
export function writtenAt({ place }: Git): number | undefined {
  const at = (name: string) => lstatSync(join(place.gitDir, name), { throwIfNoEntry: false })?.mtimeMs;
  return at('index.lock') === undefined ? (at('index') ?? 0) : undefined;
}

/** The repository of a project directory. */
export class Repository {
  /** The contents that were read so far. */
  readonly blobs: Blobs;
  readonly submodules: ReturnType<typeof submodulesOf>;
  readonly #names = new Map<string, string | undefined>();
  #head: Promise<string | undefined> | undefined;
  #ancestry: Promise<Ancestry | { problem: string }> | undefined;
  #index: Listed | undefined;
  #shallow: boolean | { readonly problem: string } | undefined;

  constructor(readonly git: Git) {
    this.blobs = new Blobs(git);
    this.submodules = submodulesOf(git);
  }

  /** Whether the clone lacks earlier commits, or why git cannot say. git is asked once. */
  isShallow(): boolean | { readonly problem: string } {
    if (this.#shallow === undefined) {
      const answer = this.git.ask(shallowness);
      this.#shallow = answer.ok ? answer.text.trim() === 'true' : { problem: answer.problem };
    }
    return this.#shallow;
  }

  lacking(): { readonly text: string; readonly remedy: string } | undefined {
    if (this.isShallow() === true) return { text: 'the clone is shallow', remedy: DEEPEN };
    return this.blobs.leftOut?.size === 0
      ? undefined
      : { text: 'the clone is partial: it lacks earlier files', remedy: FETCH };
  }

  /** The full hash of the commit that is checked out when this is called first. Undefined if there is none. */
  head(): Promise<string | undefined> {
    this.#head ??= this.git.askSoon(shallownessAndHead).then((answer) => {
      const [shallow, head] = answer.ok ? answer.text.trim().split('\n') : [];
      if (head !== undefined) this.#shallow = shallow === 'true';
      return head;
    });
    return this.#head;
  }

  /** The commits up to that one, or why git cannot list them. git is asked once. */
  async ancestry(): Promise<Ancestry | { problem: string }> {
    const head = (await this.head()) ?? 'HEAD';
    this.#ancestry ??= this.git
      .askSoon(ancestry(head))
      .then((answer) => (answer.ok ? ancestryOf(answer.text, head) : answer));
    return this.#ancestry;
  }

  /** The index of the project directory when this is called first. */
  index(): Listed {
    const { git } = this;
    this.#index ??= { written: writtenAt(git), files: git.askSoon(indexedFiles(git.place.inside)) };
    return this.#index;
  }

  /**
   * The commit that a revision names: a branch, a tag, a hash, `HEAD~3`, `main@{yesterday}`. With three dots at the end
   * (`main...`): the merge base with HEAD. If the project was moved since, also to the place of another one, it is found by its names,
   * the present and the former one.
   */
  revision(name: string, projectFile = PROJECT_FILE, names: readonly string[] = []): FoundRevision {
    const found = this.#commitOf(name);
    if ('diagnostic' in found) return found;
    const here = this.at(name, found.commit, projectFile);
    if ('diagnostic' in here || names.length === 0) return here;
    const there = here.revision.tree.read(projectFile);
    const isOther = 'source' in there && isNamedOtherwise(projectNameIn(there.source), names);
    if (!isOther && !lacksProject(here.revision)) return here;
    const spot = { inside: this.git.place.inside, projectFile };
    const [only, second] = this.projectsIn(found.commit, spot, names) ?? [];
    if (only === undefined || second !== undefined) return here;
    return this.at(name, found.commit, only.projectFile, only.inside);
  }

  /**
   * Where a commit has a project of one of these names (of any): in files with the name of a project file, and in the folder of the
   * spot in any file. Undefined if git cannot list its files.
   */
  projectsIn(
    commit: string,
    { inside, projectFile }: ProjectSpot,
    names?: readonly string[],
  ): readonly ProjectSpot[] | undefined {
    const listed = this.git.ask(filesOfCommit(commit, ''));
    if (!listed.ok) return undefined;
    const files = treeEntries(listed.text).filter(({ path }) => {
      const { dir, base } = posix.parse(path);
      const isNamed = base === PROJECT_FILE || base === projectFile;
      return (isNamed || (names !== undefined && dir === inside && YAML.test(base))) && !UNFIT.test(path);
    });
    if (names !== undefined) this.blobs.load(files.map(({ hash }) => hash));
    return files.flatMap(({ hash, path }) => {
      const { dir, base } = posix.parse(path);
      const isOurs = names === undefined || names.includes(this.#nameAt(hash, path) ?? '');
      return isOurs ? [{ inside: dir, projectFile: base }] : [];
    });
  }

  /** The first of these contents of a project file that is of a project with none of these names; -1 for none. */
  otherProject(hashes: readonly string[], path: string, names: readonly string[]): number {
    this.blobs.load(hashes);
    return hashes.findIndex((hash) => isNamedOtherwise(this.#nameAt(hash, path), names));
  }

  #nameAt(hash: string, path: string): string | undefined {
    return madeOnce(this.#names, `${hash} ${path}`, () => {
      const blob = this.blobs.get(hash);
      const read = blob.type === 'content' ? this.blobs.text(hash, blob.bytes, path) : undefined;
      return read !== undefined && 'source' in read ? projectNameIn(read.source) : undefined;
    });
  }

  /** The commit with this full hash, called by a name. */
  at(name: string, commit: string, projectFile: string, inside = this.git.place.inside): FoundRevision {
    const { git, blobs, submodules } = this;
    const listed = git.ask(filesOfCommit(commit, inside));
    if (!listed.ok) return failed('revision-unknown', `${name} cannot be read: ${listed.problem}`, LIST);
    const above = inside === '' ? '' : `${inside}/`;
    // Nothing is listed if the folder does not exist in that commit: the project was added later and has no files there.
    const entries = treeEntries(listed.text).flatMap((entry) =>
      entry.path.startsWith(above) ? [{ ...entry, path: entry.path.slice(above.length) }] : [],
    );
    const tree = new CommitTree({
      ...{ entries, blobs, inside, submodules },
      isFolder: (path) => {
        const type = git.ask(typeAt(commit, path));
        return type.ok ? type.text.trim() === 'tree' : undefined;
      },
    });
    const others = () =>
      this.projectsIn(commit, { inside, projectFile })?.map((one) => posix.join(one.inside, one.projectFile));
    return { revision: { name, commit, tree, projectFile, others } };
  }

  /** The full hash of the commit. */
  #commitOf(name: string): { readonly commit: string } | { readonly diagnostic: Diagnostic } {
    const { git } = this;
    const branched = name.endsWith(MERGE_BASE);
    const named = branched ? name.slice(0, -MERGE_BASE.length) : name;
    if (named === '' || named.startsWith('-') || /\p{Cc}/u.test(named))
      return failed('invalid-option', `${JSON.stringify(name)} is not a git revision`, SHOWN);
    const meaning = meaningOf(git, named);
    if (meaning !== undefined && 'problem' in meaning)
      return failed('revision-unknown', `${named} is ambiguous: ${meaning.problem}`, meaning.hint);
    const tip = meaning && oid(git.ask(commitOf(meaning.exact)));
    if (tip === undefined)
      return this.#lacks(`this clone has no commit ${named}`, `no commit ${named} in this repository`, SHOWN);
    const commit = branched ? oid(git.ask(mergeBase(tip, 'HEAD'))) : tip;
    if (commit !== undefined) return { commit };
    // Two histories, or only a part of one.
    const apart = `${named} and HEAD have no commit in common`;
    return this.#lacks(`${apart} in this clone`, apart, `name the commit itself: ${named}`);
  }

  /** A commit that is not there: the clone may be shallow, or git may not read the repository at all. */
  #lacks(inShallow: string, message: string, hint: string) {
    const shallow = this.isShallow();
    if (typeof shallow === 'object') {
      const unread = `git cannot read the repository: ${shallow.problem}`;
      return failed('no-repository', unread, 'run `git status` in the project directory');
    }
    return shallow
      ? failed('revision-unknown', `${inShallow}: it is shallow`, DEEPEN)
      : failed('revision-unknown', message, hint);
  }
}

/** What to do if git cannot list commits or their files. */
export const LIST =
  'run `git log` in the project directory; in a partial clone, fetch the history: git fetch --refetch --no-filter';
/** What to do about a shallow clone. */
export const DEEPEN = 'fetch the history: git fetch --unshallow, or fetch-depth: 0 in a workflow';

/**
 * The project in a commit, compiled like the one on disk. `request` says where the project is and which environment to use.
 * Places of diagnostics have the form `REV:path`, places in the desired state do not.
 */
export async function readProjectAt(revision: Revision, request: CompileRequest): Promise<Project> {
  const { name, commit, tree, projectFile } = revision;
  if (lacksProject(revision)) {
    const message = `${projectFile} does not exist at ${name} (${commit.slice(0, 7)})`;
    return noProject([problem('no-project-file', message, LATER)]);
  }
  const project = await compileProject(tree, { ...request, projectFile });
  const { diagnostics, sources } = project;
  return {
    ...project,
    diagnostics: diagnostics.map((diagnostic) => {
      const { location } = diagnostic;
      if (location === undefined) return diagnostic;
      return { ...diagnostic, location: { ...location, file: `${name}:${location.file}` } };
    }),
    sources: new Map([...sources.keys()].map((file) => [`${name}:${file}`, sources.get(file) ?? ''])),
  };
}

const LATER =
  'name a revision that has the project, in one file; in CI, start the apply by hand for all differences';

function projectNameIn(source: Source): string | undefined {
  return readManifests(source).manifests.find(({ kindName }) => kindName === 'Project')?.name;
}

function isNamedOtherwise(name: string | undefined, names: readonly string[]): boolean {
  return name !== undefined && !names.includes(name);
}

function lacksProject({ tree, projectFile }: Revision): boolean {
  const standing = tree.find(projectFile);
  return standing.type === 'broken' && standing.missing;
}

function oid(answer: GitAnswer): string | undefined {
  const text = answer.ok ? answer.text.trim() : '';
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

function failed(...said: Parameters<typeof problem>): { diagnostic: Diagnostic } {
  return { diagnostic: problem(...said) };
}
