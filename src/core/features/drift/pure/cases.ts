import { isArmedOrSettled } from '../../../model/armed.ts';
import { overlaps } from '../../../model/field-path.ts';
import type { DriftCommit, DriftField, DriftItem } from '../../../model/generated/drift.ts';
import type { Change, Observation } from '../../../model/generated/plan.ts';
import { given } from '../../../model/given.ts';
import { kindOf, TASK_KINDS } from '../../../model/kind.ts';
import { markerOf } from '../../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../../model/resource.ts';
import { SECRET } from '../../../model/secret.ts';
import { revertText } from '../../../origin/made-by.ts';
import type { MovedOn, Step } from '../../../origin/tracks.ts';
import { commitWords } from '../../../origin/tracks.ts';
import type { FieldVerdict, MadeBy, OriginView, Verdict } from '../../../origin/verdict.ts';
import { standingsOf } from '../../../origin/verdict.ts';
import { neverNamedText } from '../../../plan/identity/never-named.ts';
import { bareField } from '../../../plan/secrets.ts';
import { exposureOf, isSecretStake } from '../../../plan/stakes/exposure.ts';
import { stateField } from '../../../plan/task/change-in-place.ts';
import { valueText } from '../../../render/value-text.ts';
import { offText } from '../../../render/words.ts';

const STATE = 'state';
const WAITS = { stopped: 'person', mixed: 'both' } as const;

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
      return [orphan(verdict, view, reach)];
    case 'pair':
      return [replacing(verdict)];
    case 'present':
      return present(verdict, view, reach);
  }
}

/** An owned task without a manifest. Pending if it is as git described it when it was written last. */
function orphan(verdict: Extract<Verdict, { type: 'orphan' }>, view: OriginView, reach: Reach): RawItem {
  const { change, halves, secrets } = verdict;
  const task = halves.at(-1)?.task;
  const does = pruneText(change);
  const edited = halves.find((half) => half.edited);
  const unknown = halves.find(({ base }) => base === undefined);
  if (unknown !== undefined) {
    const story = view.neverNamed.has(change.address)
      ? neverNamedText(READ(reach))
      : orphanText(reach, undefined);
    return itemOf(change, task, { class: 'unknown', text: `${story} ${does}` });
  }
  const base = (edited ?? halves.at(-1))?.base?.step;
  const commit = base?.commit ?? null;
  const started = verdict.fields.map((field) => driftField(field, secrets));
  if (started.length > 0) {
    const text = `${orphanText(reach, base?.commit)} ${STARTED_WITHOUT_MANIFEST} ${does}`;
    return itemOf(change, task, { class: 'started', text, fields: started, commit });
  }
  const text = `${orphanText(reach, base?.commit)} ${edited === undefined ? 'Nobody changed it since.' : 'It was changed on the service since.'} ${does}`;
  if (edited === undefined) return itemOf(change, task, { class: 'pending', text, commit });
  const fields = (edited.base?.compared.fields ?? []).map(({ origin: _, ...field }) =>
    driftField({ field, by: 'person', moved: [] }, secrets),
  );
  return itemOf(change, task, { class: 'changed', text, fields, commit });
}

function replacing({
  change,
  former,
  next,
  gone,
  fields,
  secrets,
}: Extract<Verdict, { type: 'pair' }>): RawItem {
  const running = former.task.is_active || next.task.is_active;
  const touched = [former, next].some(({ edited }) => edited);
  const which = gone.edited ? 'an apply without --only' : 'the next apply';
  const completes = `An apply was interrupted while it replaced the task; ${which} completes the replacement.`;
  const text = touched ? `${completes} One of the two was changed on the service since.` : completes;
  const said = fields.map((field) => driftField(field, secrets));
  return itemOf(change, former.task, { class: 'interrupted', text, fields: said, running });
}

type Present = Extract<Verdict, { type: 'present' }>;

