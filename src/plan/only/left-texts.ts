import { commitWords } from '../history/past-state.ts';
import type { Step } from './field-tracks.ts';

/** Why something is left as it is on the service. */

export const EDITED = 'changed on the service: no earlier commit has it so';
export const NOT_IN_BASE = 'the base does not have it';
export const NOT_OF_THIS_CHANGE = 'not of this change: the base wants it as git does now';
export const BOTH = 'changed by this change and on the service';
export const STOPPED_OUTSIDE = 'somebody stopped it; only stopped_tasks: resume asks for a start';
export const MIXED_START = 'it would start with values that git does not have';

export function setBack({ commit }: Step): string {
  return `git moved on with ${commitWords(commit)}, and it was written on the service since: somebody may have set it back`;
}

export const CREATED_BEFORE =
  'The base has it already: it was deleted on the service, or an apply could not create it.';
export const REMOVED_BEFORE =
  'The base has the same Removal: it was made anew, or an apply could not delete it.';
export const ADOPTED_BEFORE =
  'Git named it before: somebody may have taken its marker away, and what an apply would write may be what somebody changed.';
export const ORPHAN_CHANGED =
  'No manifest names it any more, and it is not as git had it: somebody changed it.';
export const REPLACED_CHANGED =
  'An apply would replace it, because git changed the target wallet, and the new task would not have what somebody changed.';
