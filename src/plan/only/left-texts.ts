import { commitWords } from '../history/past-state.ts';
import type { Step } from './field-tracks.ts';

/** Why a difference is left on the service. */

export const EDITED = 'changed on the service: no earlier commit has this value';
export const NOT_IN_BASE = 'the base has no manifest for this address';
export const NOT_OF_THIS_CHANGE = 'not part of this change: the base and git want the same';
export const BOTH = 'changed by this change and on the service';
export const STOPPED_OUTSIDE = 'somebody stopped it; only stopped_tasks: resume starts it';
export const MIXED_START = 'it would start with values that git does not have';

export function setBack({ commit }: Step): string {
  return `${commitWords(commit)} changed it in git, and it was written on the service since: somebody may have reverted it`;
}

export const CREATED_BEFORE =
  'The base has it already: somebody deleted it on the service, or an apply could not create it.';
export const REMOVED_BEFORE =
  'The base has the same Removal: somebody created it again, or an apply could not delete it.';
export const ADOPTED_BEFORE =
  'Git named it before: somebody may have removed its marker, and an apply might overwrite what somebody changed.';
export const ORPHAN_CHANGED =
  'Its manifest was removed, but it differs from what git had: somebody changed it.';
export const REPLACED_CHANGED =
  'An apply would replace it, because git changed the target wallet, and the new task would lack what somebody changed on the service.';
