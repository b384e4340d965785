import type { Stats } from 'node:fs';

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** Who runs the program. */
interface User {
  readonly uid: number;
  readonly name: string;
  /** Under `sudo`, who called it; as git does it, only where the program runs as root. */
  readonly sudoUid?: number;
}

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/**
 * Why a file or folder cannot be the user's own word; undefined where it can. It is that of the user, of root, or under `sudo` of
 * who called it, and nobody else may write it. Its group may where that is root's or nobody but the owner is in it: with umask 002,
 * as many systems have it, every user has such a group. `groups` is the text of /etc/group, asked for when it is needed.
 */
export function whyNotOurs({ uid, gid, mode }: Owned, user: User, groups: () => string): string | undefined {
  if (isStranger(uid, user)) return `belongs to another user (uid ${uid})`;
  if ((mode & OTHERS_WRITE) !== 0) return 'can be written by every user of this machine';
  if ((mode & GROUP_WRITES) === 0 || gid === ROOT || isPrivate(gid, uid, user, groups())) return undefined;
  return `can be written by other users of its group (gid ${gid})`;
}

/**
 * Whether others than the user and root may read or write a file that holds a secret. A Secret of Kubernetes belongs to root, and the
 * group of the pod, which nobody else is in, may read it: the user cannot give it other rights.
 */
export function othersMayUse({ uid, gid, mode }: Owned, user: User, groups: () => string): boolean {
  if ((mode & 0o077) === 0) return false;
  const ofPod = uid === ROOT && user.uid !== ROOT && (mode & 0o037) === 0;
  return !ofPod || !isPrivate(gid, user.uid, user, groups());
}

/** True for a user who is neither the one that runs the program nor root nor, under `sudo`, who called it. */
export function isStranger(uid: number, user: User): boolean {
  return uid !== ROOT && uid !== user.uid && uid !== user.sudoUid;
}

/** The group of one user: it has his number or his name, and no other members. Those who have it as their first are not listed. */
function isPrivate(gid: number, uid: number, { name: user }: User, groups: string): boolean {
  const lines = groups.split('\n').map((line) => line.split(':'));
  const [name, , , members = ''] = lines.find((fields) => fields[2] === String(gid)) ?? [];
  const others = members.split(',').filter((member) => member !== '' && member !== user);
  return others.length === 0 && (gid === uid || name === user);
}

/**
 * The user of the process; undefined on Windows, where files have other rights. `env` holds SUDO_UID.
 * `process.geteuid`: rights go by the effective user, as they do for git.
 */
export function userOf(
  env: Readonly<Record<string, string | undefined>>,
  name: () => string,
  uid = process.geteuid?.(),
): User | undefined {
  if (uid === undefined) return undefined;
  const sudo = /^[0-9]{1,10}$/.test(env.SUDO_UID ?? '') && uid === ROOT ? Number(env.SUDO_UID) : undefined;
  return { uid, name: name(), ...(sudo === undefined ? {} : { sudoUid: sudo }) };
}
