import { posix } from 'node:path';
import type { Diagnostic, Texts } from '../diagnostics/diagnostic.ts';
import { Blobs } from './blobs.ts';
import { CommitTree } from './commit-tree.ts';
import { type Git, type GitUnavailable, openGit } from './git.ts';
import {
  commitOf,
  filesOfCommit,
  filesOfTree,
  folderOf,
  type GitAnswer,
  mergeBase,
  objectsWithPrefix,
  refsMatching,
  shallowness,
  typeAt,
} from './git-commands.ts';
import { type CompileRequest, compileProject, type Project } from './project.ts';
import { submodulesOf } from './submodules.ts';

interface OtherMeaning {
  readonly problem: string;
  readonly hint: string;
}

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
 * the tag. A name of capitals, such as FETCH_HEAD, is a file that git writes. `nothing`: no ref and no object has the name.
 */
function meaningOf(
  git: Git,
  revision: string,
): { readonly exact: string } | OtherMeaning | 'unreadable' | 'nothing' {
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
  if (!answer.ok) return 'unreadable';
  const found = answer.stdout.toString('utf8').split('\n');
  const refs = named.filter((ref) => found.includes(ref));
  const tag = `refs/tags/${name}`;
  const meanings =
    refs.length === 1 && refs[0] === tag ? [tag, ...found.filter((ref) => isOfRemote(ref, name))] : refs;
  if (meanings.length > 1) {
    const hint = `write the full name: ${meanings.find((ref) => ref !== tag)}`;
    return { problem: `it may be ${meanings.join(' or ')}`, hint };
  }
  const [ref] = meanings;
  const objects = SHORT_HASH.test(name) ? git.ask(objectsWithPrefix(name)) : undefined;
  const hashes = objects?.ok === true ? objects.stdout.toString('utf8').split('\n').filter(Boolean) : [];
  if (ref !== undefined && hashes.length > 0)
    return {
      problem: `it may be ${ref} or the beginning of a hash`,
      hint: `write ${ref}, or the whole hash`,
    };
  if (ref !== undefined) return exactly(ref);
  const [hash] = hashes;
  if (hash !== undefined) return hashes.length === 1 ? exactly(hash) : 'nothing';
  return OF_GIT.test(name) ? { exact: revision } : 'nothing';
}

function isOfRemote(ref: string, name: string): boolean {
  return ref === `refs/remotes/${ref.split('/')[2]}/${name}`;
}

/** A commit, and the files of the project directory in it. */
export interface Revision {
  /** The revision as requested. */
  readonly name: string;
  /** The full hash. */
  readonly commit: string;
  readonly tree: CommitTree;
  /** Files with one of these names anywhere in the repository, as paths from its top. Undefined if git cannot list them. */
  readonly filesNamed: (names: readonly string[]) => readonly string[] | undefined;
}

/** The repository of a project directory. */
export interface Repository {
  readonly git: Git;
  /** The contents that were read so far. */
  readonly blobs: Blobs;
  /** Whether the clone lacks earlier commits, or why git cannot say. git is asked once. */
  isShallow(): boolean | { readonly problem: string };
  /** The full hash of the commit that is checked out. Undefined if there is none. */
  head(): string | undefined;
  /**
   * The commit that a revision names: a branch, a tag, a hash, `HEAD~3`, `main@{yesterday}`. With three dots at the end
   * (`main...`): the merge base with HEAD.
   */
  revision(name: string): { readonly revision: Revision } | { readonly diagnostic: Diagnostic };
}

type Environment = Readonly<Record<string, string | undefined>>;

const SHOWN =
  'write a branch, a tag or a commit: main, v1.4, HEAD~3; main... is the commit where HEAD left main';
const MERGE_BASE = '...';

/** Opens the repository of a project directory. Only reads, works offline, and runs no program but git. */
export function openRepository(
  projectDir: string,
  env: Environment,
): { readonly repository: Repository } | { readonly diagnostic: Diagnostic } {
  const opened = openGit(projectDir, env);
  if (!('git' in opened)) return { diagnostic: notOpened(opened) };
  const { git } = opened;
  const { inside } = git.place;
  const blobs = new Blobs(git);
  const submodules = submodulesOf(git);
  let shallow: ReturnType<Repository['isShallow']> | undefined;
  const isShallow = () => {
    shallow ??= shallowOf(git.ask(shallowness));
    return shallow;
  };
  return {
    repository: {
      git,
      blobs,
      isShallow,
      head: () => oid(git.ask(commitOf('HEAD'))),
      revision(name) {
        const branched = name.endsWith(MERGE_BASE);
        const named = branched ? name.slice(0, -MERGE_BASE.length) : name;
        if (named === '' || named.startsWith('-') || /\p{Cc}/u.test(named))
          return failed('invalid-option', `${JSON.stringify(name)} is not a git revision`, SHOWN);
        const meaning = meaningOf(git, named);
        if (meaning === 'unreadable' || meaning === 'nothing')
          return notFound(isShallow(), (shallow) => unknown(named, shallow));
        if ('problem' in meaning)
          return failed('revision-unknown', `${named} is ambiguous: ${meaning.problem}`, meaning.hint);
        const tip = oid(git.ask(commitOf(meaning.exact)));
        if (tip === undefined) return notFound(isShallow(), (shallow) => unknown(named, shallow));
        const commit = branched ? oid(git.ask(mergeBase(tip, 'HEAD'))) : tip;
        if (commit === undefined) return notFound(isShallow(), (shallow) => unrelated(named, shallow));
        const folder = inside === '' ? commit : oid(git.ask(folderOf(commit, inside)));
        const listed = folder === undefined ? undefined : git.ask(filesOfTree(folder));
        if (listed?.ok === false)
          return failed('revision-unknown', `${name} cannot be read: ${listed.problem}`, SHOWN);
        const tree = new CommitTree({
          // Without a listing the folder does not exist in that commit: the project was added later and has no files there.
          listing: listed?.stdout.toString('utf8') ?? '',
          blobs,
          inside,
          isFolder: (path) => isFolder(git.ask(typeAt(commit, path))),
          submodules,
        });
        const filesNamed = (names: readonly string[]) => {
          const all = git.ask(filesOfCommit(commit, ''));
          return all.ok
            ? pathsIn(all.stdout).filter((path) => names.includes(posix.basename(path)))
            : undefined;
        };
        return { revision: { name, commit, tree, filesNamed } };
      },
    },
  };
}

