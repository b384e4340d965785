import { isArmedOrSettled } from '../../model/armed.ts';
import type { DriftField } from '../../model/generated/drift.ts';
import { markerOf } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import type { MovedOn, Step } from '../../origin/tracks.ts';
import type { FieldVerdict, OriginView, TaskStanding, Verdict } from '../../origin/verdict.ts';
import { stateField } from '../../plan/task/change-in-place.ts';
import {
  ADOPTED,
  changedText,
  FINISH,
  FIRED,
  INTERRUPTED_START,
  missingText,
  offText,
  orphanText,
  pendingText,
  pruneText,
  REPLACED,
  REPLACING,
  type Reach,
  removalText,
  STARTED_AGAIN,
  STOPPED_BY_SOMEBODY,
  startedText,
  UNKNOWN_VERSION,
} from './item-texts.ts';
import { driftField, itemOf, type RawItem, type Said } from './items.ts';

const STATE = 'state';

/** What a verdict means as drift. Empty if only the marker is out of date. */
export function driftItemsOf(verdict: Verdict, view: OriginView, reach: Reach): readonly RawItem[] {
  const { change } = verdict;
  switch (verdict.type) {
    case 'conflict': {
      const running = (change.blocked?.ids ?? []).some((id) => view.tasks.get(id)?.is_active === true);
      return [
        { ...itemOf(change, undefined, { class: 'conflict', text: change.blocked?.text ?? '' }), running },
      ];
    }
    case 'missing': {
      const { added } = verdict;
      const text = missingText(added, change.blocked);
      return [itemOf(change, undefined, { class: 'missing', text, moved_on: added ?? null })];
    }
    case 'removal': {
      const { added, live } = verdict;
      const text = removalText(change, added);
      return [itemOf(change, live, { class: 'unknown', text, moved_on: added ?? null })];
    }
    case 'adoption':
      return adoption(verdict, view);
    case 'named': {
      const { live, base, fields } = verdict;
      if (fields.length === 0) return [];
      const said = contentOf(fields, verdict, base, changedText(reach), undefined);
      const updated_at = 'updated_at' in live ? live.updated_at : null;
      return [{ ...itemOf(change, undefined, said), updated_at }];
    }
    case 'orphan':
      return [orphan(verdict, reach)];
    case 'pair':
      return [replacing(verdict)];
    case 'present':
      return present(verdict, view, reach);
  }
}

/** An owned task without a manifest. Pending if it is as git described it when it was written last. */
function orphan({ change, halves, secrets }: Extract<Verdict, { type: 'orphan' }>, reach: Reach): RawItem {
  const task = halves.at(-1)?.task;
  const does = pruneText(change);
  const edited = halves.find((half) => half.edited);
  const unknown = halves.find(({ base }) => base === undefined);
  if (unknown !== undefined) {
    const text = `${orphanText(reach, undefined)} ${does}`;
    return itemOf(change, task, { class: 'unknown', text });
  }
  const base = (edited ?? halves.at(-1))?.base?.step;
  const text = `${orphanText(reach, base?.commit)} ${edited === undefined ? 'Nobody changed it since.' : 'It was changed on the service since.'} ${does}`;
  const commit = base?.commit ?? null;
  if (edited === undefined) return itemOf(change, task, { class: 'pending', text, commit });
  const fields = (edited.base?.compared.fields ?? []).map(({ origin: _, ...field }) =>
    driftField({ field, by: 'person', moved: [] }, secrets),
  );
  return itemOf(change, task, { class: 'changed', text, fields, commit });
}

function replacing({ change, former, next, fields, secrets }: Extract<Verdict, { type: 'pair' }>): RawItem {
  const running = former.task.is_active || next.task.is_active;
  const touched = [former, next].some(({ edited }) => edited);
  const text = touched ? `${REPLACING} ${REPLACED}` : REPLACING;
  const said = fields.map((field) => driftField(field, secrets));
  return itemOf(change, former.task, { class: 'interrupted', text, fields: said, running });
}

type Present = Extract<Verdict, { type: 'present' }>;

