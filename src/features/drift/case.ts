import type { DriftField } from '../../model/generated/drift.ts';
import type { CommitMatch, ContentSearch, Search } from './commit-search.ts';
import { changedText, pendingText, type Reach } from './item-texts.ts';
import type { RawItem, Said } from './items.ts';

/** One change of the plan, and the question to earlier commits that decides its class of drift. */
export interface Case {
  readonly searches: readonly Search[];
  conclude(reach: Reach): readonly RawItem[];
}

/** The field that stands for the switch of a task. */
export const STATE = 'state';

/**
 * The item for the fields that differ from git, including the switch if git may have changed it. The item is pending if earlier
 * commits explain all fields.
 */
export function contentOf(search: ContentSearch, fields: readonly DriftField[], reach: Reach): Said {
  const found = search.whole ?? accounted(search, fields);
  if (found !== undefined) {
    const { commit, movedOn } = found;
    return { class: 'pending', text: pendingText(found), fields: [...fields], commit, moved_on: movedOn };
  }
  const known = fields.every(({ class: kind }) => kind === 'pending');
  return { class: 'changed', text: changedText(reach, known), fields: [...fields] };
}

/**
 * The commit that explains the fields. One commit may explain the switch and another one the rest: then nobody changed either on
 * the service.
 */
function accounted(search: ContentSearch, fields: readonly DriftField[]): CommitMatch | undefined {
  const state = fields.find(({ path }) => path === STATE);
  if (state?.class === 'changed') return undefined;
  return fields.length === 1 && state !== undefined ? search.field(STATE) : search.content;
}
