import type { DesiredTask } from '../../desired/state.ts';
import { isArmedOrSettled } from '../../model/armed.ts';
import type { DriftField } from '../../model/generated/drift.ts';
import type { Change } from '../../model/generated/plan.ts';
import { isBuyOnce } from '../../model/resource.ts';
import type { PastState } from '../../plan/history/past-state.ts';
import { stateField } from '../../plan/task/change-in-place.ts';
import type { MarkedTask } from '../../plan/task/task-context.ts';
import { type Case, contentOf, STATE } from './case.ts';
import { AdditionSearch, ContentSearch } from './commit-search.ts';
import {
  ADOPTED,
  FINISH,
  FIRED,
  offText,
  pendingText,
  REARMED,
  STARTED_AGAIN,
  STOPPED_BY_SOMEBODY,
  startedText,
} from './item-texts.ts';
import { commitOrNull, driftField, itemOf, type RawItem, type Said } from './items.ts';

/**
 * The finding about the switch of a task. `asked`: git may have moved on, and earlier commits decide. `otherwise` is the class if
 * none of them explains it.
 */
type Switch =
  | { readonly type: 'as-wanted' }
  | { readonly type: 'stopped' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'asked'; readonly otherwise: 'started' | 'stopped' | 'changed' }
  /** Somebody started it on the service. It makes no difference whether an earlier commit wanted it to run. */
  | { readonly type: 'started' };

/** A task on the service that differs from git. Its switch and the rest are two findings. */
export function presentCase(
  change: Change,
  desired: DesiredTask,
  subject: MarkedTask,
  head: PastState,
): Case | undefined {
  if (subject.marker === undefined) return adoption(change, desired, subject);
  const position = switchOf(desired, subject, head);
  const content = change.fields.filter(({ path, legacy }) => path !== STATE && legacy !== true);
  if (position.type === 'as-wanted' && content.length === 0) return undefined;
  const names = [subject.marker.name, ...(desired.previousName === undefined ? [] : [desired.previousName])];
  const compare = (past: PastState) => past.compareTask(subject, names, desired.ignoreChanges);
  const paths = content.map(({ path }) => path);
  const search = new ContentSearch(position.type === 'asked' ? [STATE, ...paths] : paths, compare);
  const started = position.type === 'started' ? new ContentSearch([STATE], compare) : undefined;
  const searches = content.length === 0 && position.type !== 'asked' ? [] : [search];
  const state = stateField(desired, subject.task.is_active);
  return {
    searches: [...searches, ...(started === undefined ? [] : [started])],
    conclude: (reach) => {
      const fields = content.map((item) => driftField(item, search.field(item.path)));
      const say = (said: Said) =>
        itemOf(change, subject.task, { ...said, text: said.text + blockedText(change) });
      const rest = (more: readonly DriftField[] = []) => {
        const all = [...more, ...fields];
        return all.length === 0 ? [] : [say(contentOf(search, all, reach))];
      };
      switch (position.type) {
        case 'as-wanted':
          return rest();
        case 'stopped': {
          const again = change.starts_trading;
          const text = again ? STARTED_AGAIN : stoppedText(subject);
          return [say({ class: 'stopped', text, fields: [driftField(state, undefined)] }), ...rest()];
        }
        case 'started': {
          const wanted = started?.field(STATE);
          const said = {
            text: startedText(wanted),
            fields: [driftField(state, wanted)],
            commit: commitOrNull(wanted),
          };
          return [say({ class: 'started', ...said }), ...rest()];
        }
        case 'interrupted':
          return interrupted(say, driftField(state, search.content), fields, search, rest);
        case 'asked':
          return asked(say, driftField(state, search.field(STATE)), position.otherwise, rest);
      }
    },
  };
}

/** The table of DESIGN 3: who may have moved the switch. */
function switchOf(desired: DesiredTask, subject: MarkedTask, head: PastState): Switch {
  const plan = head.switchOf(desired, subject);
  switch (plan.type) {
    case 'held':
      return { type: 'stopped' };
    case 'finish':
      return { type: 'interrupted' };
    case 'start':
      // With a mark, the task ran and somebody stopped it. Without a mark, git had it paused.
      return { type: 'asked', otherwise: plan.reason === 'rearmed' ? 'stopped' : 'changed' };
    case 'stop':
      // A running task that tradeform started has a mark. Without a mark, somebody else started it.
      return isArmedOrSettled(subject.marker?.armed)
        ? { type: 'asked', otherwise: 'started' }
        : { type: 'started' };
    case 'run':
    case 'rest':
    case 'free':
      return { type: 'as-wanted' };
  }
}

type Say = (said: Said) => RawItem;
type Rest = (more?: readonly DriftField[]) => readonly RawItem[];

/**
 * An apply that failed between pause and patch left the config of an earlier commit. That difference belongs to the interruption.
 */
function interrupted(
  say: Say,
  state: DriftField,
  fields: readonly DriftField[],
  { content }: ContentSearch,
  rest: Rest,
): readonly RawItem[] {
  const item = { class: 'interrupted' as const, text: FINISH };
  if (fields.length > 0 && content === undefined) return [say({ ...item, fields: [state] }), ...rest()];
  const said = { commit: commitOrNull(content), moved_on: content?.movedOn ?? null };
  return [say({ ...item, ...said, fields: [state, ...fields] })];
}

function asked(
  say: Say,
  state: DriftField,
  otherwise: 'started' | 'stopped' | 'changed',
  rest: Rest,
): readonly RawItem[] {
  if (state.class === 'pending' || otherwise === 'changed') return rest([state]);
  const text = otherwise === 'started' ? startedText(undefined) : REARMED;
  return [say({ class: otherwise, text, fields: [state] }), ...rest()];
}

/** The task has no marker of this project: the marker was lost, or git has just begun to name the task by its id. */
function adoption(change: Change, desired: DesiredTask, subject: MarkedTask): Case {
  const { task } = subject;
  const given = change.reason === 'id-given';
  const search = new AdditionSearch((past) => past.adopts(task.id));
  const open = change.fields.filter(({ legacy }) => legacy !== true);
  const words = ADOPTED[given ? 'id-given' : change.reason === 'marker-lost' ? 'marker-lost' : 'target-held'];
  return {
    searches: given ? [search] : [],
    conclude: (reach) => {
      const added = search.added(reach === 'all');
      const { before } = search;
      const found =
        given && added !== undefined && before !== undefined
          ? { commit: before, movedOn: added, secrets: [] }
          : undefined;
      const fields = open.map((item) => driftField(item, found));
      const text = found === undefined ? words : `${words} ${pendingText(found)}`;
      const item = itemOf(change, task, {
        class: found === undefined ? 'changed' : 'pending',
        text,
        fields,
        commit: commitOrNull(found),
        moved_on: found?.movedOn ?? null,
      });
      if (desired.state !== 'active' || task.is_active) return [item];
      const state = driftField(stateField(desired, false), undefined);
      return [itemOf(change, task, { class: 'stopped', text: stoppedText(subject), fields: [state] }), item];
    },
  };
}

function stoppedText({ marker, task }: MarkedTask): string {
  const off = offText(marker?.armed);
  if (off !== undefined) return off;
  return isBuyOnce(task.config) ? FIRED : STOPPED_BY_SOMEBODY;
}

/** The sentence about a difference that an apply cannot resolve. */
function blockedText({ blocked }: Change): string {
  return blocked === null ? '' : ` An apply does nothing about it: ${blocked.text}`;
}
