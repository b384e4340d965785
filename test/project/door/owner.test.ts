import { expect, test } from 'vitest';
import { othersMayUse, userOf, whyNotOurs } from '../../../src/core/project/door/owner.ts';

const ALICE = { uid: 1000, name: 'alice' };
const ROOT = { uid: 0, name: 'root' };
const GROUPS =
  'root:x:0:\nstaff:x:20:root\ntraders:x:500:bob\nalice:x:1003:\ndave:x:1005:alice\n1000s:x:1000:\n';
const SHARED = 'alice:x:1000:bob\n';

const FOREIGN = expect.stringContaining('belongs to another user (uid 1001)');
const WORLD = expect.stringContaining('every user of this machine');
const GROUP = expect.stringContaining('other users of its group');

test.each([
  // Whose it is.
  [ALICE, { uid: 1000, gid: 1000, mode: 0o100644 }, GROUPS, undefined],
  [ALICE, { uid: 0, gid: 0, mode: 0o100644 }, GROUPS, undefined],
  [ALICE, { uid: 1001, gid: 1001, mode: 0o100644 }, GROUPS, FOREIGN],
  [ROOT, { uid: 1001, gid: 1001, mode: 0o100600 }, GROUPS, FOREIGN],
  [{ ...ROOT, sudoUid: 1001 }, { uid: 1001, gid: 1001, mode: 0o100644 }, GROUPS, undefined],
  [{ ...ROOT, sudoUid: 1000 }, { uid: 1001, gid: 1001, mode: 0o100644 }, GROUPS, FOREIGN],
  // Who may write it: /tmp is sticky, and everybody can put manifests into it.
  [ALICE, { uid: 1000, gid: 1000, mode: 0o100666 }, GROUPS, WORLD],
  [ALICE, { uid: 0, gid: 0, mode: 0o041777 }, GROUPS, WORLD],
  // umask 002, with a group of one's own: by number, by name, or unknown to the system.
  [ALICE, { uid: 1000, gid: 1000, mode: 0o100664 }, GROUPS, undefined],
  [ALICE, { uid: 1000, gid: 1003, mode: 0o100664 }, GROUPS, undefined],
  [ALICE, { uid: 1000, gid: 1000, mode: 0o100664 }, '', undefined],
  [ALICE, { uid: 1000, gid: 1000, mode: 0o100664 }, SHARED, GROUP],
  [ALICE, { uid: 1000, gid: 1005, mode: 0o100664 }, GROUPS, GROUP],
  [ALICE, { uid: 1000, gid: 500, mode: 0o042775 }, GROUPS, GROUP],
  [ALICE, { uid: 1000, gid: 20, mode: 0o040775 }, GROUPS, GROUP],
  [ALICE, { uid: 1000, gid: 500, mode: 0o042755 }, GROUPS, undefined],
  // Images whose files belong to the group of root, for any user of it.
  [{ uid: 1000660000, name: '' }, { uid: 0, gid: 0, mode: 0o040775 }, GROUPS, undefined],
])('%o of %o with %s', (user, thing, groups, expected) => {
  expect(whyNotOurs(thing, user, () => groups)).toEqual(expected);
});

test.each([
  [{ uid: 1000, gid: 1000, mode: 0o100600 }, GROUPS, false],
  [{ uid: 1000, gid: 1000, mode: 0o100644 }, GROUPS, true],
  [{ uid: 1000, gid: 1000, mode: 0o100602 }, GROUPS, true],
  [{ uid: 1000, gid: 1000, mode: 0o100640 }, GROUPS, true],
  // A Secret of Kubernetes: of root, and of the pod's group.
  [{ uid: 0, gid: 1000, mode: 0o100440 }, '', false],
  [{ uid: 0, gid: 1000, mode: 0o100440 }, SHARED, true],
  [{ uid: 0, gid: 1000, mode: 0o100444 }, '', true],
  [{ uid: 0, gid: 500, mode: 0o100440 }, '', true],
])('others may use %o with %s', (file, groups, expected) => {
  expect(othersMayUse(file, ALICE, () => groups)).toBe(expected);
});

test.each([
  [{ SUDO_UID: '1000' }, 0, { uid: 0, name: 'me', sudoUid: 1000 }],
  [{ SUDO_UID: '1001' }, 1000, { uid: 1000, name: 'me' }],
  [{ SUDO_UID: 'x' }, 0, { uid: 0, name: 'me' }],
  [{}, 1000, { uid: 1000, name: 'me' }],
])('%o as %s', (env, uid, expected) => {
  expect(userOf(env, () => 'me', uid)).toEqual(expected);
});
