import { createReadStream, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Diagnostic, Texts } from '../diagnostics/diagnostic.ts';
import { idOf, startId } from './blobs.ts';
import { Door } from './door/door.ts';
import { type Git, openGit } from './git.ts';
import {
  commitCount,
  commits,
  filesOfCommit,
  indexEntries,
  MODES,
  type TreeEntry,
  treeEntries,
} from './git-commands.ts';
import type { Environment } from './git-program.ts';
import { openRepository, type ProjectDir, Repository } from './revision.ts';

export interface GitState {
  /** null without git, outside a repository, before the first commit, or if git is refused. */
  readonly commit: string | null;
  /** Files below the project directory differ from the commit, or it does not hold every text that was read. */
  readonly dirty: boolean;
  /**
   * How many commits there are up to `commit`, merged ones too: more than up to any of its ancestors. Undefined in a shallow clone,
   * and where git does not say.
   */
  readonly number: number | undefined;
}

/**
 * Commit and cleanliness of the project directory, from the `git` program. `read`: the texts that were read there. Other
 * files that no commit has, such as what jobs left, say nothing about it. Never fails.
 */
export async function readGit(at: ProjectDir, env: Environment, read: Texts = new Map()): Promise<GitState> {
  const opened = openRepository(at, env);
  if ('diagnostic' in opened) return { commit: null, dirty: false, number: undefined };
  const { repository } = opened;
  repository.blobs.learn(read.values());
  const commit = (await repository.head()) ?? null;
  const { inside } = repository.git.place;
  const texts = [...read.keys()].map((name) => [posix.join(inside, name), read.get(name) ?? ''] as const);
  const [number, dirty] = await Promise.all([
    commit === null ? undefined : numberOf(commit, repository),
    differsFrom(commit, repository, texts),
  ]);
  return { commit, dirty, number };
}

const MOST_SUBJECTS = 20;

/**
 * Authors and subjects of the commits from `base` to `commit`, the newest first, at most 20; of the commit alone if the base is no full
 * hash. Never fails.
 */
export async function toldCommits(
  commit: string,
  base: string | null,
  projectDir: string,
  env: Environment,
): Promise<readonly { readonly author: string; readonly subject: string }[]> {
  const opened = openGit(projectDir, env);
  if (!('git' in opened)) return [];
  const since = /^[0-9a-f]{40,64}$/.test(base ?? '');
  const which = since ? [`--max-count=${MOST_SUBJECTS}`, `${base}..${commit}`] : ['--max-count=1', commit];
  const answer = await opened.git.askSoon(commits(which, undefined, '%an%x09%s'));
  const text = answer.ok ? answer.stdout.toString('utf8') : '';
  const lines = text.matchAll(/^(?!commit )[0-9a-f]+ [0-9a-f]+ \S+ ([^\t\n]*)\t(.*)$/gm);
  return [...lines].map(([, author = '', subject = '']) => ({ author, subject }));
}

/** Commits of a shallow clone cannot be counted. */
async function numberOf(commit: string, repository: Repository): Promise<number | undefined> {
  if (repository.isShallow() !== false) return undefined;
  const counted = await repository.git.askSoon(commitCount(commit));
  return counted.ok ? Number(counted.text) : undefined;
}

/** The warning that there is a repository but git could not be asked. Otherwise empty. */
export function gitRefusal(place: ProjectDir, env: Environment): readonly Diagnostic[] {
  const opened = openRepository(place, env);
  if (!('diagnostic' in opened) || opened.diagnostic.code !== 'git-refused') return [];
  return [{ ...opened.diagnostic, severity: 'warning' }];
}

/** A file in the index, and the file data that the index stored when both were last equal. */
interface Indexed {
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The file is excluded by a sparse checkout. */
  readonly absent: boolean;
}

type ReadText = readonly [path: string, text: string];

type Index = ReadonlyMap<string, Indexed | undefined>;

/** After this many files, other work gets a turn. */
const AT_A_TIME = 500;

/**
 * Whether the files below the project directory differ from a commit (null: from no files at all). Also true if git cannot
 * tell, or if the commit does not hold one of the texts `read`, by their paths from the top: HEAD or the file may have changed since
 * they were read. `git status` is not used because it runs the filters of .gitattributes. Instead, a file whose data in the index is current counts as unchanged, as in git. Any other file is
 * hashed. Bytes that differ only by CRLF count as equal, and so does the executable bit. A submodule that is checked out counts as
 * the files of the commit that it has here.
 */