/** A task on the service that differs from git. Its switch and the rest are two findings. */
function present(verdict: Present, { head }: OriginView, reach: Reach): readonly RawItem[] {
  const { change, subject, standing, switched, startedBefore, secrets } = verdict;
  const { task, marker } = subject;
  const desired = head.taskAt(change.address);
  if (desired === undefined) return [];
  // Only git renames: nobody else decides about the name in a marker.
  const by = standing.base === undefined ? 'unknown' : 'git';
  const renamed = change.fields
    .filter(({ path }) => path === 'name' || path === 'project')
    .map((field): FieldVerdict => ({ field, by, moved: [] }));
  const content = [...renamed, ...verdict.fields.filter(({ field }) => field.path !== STATE)];
  const moves = verdict.fields.find(({ field }) => field.path === STATE);
  const state = driftField(
    moves ?? { field: stateField(desired, task.is_active), by: 'person', moved: [] },
    secrets,
  );
  const blocked = change.blocked === null ? '' : ` An apply does nothing about it: ${change.blocked.text}`;
  const say = (said: Said) => itemOf(change, task, { ...said, text: said.text + blocked });
  const base = standing.base?.step;
  const rest = (more: readonly FieldVerdict[] = []) => {
    const fields = [...more, ...content];
    return fields.length === 0
      ? []
      : [say(contentOf(fields, verdict, base, changedText(reach), unknownText(standing, reach)))];
  };
  switch (switched.type) {
    case 'held': {
      const text = change.starts_trading ? STARTED_AGAIN : stoppedText(task);
      return [say({ class: 'stopped', text, fields: [state] }), ...rest()];
    }
    case 'finish':
      return [say({ class: 'interrupted', text: FINISH, fields: [state] }), ...rest()];
    case 'start':
      return rest(moves === undefined ? [] : [moves]);
    case 'stop':
      if (moves?.by === 'git') return rest([moves]);
      // Without a mark somebody else started it, whatever the version says.
      if (moves?.by === 'unknown' && isArmedOrSettled(marker.armed)) return rest([moves]);
      return [say({ class: 'started', text: startedText(), fields: [state] }), ...rest()];
    case 'rest':
      if (!startedBefore) return rest();
      return [say({ class: 'interrupted', text: INTERRUPTED_START, fields: [] }), ...rest()];
    case 'run':
    case 'free':
      return rest();
  }
}

function unknownText({ place }: TaskStanding, reach: Reach): string | undefined {
  return place === 'current' || place === 'earlier' ? undefined : UNKNOWN_VERSION[place](reach);
}

/** The finding about fields: somebody changed one of them, nobody knows, or git moved on. */
function contentOf(
  fields: readonly FieldVerdict[],
  verdict: Verdict,
  base: Step | undefined,
  changed: string,
  unknown: string | undefined,
): Said {
  const { secrets } = verdict;
  const said = {
    fields: fields.map((field): DriftField => driftField(field, secrets)),
    commit: base?.commit ?? null,
    ...waiting(fields),
  };
  if (fields.some(({ by }) => by === 'person' || by === 'both'))
    return {
      class: 'changed',
      text: fields.some(({ by }) => by === 'both') ? `${changed} Git changed it, too.` : changed,
      ...said,
    };
  if (fields.some(({ by }) => by === 'unknown'))
    return { class: 'unknown', text: unknown ?? changed, ...said };
  const steps = stepsOf(fields);
  const number = 'subject' in verdict ? markerOf(verdict.subject.task)?.version?.number : undefined;
  const since = Math.min(...steps.map((step) => step.number ?? Infinity));
  const rolledBack = number !== undefined && number > 0 && number >= since;
  return { class: 'pending', text: pendingText(base?.commit, steps, rolledBack), ...said };
}

/** The commits that wait, newest first. */
function stepsOf(fields: readonly FieldVerdict[]): MovedOn {
  const steps = new Map(
    fields.flatMap(({ moved }) => moved.map((step) => [step.commit.hash, step] as const)),
  );
  return [...steps.values()].sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
}

function waiting(fields: readonly FieldVerdict[]): Pick<RawItem, 'moved_on' | 'earlier'> {
  const [newest, ...earlier] = stepsOf(fields);
  return { moved_on: newest?.commit ?? null, earlier: earlier.length };
}

/** The task has no marker of this project: the marker was lost, or git has just begun to name the task by its id. */
function adoption(
  { change, live: { task }, added, secrets }: Extract<Verdict, { type: 'adoption' }>,
  { head }: OriginView,
): readonly RawItem[] {
  const given = change.reason === 'id-given';
  const words = ADOPTED[given ? 'id-given' : change.reason === 'marker-lost' ? 'marker-lost' : 'target-held'];
  const fields = change.fields
    .filter(({ legacy }) => legacy !== true)
    .map((field) => driftField({ field, by: given ? 'unknown' : 'person', moved: [] }, secrets));
  const said = { class: given ? ('unknown' as const) : ('changed' as const), text: words, fields };
  const item = itemOf(change, task, { ...said, moved_on: added ?? null });
  const desired = head.taskAt(change.address);
  if (desired?.state !== 'active' || task.is_active) return [item];
  const state = driftField({ field: stateField(desired, false), by: 'person', moved: [] }, secrets);
  return [itemOf(change, task, { class: 'stopped', text: stoppedText(task), fields: [state] }), item];
}

function stoppedText(task: LiveTask): string {
  const off = offText(markerOf(task)?.armed);
  if (off !== undefined) return off;
  return isBuyOnce(task.config) ? FIRED : STOPPED_BY_SOMEBODY;
}
