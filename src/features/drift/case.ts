import type { DriftField } from '../../model/generated/drift.ts';
import type { CommitMatch, ContentSearch, Search } from './commit-search.ts';
import { changedText, pendingText, type Reach } from './item-texts.ts';
import type { RawItem, Said } from './items.ts';

/** One change of the plan, and what earlier commits are asked to say which class of drift it is. */
export interface Case {
  readonly searches: readonly Search[];
  conclude(reach: Reach): readonly RawItem[];
}

/** The switch of a task among its fields. */
export const STATE = 'state';

/** The item of the fields that git wants otherwise, with the switch where git may have moved it: pending where earlier commits account for all. */
export function contentOf(search: ContentSearch, fields: readonly DriftField[], reach: Reach): Said {
  const found = search.whole ?? accounted(search, fields);
  if (found !== undefined) {
    const { commit, movedOn } = found;
    return { class: 'pending', text: pendingText(found), fields: [...fields], commit, moved_on: movedOn };
  }
  const known = fields.every(({ class: kind }) => kind === 'pending');
  return { class: 'changed', text: changedText(reach, known), fields: [...fields] };
}

/** The switch as one commit wants it, and the rest as another: still nobody touched either. */
function accounted(search: ContentSearch, fields: readonly DriftField[]): CommitMatch | undefined {
  const state = fields.find(({ path }) => path === STATE);
  if (state?.class === 'changed') return undefined;
  return fields.length === 1 && state !== undefined ? search.field(STATE) : search.content;
}