/**
 * The project in a commit, compiled like the one on disk. `request` says where the project is and which environment to use.
 * Places of diagnostics have the form `REV:path`, places in the desired state do not.
 */
export async function readProjectAt(revision: Revision, request: CompileRequest): Promise<Project> {
  const { name, commit, tree } = revision;
  const { projectFile } = request;
  const standing = tree.find(projectFile);
  if (standing.type === 'broken' && standing.missing) {
    const message = `${projectFile} does not exist at ${name} (${commit.slice(0, 7)})`;
    const hint = 'the project was added or moved later; name a later revision';
    return {
      diagnostics: [{ severity: 'error', code: 'no-project-file', message, hint }],
      sources: new Map(),
      manifests: () => [],
      kinds: new Map(),
      wallets: new Map(),
      environment: new Map(),
    };
  }
  const project = await compileProject(tree, request);
  return {
    ...project,
    diagnostics: project.diagnostics.map((diagnostic) => {
      const { location } = diagnostic;
      if (location === undefined) return diagnostic;
      return { ...diagnostic, location: { ...location, file: `${name}:${location.file}` } };
    }),
    sources: calledBy(name, project.sources),
  };
}

function calledBy(revision: string, texts: Texts): Texts {
  const files = new Map([...texts.keys()].map((file) => [`${revision}:${file}`, file]));
  return {
    get: (name) => texts.get(files.get(name) ?? ''),
    has: (name) => files.has(name),
    keys: () => files.keys(),
  };
}

function oid(answer: GitAnswer): string | undefined {
  const text = answer.ok ? answer.stdout.toString('latin1').trim() : '';
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

function shallowOf(answer: GitAnswer): boolean | { readonly problem: string } {
  return answer.ok ? answer.stdout.toString('latin1').trim() === 'true' : { problem: answer.problem };
}

function pathsIn(listing: Buffer): readonly string[] {
  return listing
    .toString('utf8')
    .split('\0')
    .map((line) => line.slice(line.indexOf('\t') + 1));
}

function isFolder(answer: GitAnswer): boolean | undefined {
  return answer.ok ? answer.stdout.toString('latin1').trim() === 'tree' : undefined;
}

function failed(code: Diagnostic['code'], message: string, hint: string): { diagnostic: Diagnostic } {
  return { diagnostic: { severity: 'error', code, message, hint } };
}

/** A commit that is not there: the clone may be shallow, or git may not read the repository at all. */
function notFound(
  shallow: ReturnType<Repository['isShallow']>,
  otherwise: (shallow: boolean) => { diagnostic: Diagnostic },
) {
  if (typeof shallow === 'boolean') return otherwise(shallow);
  const message = `git cannot read the repository: ${shallow.problem}`;
  return failed('no-repository', message, 'run `git status` in the project directory');
}

const DEEPEN = 'fetch the history first: git fetch --unshallow, or fetch-depth: 0 in a workflow';

function unknown(name: string, shallow: boolean): { diagnostic: Diagnostic } {
  return shallow
    ? failed('revision-unknown', `this clone has no commit ${name}: it is shallow`, DEEPEN)
    : failed('revision-unknown', `no commit ${name} in this repository`, SHOWN);
}

/** There is no merge base: two histories, or only a part of one. */
function unrelated(name: string, shallow: boolean): { diagnostic: Diagnostic } {
  const message = `${name} and HEAD have no commit in common`;
  return shallow
    ? failed('revision-unknown', `${message} in this clone: it is shallow`, DEEPEN)
    : failed('revision-unknown', message, `name the commit itself: ${name}`);
}

function notOpened({ reason, problem, hint }: GitUnavailable): Diagnostic {
  return failed(reason === 'refused' ? 'git-refused' : 'no-repository', problem, hint).diagnostic;
}
