import type { Change, Field } from '../../model/generated/plan.ts';
import type { LiveNamed, LiveTask } from '../../model/resource.ts';
import type { PastState } from '../../plan/history/past-state.ts';
import { type MarkedTask, markedTask } from '../../plan/task/task-context.ts';
import { type Case, contentOf, STATE } from './case.ts';
import { AdditionSearch, ContentSearch } from './commit-search.ts';
import { missingText, orphanText, pendingText, pruneText, REPLACING, removalText } from './item-texts.ts';
import { driftField, itemOf } from './items.ts';
import { presentCase } from './present-task.ts';

/** The live resources by id, and the current git state. */
export interface DriftView {
  readonly head: PastState;
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly named: ReadonlyMap<string, LiveNamed>;
}

/** Undefined if the change is no drift, but only an outdated mark in the remark. */
export function caseOf(change: Change, view: DriftView): Case | undefined {
  const id = String(change.former?.id ?? '');
  const named = view.named.get(id);
  const live = view.tasks.get(id);
  if (change.blocked !== null && change.reason === 'conflict') return conflict(change, view);
  if (change.reason === 'removal' || change.reason === 'released') return unwanted(change, live);
  if (named !== undefined) return namedCase(change, named);
  if (live === undefined) return missing(change);
  if (change.reason === 'replacement-in-progress') return replacing(change, view);
  const subject = markedTask(live);
  if (change.reason === 'not-in-manifests') return orphan(change, subject);
  const desired = view.head.taskAt(change.address);
  return desired === undefined ? undefined : presentCase(change, desired, subject, view.head);
}

function conflict(change: Change, { tasks }: DriftView): Case {
  const text = change.blocked?.text ?? '';
  const running = (change.blocked?.ids ?? []).some((id) => tasks.get(id)?.is_active === true);
  const item = { ...itemOf(change, undefined, { class: 'conflict', text }), running };
  return { searches: [], conclude: () => [item] };
}

/** A Removal names it. The commit that added the Removal is shown if it can be found. */
function unwanted(change: Change, live: LiveTask | undefined): Case {
  const search = new AdditionSearch((past) => past.removes(change.address));
  return {
    searches: [search],
    conclude: (reach) => {
      const added = search.added(reach === 'all');
      const text = removalText(change, added);
      return [itemOf(change, live, { class: 'pending', text, moved_on: added ?? null })];
    },
  };
}

function missing(change: Change): Case {
  const search = new AdditionSearch((past) => past.names(change.address));
  return {
    searches: [search],
    conclude: (reach) => {
      const added = search.added(reach === 'all');
      const text = missingText(added, change.blocked);
      return [itemOf(change, undefined, { class: 'missing', text, commit: added ?? null })];
    },
  };
}

function replacing(change: Change, { tasks }: DriftView): Case {
  const live = tasks.get(String(change.former?.id ?? ''));
  const next = tasks.get(String(change.successor?.id ?? ''));
  const fields = change.fields.map((item) => driftField(item, undefined));
  const running = live?.is_active === true || next?.is_active === true;
  const item = itemOf(change, live, { class: 'interrupted', text: REPLACING, fields, running });
  return { searches: [], conclude: () => [item] };
}

/** An existing template or label: git moved on, or somebody changed it. */
function namedCase(change: Change, live: LiveNamed): Case {
  const open = change.fields.filter(({ legacy }) => legacy !== true);
  const search = new ContentSearch(
    open.map(({ path }) => path),
    (past) => past.compareNamed(live),
  );
  return {
    searches: [search],
    conclude: (reach) => {
      const fields = open.map((item) => driftField(item, search.field(item.path)));
      const item = itemOf(change, undefined, contentOf(search, fields, reach));
      return [{ ...item, updated_at: 'updated_at' in live ? live.updated_at : null }];
    },
  };
}

/** An owned task without a manifest. Pending if a commit describes it as it is. */
function orphan(change: Change, subject: MarkedTask): Case {
  const name = subject.marker?.name ?? change.name;
  const names = [name];
  const search = new ContentSearch([STATE], (past) => past.compareTask(subject, names, []));
  return {
    searches: [search],
    conclude: (reach) => {
      const { whole, named } = search;
      const does = pruneText(change);
      if (whole !== undefined) {
        const said = { class: 'pending' as const, text: `${pendingText(whole)} ${does}` };
        return [itemOf(change, subject.task, { ...said, commit: whole.commit, moved_on: whole.movedOn })];
      }
      const fields = (named?.fields ?? []).map((item) =>
        driftField(withoutOrigin(item), undefined, named?.secrets),
      );
      const text = `${orphanText(reach, named)} ${does}`;
      return [itemOf(change, subject.task, { class: 'changed', text, fields })];
    },
  };
}

/** The place of a field belongs to an earlier commit. */
function withoutOrigin({ origin: _, ...item }: Field): Field {
  return item;
}