/** A task on the service that differs from git. Its switch and the rest are two findings, side by side as a table of cases. */
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
  const found = verdict.fields.find(({ field }) => field.path === STATE);
  // Pending is what --only pending takes, and it leaves a start that waits.
  const moves = found && verdict.waits ? { ...found, by: WAITS[verdict.waits] } : found;
  const state = driftField(
    moves ?? { field: stateField(desired, task.is_active), by: 'person', moved: [] },
    secrets,
  );
  const blocked = change.blocked === null ? '' : ` An apply does nothing about it: ${change.blocked.text}`;
  const say = (said: Said) => itemOf(change, task, { ...said, text: said.text + blocked });
  const base = standing.base?.step;
  const { place } = standing;
  const unknown = place === 'current' || place === 'earlier' ? undefined : UNKNOWN_VERSION[place](reach);
  const rest = (more: readonly FieldVerdict[] = []) => {
    const fields = [...more, ...content];
    return fields.length === 0 ? [] : [say(contentOf(fields, verdict, base, changedText(reach), unknown))];
  };
  switch (switched.type) {
    case 'held': {
      const again = change.starts_trading ? ' An apply starts it again: `stopped_tasks` is `resume`.' : '';
      const text = `${stoppedText(task)}${again}`;
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
      return [say({ class: 'started', text: STARTED, fields: [state] }), ...rest()];
    case 'rest':
      if (!startedBefore) return rest();
      return [say({ class: 'interrupted', text: INTERRUPTED_START, fields: [] }), ...rest()];
    case 'run':
    case 'free':
      return rest();
  }
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
  const steps = stepsOf(fields);
  const said = {
    fields: fields.map((field): DriftField => driftField(field, secrets)),
    commit: base?.commit ?? null,
    moved_on: steps[0]?.commit ?? null,
    earlier: Math.max(0, steps.length - 1),
  };
  const both = fields.some(({ by }) => by === 'both');
  const alsoGit = both ? ` Git changed it, too.${sinceText(fields, secrets)}` : '';
  if (both || fields.some(({ by }) => by === 'person'))
    return { class: 'changed', text: `${changed}${alsoGit}`, ...said };
  if (fields.some(({ by }) => by === 'unknown'))
    return { class: 'unknown', text: unknown ?? FROM_ENVIRONMENT, ...said };
  const back = standingsOf(verdict).some(({ rolledBack }) => rolledBack) ? base?.commit.hash : undefined;
  const keep = back && revertText(back.slice(0, 7)).join(', then ');
  const from = base === undefined ? '' : ` from ${commitWords(base.commit)}`;
  const text = keep
    ? `It was rolled back to the values${from}, and nobody changed it on the service since. An apply takes the rollback back. To keep it: ${keep}.`
    : base === undefined
      ? 'Git moved on, and nobody changed it on the service.'
      : `It is as applied${from}.`;
  return { class: 'pending', text: `${text}${sinceText(fields, secrets)}`, ...said, ...given({ keep }) };
}

/** The commits that wait, newest first. */
function stepsOf(fields: readonly FieldVerdict[]): MovedOn {
  const steps = new Map(
    fields.flatMap(({ moved }) => moved.map((step) => [step.commit.hash, step] as const)),
  );
  return [...steps.values()].sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
}

/** The task has no marker of this project: the marker was lost, or git has just begun to name the task by its id. */
function adoption(
  { change, live: task, added, secrets }: Extract<Verdict, { type: 'adoption' }>,
  { head }: OriginView,
): readonly RawItem[] {
  const byId = change.reason === 'id-given';
  const words = ADOPTED[byId ? 'id-given' : change.reason === 'marker-lost' ? 'marker-lost' : 'target-held'];
  const fields = change.fields
    .filter(({ legacy }) => legacy !== true)
    .map((field) => driftField({ field, by: byId ? 'unknown' : 'person', moved: [] }, secrets));
  const said = { class: byId ? ('unknown' as const) : ('changed' as const), text: words, fields };
  const item = itemOf(change, task, { ...said, moved_on: added ?? null });
  const desired = head.taskAt(change.address);
  if (desired?.state !== 'active' || task.is_active) return [item];
  const state = driftField({ field: stateField(desired, false), by: 'person', moved: [] }, secrets);
  return [itemOf(change, task, { class: 'stopped', text: stoppedText(task), fields: [state] }), item];
}