async function differsFrom(
  commit: string | null,
  clone: Repository,
  read: readonly ReadText[],
): Promise<boolean> {
  const { git } = clone;
  const { top, inside } = git.place;
  const { written = 0, files } = clone.index();
  const listed = commit === null ? undefined : await git.askSoon(filesOfCommit(commit, inside));
  const here = await files;
  if (listed?.ok === false || !here.ok) return true;
  const committed = treeEntries(listed?.text ?? '');
  const index = indexOf(here.text);
  const entries = new Map(committed.map((entry) => [entry.path, entry]));
  const modules = committed.filter(({ mode }) => mode === MODES.submodule).map(({ path }) => `${path}/`);
  const isKnown = (path: string) =>
    modules.some((module) => path.startsWith(module)) ||
    (entries.get(path)?.mode ?? MODES.link) !== MODES.link;
  const found = read.map(([path, text]) => [isKnown(path) ? path : behindLinks(top, path), text] as const);
  if (!found.every(([path, text]) => isKnown(path) && isText(text, entries.get(path)?.hash))) return true;
  const disk = { top, door: new Door(top), written };
  for (const [count, file] of committed.entries()) {
    if (count % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
    const isEqual =
      file.mode === MODES.submodule
        ? index.has(file.path) && (await isSubmoduleSame(git, file, found))
        : await isSame(disk, file, index.get(file.path));
    if (!isEqual) return true;
  }
  return false;
}

interface Disk {
  readonly top: string;
  readonly door: Door;
  /** When the index was written. */
  readonly written: number;
}

/** Whether a file with this hash, undefined for one of a submodule, has a text that was read without its byte order mark. */
function isText(text: string, hash: string | undefined): boolean {
  const texts = [text, text.replaceAll('\r\n', '\n')].flatMap((lines) => [lines, `\ufeff${lines}`]);
  return hash === undefined || texts.some((each) => idOf(Buffer.from(each), hash) === hash);
}

/** The path of a file from the top with every link followed. The same path if it is gone. */
function behindLinks(top: string, path: string): string {
  try {
    return relative(realpathSync(top), realpathSync(join(top, path))).replaceAll(sep, '/');
  } catch {
    return path;
  }
}

/** A submodule that the index has and that is not checked out has no difference, unless files there were read. */
async function isSubmoduleSame(
  git: Git,
  { path, hash }: TreeEntry,
  read: readonly ReadText[],
): Promise<boolean> {
  const submodule = git.submodule(path);
  const there = read
    .filter(([file]) => file.startsWith(`${path}/`))
    .map(([file, text]) => [file.slice(path.length + 1), text] as const);
  if (submodule === undefined) return there.length === 0;
  return !(await differsFrom(hash, new Repository(submodule), there));
}

async function isSame(disk: Disk, file: TreeEntry, indexed: Indexed | undefined): Promise<boolean> {
  const path = join(disk.top, file.path);
  const stat = lookAt(path);
  if (stat === undefined) return indexed?.absent === true;
  if (stat.isSymbolicLink()) {
    return file.mode === MODES.link && idOf(readlinkSync(path, 'buffer'), file.hash) === file.hash;
  }
  // Windows writes a link as a file that contains its target.
  if (!stat.isFile() || (file.mode === MODES.link && process.platform !== 'win32')) return false;
  // A file that was written in the same moment as the index may have changed after the index stored its data.
  const noted = indexed !== undefined && indexed.hash === file.hash && stat.mtimeMs < disk.written;
  if (noted && stat.mtimeMs === indexed.mtimeMs && stat.size === indexed.size) return true;
  try {
    return await holds(disk, file, stat.size);
  } catch {
    // An unreadable file cannot be proven equal.
    return false;
  }
}

async function holds({ top, door }: Disk, { path, hash }: TreeEntry, size: number): Promise<boolean> {
  const read = door.read(path);
  if (read.type === 'read') {
    if (idOf(read.bytes, hash) === hash) return true;
    const { bytes } = read;
    const plain = bytes.filter((byte, at) => byte !== CR || bytes[at + 1] !== LF);
    return plain.length < bytes.length && idOf(plain, hash) === hash;
  }
  if (read.type !== 'too-large') return false;
  const sum = startId('blob', size, hash);
  for await (const chunk of createReadStream(join(top, path))) sum.update(chunk);
  return sum.digest('hex') === hash;
}

const CR = 13;
const LF = 10;

/** Undefined if the file is missing or must not be read. It then counts as different from the commit. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The git manual says that this format may change. If it does, all files are hashed. */
const NOTE = /^ {2}ctime: .*\n {2}mtime: (\d+):(\d+)\n(?: {2}.*\n)*? {2}size: (\d+)\tflags: ([0-9a-f]+)\n/;
const SKIP_WORKTREE = 0x40000000;

function indexOf(listing: string): Index {
  return new Map(
    indexEntries(listing).map(({ path, hash, data }) => {
      const [, seconds, nanoseconds, size, flags = '0'] = NOTE.exec(data) ?? [];
      if (seconds === undefined) return [path, undefined];
      // Computed as Node does it from the same two numbers.
      const mtimeMs = Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
      const absent = (Number.parseInt(flags, 16) & SKIP_WORKTREE) !== 0;
      return [path, { hash, mtimeMs, size: Number(size), absent }];
    }),
  );
}
