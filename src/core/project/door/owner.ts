import type { Stats } from 'node:fs';

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** The user who runs the program. */
interface User {
  readonly uid: number;
  readonly name: string;
  /** Under `sudo`, the user who called it. As in git, only if the program runs as root. */
  readonly sudoUid?: number;
}

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/**
 * Why somebody else may have written a file or folder; undefined if nobody else can have. The owner must be the user, root or
 * the caller of `sudo`, and nobody else may have write permission. Its group may, if the group is root's or has no other member
 * than the owner: with umask 002, the default on many systems, every user has such a group. `groups` returns the text of
 * /etc/group on demand.
 */
export function whyNotOurs({ uid, gid, mode }: Owned, user: User, groups: () => string): string | undefined {
  if (isStranger(uid, user)) return `belongs to another user (uid ${uid})`;
  if ((mode & OTHERS_WRITE) !== 0) return 'can be written by every user of this machine';
  if ((mode & GROUP_WRITES) === 0 || gid === ROOT || isPrivate(gid, uid, user, groups())) return undefined;
  return `can be written by other users of its group (gid ${gid})`;
}

/**
 * Whether anybody but the user and root may read or write a file with a secret. A Secret of Kubernetes belongs to root, and the
 * group of the pod may read it. Nobody else is in that group, and the user cannot change the permissions.
 */
export function othersMayUse({ uid, gid, mode }: Owned, user: User, groups: () => string): boolean {
  if ((mode & 0o077) === 0) return false;
  const ofPod = uid === ROOT && user.uid !== ROOT && (mode & 0o037) === 0;
  return !ofPod || !isPrivate(gid, user.uid, user, groups());
}

/** True for a user who neither runs the program, nor is root, nor called `sudo`. */
export function isStranger(uid: number, user: User): boolean {
  return uid !== ROOT && uid !== user.uid && uid !== user.sudoUid;
}

/**
 * The group of a single user: it has the user's number or name, and no other members. /etc/group does not list users who have
 * it as their primary group.
 */
function isPrivate(gid: number, uid: number, { name: user }: User, groups: string): boolean {
  const lines = groups.split('\n').map((line) => line.split(':'));
  const [name, , , members = ''] = lines.find((fields) => fields[2] === String(gid)) ?? [];
  const others = members.split(',').filter((member) => member !== '' && member !== user);
  return others.length === 0 && (gid === uid || name === user);
}

/**
 * The user of the process. Undefined on Windows, which has other file permissions. `env` holds SUDO_UID. As in git, the
 * effective user counts (`process.geteuid`).
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