function stoppedText(task: LiveTask): string {
  return offText(markerOf(task)?.armed, isBuyOnce(task.config));
}

/** How much of the history was read. The sentences of an item depend on it. */
type Reach = 'nowhere' | 'part' | 'all';

/** ` Git has 0.33 since commit 29a671c of 2026-11-21 (no: 0.33), and 1 earlier.` */
function sinceText(fields: readonly FieldVerdict[], secrets: readonly string[]): string {
  const [newest, ...earlier] = stepsOf(fields);
  if (newest === undefined) return '';
  const [one, ...others] = fields.filter(({ moved }) => moved.length > 0);
  const { after: value, sensitive = true } = one === undefined ? {} : bareField(one.field, secrets);
  const isOne = !sensitive && typeof value === 'string';
  const what = others.length > 0 ? 'these values' : isOne ? valueText(value) : 'this value';
  const more = earlier.length === 0 ? '' : `, and ${earlier.length} earlier`;
  return ` Git has ${what} since ${commitWords(newest.commit)}${more}.`;
}

/** For tasks: the version says that somebody changed it. For templates and labels the history says it, as far as it was read. */
function changedText(reach: Reach): string {
  return reach === 'all'
    ? 'It was changed on the service since the last apply.'
    : 'It was changed on the service since the last apply, as far as the history was read.';
}

const FROM_ENVIRONMENT =
  'It differs from git in values that come from the environment: nobody can tell whether that or somebody changed it.';

const READ = (reach: Reach) => (reach === 'all' ? '' : ', as far as it was read');

/** Why nobody knows what was applied last. */
const UNKNOWN_VERSION: Readonly<Record<'newer' | 'unknown' | 'none', (reach: Reach) => string>> = {
  newer: () =>
    'It differs from git, and was written from a newer commit than this one, or from another history.',
  unknown: (reach) =>
    `It differs from git, and was written from a commit that is not in this history${READ(reach)}: from another branch, from uncommitted manifests, or before the history was rewritten.`,
  none: () => 'It differs from git, and its marker has no version: nobody knows what was applied last.',
};

function orphanText(reach: Reach, base: DriftCommit | undefined): string {
  if (base !== undefined) return `Its manifest was removed; ${commitWords(base)} had it.`;
  return `It carries the marker of this project, no manifest names it, and it was written from a commit that is not in this history${READ(reach)}.`;
}

const STARTED_WITHOUT_MANIFEST = 'It was paused, and it was started on the service since.';

/** The sentence about the next apply for a task without a manifest. */
function pruneText({ actions, stops_trading }: Change): string {
  if (actions.includes('delete'))
    return stops_trading ? 'An apply stops and deletes it.' : 'An apply deletes it.';
  return actions.includes('stop') ? 'An apply stops it.' : 'An apply leaves it.';
}

function removalText({ action, blocked }: Change, added: DriftCommit | undefined): string {
  const since = added === undefined ? 'A Removal names it' : `A Removal names it since ${commitWords(added)}`;
  if (blocked !== null) return `${since}. ${blocked.text}`;
  return action === 'release'
    ? `${since}, and it still carries the marker of this project: an apply removes the marker, and the task stays.`
    : `${since}, but it is on the service: it was not applied yet, or somebody created it again.`;
}

function missingText(added: DriftCommit | undefined, blocked: Change['blocked']): string {
  const since =
    added === undefined
      ? 'Git has it, and the service does not.'
      : `Git has it since ${commitWords(added)}, and the service does not.`;
  return blocked === null
    ? `${since} It was not applied yet, or it was deleted on the service.`
    : `${since} ${blocked.text}`;
}

