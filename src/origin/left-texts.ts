import type { VersionPlace } from './tracks.ts';
import type { MadeBy } from './verdict.ts';

/** Why a difference is left on the service. */

export const NOT_OF_THIS_CHANGE = 'not part of this change: the base and git want the same';
export const STOPPED_OUTSIDE = 'somebody stopped it; only stopped_tasks: resume starts it';
export const MIXED_START = 'it would start with values that git does not have';
export const LEFT_STARTED = 'somebody started it; an interrupted apply is finished, and it runs on';

export const LEFT_BY: Readonly<Record<Exclude<MadeBy, 'git'>, string>> = {
  person: 'changed on the service since the last apply',
  both: 'changed in git and on the service since the last apply',
  unknown: 'nobody knows who changed it',
};

export const LEFT_ENVIRONMENT =
  'its value comes from the environment: nobody can tell whether that or somebody changed it';

const NEWEST = 'If this is the newest commit of the branch: an apply without --only writes what git wants.';
const ALL = 'An apply without --only writes what git wants.';

export const LEFT_UNKNOWN: Readonly<Record<Exclude<VersionPlace, 'current' | 'earlier'>, string>> = {
  newer: `It was written from a newer commit than this one, or from another history. Nothing is done to it. ${NEWEST}`,
  unknown: `It was written from a commit that is not in this history. Nothing is done to it. ${ALL}`,
  none: `Its marker has no version, so nobody knows what was applied last. Nothing is done to it. ${ALL}`,
};

export const NO_BASE =
  'It was deleted on the service, or never created: only --base can tell. To create it, name the last commit that was applied with --base, or apply without --only.';
export const CREATED_BEFORE =
  'The base has it already, with the same target: somebody deleted it on the service. To create it, apply without --only.';
export const SUPERSEDED = `A newer commit than this one was applied already, or another history was: it may want this otherwise. ${NEWEST}`;
export const BEHIND =
  'Another task of this project has its target, and nobody knows whether that is the same task under another name.';
export const REMOVED_NO_BASE = 'Somebody created it again, or it was not deleted yet: only --base can tell.';
export const REMOVED_BEFORE = 'The base has the same Removal: somebody created it again.';
export const ADOPTED_BEFORE =
  'Git named it before: somebody removed its marker, and an apply would overwrite what somebody changed.';
export const ADOPTED_NO_BASE =
  'Somebody removed its marker, or git names it for the first time: only --base can tell.';
export const ORPHAN_CHANGED = 'Its manifest was removed, but somebody changed it since the last apply.';
export const ORPHAN_STARTED = 'Its manifest was removed, and somebody started it since.';
export const CONTRADICTS =
  'What git changed and what somebody changed on the service contradict each other: the service refuses them together.';
export const NOTE_TOO_LONG =
  'Somebody changed its note on the service, and the note leaves no room for the marker of a change. Shorten it there.';
export const PAIR_CHANGED =
  'An apply was interrupted while it replaced the task, and somebody changed the task that would be deleted.';
export const EARLIER_CHANGE =
  'Git changed it before this change, too, and that is not applied yet. Nothing is done to it. To apply both, use --only pending.';
export const REPLACED_CHANGED =
  'An apply would replace it, because git changed the target wallet, and the new task would lack what somebody changed on the service.';
