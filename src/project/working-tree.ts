import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Door } from './door/door.ts';
import type { Git } from './git.ts';
import { filesHere, filesOfCommit, type GitCommand } from './git-commands.ts';

interface Committed {
  readonly path: string;
  readonly mode: string;
  readonly hash: string;
}

/** A file in the index, and the file data that the index stored when both were last equal. */
interface Indexed {
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The file is excluded by a sparse checkout. */
  readonly absent: boolean;
}

type Index = ReadonlyMap<string, Indexed | undefined>;

const LINK = '120000';
const SUBMODULE = '160000';
/** After this many files, other work gets a turn. */
const AT_A_TIME = 500;

/**
 * Whether the files below the project directory differ from a commit (null: from no files at all). Also true if git cannot
 * tell. `git status` is not used because it runs the filters of .gitattributes. Instead, a file whose data in the index is
 * current counts as unchanged, as in git. Any other file is hashed. Bytes that differ only by CRLF count as equal, and so does
 * the executable bit. A submodule that is checked out counts as the files of the commit that it has here.
 */
export async function differsFrom(commit: string | null, git: Git): Promise<boolean> {
  const { inside } = git.place;
  const texts = await Promise.all([
    commit === null ? '' : text(git, filesOfCommit(commit, inside)),
    text(git, filesHere(inside)),
  ]);
  const [listing, here] = texts;
  if (listing === undefined || here === undefined || here.startsWith(UNTRACKED)) return true;
  const committed = committedFiles(listing);
  const index = indexOf(here);
  const paths = new Set(committed.map(({ path }) => path));
  const { top, gitDir } = git.place;
  if ([...index.keys()].some((path) => !paths.has(path) && lookAt(join(top, path)) !== undefined))
    return true;
  const disk = { top, door: new Door(top), written: lookAt(join(gitDir, 'index'))?.mtimeMs ?? 0 };
  for (const [count, file] of committed.entries()) {
    if (count % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
    const isEqual =
      file.mode === SUBMODULE
        ? await isSubmoduleSame(git, file)
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

async function text(git: Git, command: GitCommand): Promise<string | undefined> {
  const answer = await git.askSoon(command);
  return answer.ok ? answer.stdout.toString('utf8') : undefined;
}

/** A submodule that is not checked out has no difference. */
async function isSubmoduleSame(git: Git, { path, hash }: Committed): Promise<boolean> {
  const submodule = git.submodule(path);
  return submodule === undefined || !(await differsFrom(hash, submodule));
}

async function isSame(disk: Disk, file: Committed, indexed: Indexed | undefined): Promise<boolean> {
  const path = join(disk.top, file.path);
  const stat = lookAt(path);
  if (stat === undefined) return indexed?.absent === true;
  if (stat.isSymbolicLink()) {
    return file.mode === LINK && idOf(readlinkSync(path, 'buffer'), file.hash) === file.hash;
  }
  // Windows writes a link as a file that contains its target.
  if (!stat.isFile() || (file.mode === LINK && process.platform !== 'win32')) return false;
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

async function holds({ top, door }: Disk, { path, hash }: Committed, size: number): Promise<boolean> {
  const read = door.read(path);
  if (read.type === 'read') {
    if (idOf(read.bytes, hash) === hash) return true;
    const plain = withoutCr(read.bytes);
    return plain.length < read.bytes.length && idOf(plain, hash) === hash;
  }
  if (read.type !== 'too-large') return false;
  const sum = begin(size, hash);
  for await (const chunk of createReadStream(join(top, path))) sum.update(chunk);
  return sum.digest('hex') === hash;
}

/** The git blob hash of these bytes, with the hash algorithm of `like`. */
function idOf(bytes: Uint8Array, like: string): string {
  return begin(bytes.length, like).update(bytes).digest('hex');
}

function begin(size: number, like: string) {
  return createHash(like.length === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`);
}

const CR = 13;
const LF = 10;

/** With each CRLF replaced by LF. */
function withoutCr(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => byte !== CR || bytes[at + 1] !== LF);
}

/** Undefined if the file is missing or must not be read. It then counts as different from the commit. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function committedFiles(listing: string): readonly Committed[] {
  return listing.split('\0').flatMap((line) => {
    const [, mode, hash, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined || hash === undefined || path === undefined ? [] : [{ mode, hash, path }];
  });
}

/** Before the path of a file that git does not know; such files come first. */
const UNTRACKED = '? ';
const ENTRY = /(?:^|\n)[A-Za-z] \d{6} ([0-9a-f]+) [0-3]\t(.+)$/s;
/** The git manual says that this format may change. If it does, all files are hashed. */
const NOTE = /^ {2}ctime: .*\n {2}mtime: (\d+):(\d+)\n(?: {2}.*\n)*? {2}size: (\d+)\tflags: ([0-9a-f]+)\n/;
const SKIP_WORKTREE = 0x40000000;

/** Each entry ends with NUL. The file data of an entry comes before the next entry. */
function indexOf(listing: string): Index {
  const index = new Map<string, Indexed | undefined>();
  const parts = listing.split('\0');
  for (const [at, part] of parts.entries()) {
    const [, hash, path] = ENTRY.exec(part) ?? [];
    if (hash === undefined || path === undefined) continue;
    const [, seconds, nanoseconds, size, flags] = NOTE.exec(parts[at + 1] ?? '') ?? [];
    const read = seconds !== undefined && nanoseconds !== undefined && size !== undefined;
    index.set(
      path,
      read
        ? {
            hash,
            // Computed as Node does it from the same two numbers.
            mtimeMs: Number(seconds) * 1000 + Number(nanoseconds) / 1e6,
            size: Number(size),
            absent: (Number.parseInt(flags ?? '0', 16) & SKIP_WORKTREE) !== 0,
          }
        : undefined,
    );
  }
  return index;
}