const FINISH = 'An apply was interrupted before it started the task; the next apply starts it.';
const INTERRUPTED_START =
  'Somebody started it although git wants it paused, and an apply was interrupted while it updated the task: it is paused now.';

const STARTED = 'Git wants it paused, and it runs: it was started on the service.';

const ADOPTED: Readonly<Record<'marker-lost' | 'target-held' | 'id-given', string>> = {
  'marker-lost': 'Its marker is gone from the remark; an apply writes it again.',
  'target-held': 'An unmanaged task has its target, which only one can have; an apply adopts it.',
  'id-given':
    'Git names it by metadata.id, and it carries no marker: an apply adopts it, or somebody removed the marker.',
};

/** An item before it is decided whether the command fails for it. */
export type RawItem = Omit<DriftItem, 'fails' | 'ignored' | 'refused'>;

type Said = Pick<DriftItem, 'class' | 'text'> &
  Partial<Pick<DriftItem, 'fields' | 'commit' | 'moved_on' | 'earlier' | 'running' | 'keep'>>;

/** The item of an address. `live` is its task, if it exists. */
function itemOf(change: Change, live: LiveTask | undefined, said: Said): RawItem {
  const remark = live === undefined ? null : live.remark;
  // The stake would reveal the hidden part of a config.
  const secrets = change.secrets ?? [];
  const hidden =
    said.fields?.some(({ path, sensitive }) => sensitive && path.startsWith('config.')) === true ||
    (live !== undefined && isSecretStake(kindOf(live.collection).config, live.config, secrets));
  return {
    address: change.address,
    previous_address: change.previous_address,
    kind: change.kind,
    id: live?.id ?? (typeof change.former?.id === 'string' ? change.former.id : change.id),
    remark: remark !== null && overlaps(secrets, 'remark') ? SECRET : remark,
    running: live?.is_active === true,
    buy_once: live !== undefined && isBuyOnce(live.config),
    updated_at: live?.updated_at ?? null,
    exposure: hidden ? { before: '0', after: '0', secret: true } : change.exposure,
    ...given({ row: change.row, deletes: change.action === 'delete' || undefined }),
    ...UNMOVED,
    ...said,
  };
}

const UNMOVED = { fields: [], commit: null, moved_on: null, earlier: 0 };

export function observedItem(observation: Observation, live: LiveTask | undefined): RawItem {
  const { class: kind, id, remark, running, text, secrets = [] } = observation;
  const definition = TASK_KINDS.find(({ collection }) => collection === observation.kind);
  const of =
    live !== undefined && definition !== undefined ? { ...live, name: definition.config } : undefined;
  const hidden = of !== undefined && isSecretStake(of.name, of.config, secrets);
  const stake = running && of !== undefined && !hidden ? exposureOf(of.name, of.config) : '0';
  const marker = markerOf(observation);
  const ours = kind === 'conflict' || kind === 'kept';
  return {
    // Nobody manages a task from git that prune.tasks keeps.
    class: kind === 'kept' ? 'unmanaged' : kind,
    address: ours && marker !== undefined ? `${observation.kind}/${marker.name}` : null,
    previous_address: null,
    kind: observation.kind,
    id,
    remark,
    running,
    buy_once: live !== undefined && isBuyOnce(live.config),
    text,
    ...UNMOVED,
    updated_at: live?.updated_at ?? null,
    exposure: { before: stake, after: stake, ...(hidden ? { secret: true as const } : {}) },
  };
}

const CLASSES: Readonly<Record<MadeBy, DriftField['class']>> = {
  git: 'pending',
  person: 'changed',
  both: 'both',
  unknown: 'unknown',
};

/** A field, and the commit that has git's value. Values that came from the environment at the base are hidden. */
function driftField({ field, by, moved }: FieldVerdict, secrets: readonly string[]): DriftField {
  return { ...bareField(field, secrets), class: CLASSES[by], commit: moved[0]?.commit ?? null };
}
