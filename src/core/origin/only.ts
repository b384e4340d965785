import { isWritable } from '../desired/rules/index.ts';
import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../desired/state.ts';
import { isArmedOrSettled, isUnmarked } from '../model/armed.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Left } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import { kindOf } from '../model/kind.ts';
import { isPending, liveNoteRoom, markerOf, ownMarkerOf, remarkOf } from '../model/marker.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../model/resource.ts';
import { neverNamedText, orphanAddresses } from '../plan/identity/never-named.ts';
import { newestNumber } from '../plan/identity/task-match.ts';
import type { Only } from '../plan/input.ts';
import { bareField } from '../plan/secrets.ts';
import { keptConfig } from '../plan/task/compare-task.ts';
import { unitOf, unitsOf, type VersionPlace } from './tracks.ts';
import type { FieldVerdict, MadeBy, OriginView, Verdict } from './verdict.ts';

/** Why a difference is left on the service. */

const STOPPED_OUTSIDE = 'somebody stopped it; only stopped_tasks: resume starts it';
const MIXED_START = 'it would start with values that git does not have';
const LEFT_STARTED = 'somebody started it; an interrupted apply is finished, and it runs on';

const LEFT_BY: Readonly<Record<Exclude<MadeBy, 'git'>, string>> = {
  person: 'changed on the service since the last apply',
  both: 'changed in git and on the service since the last apply',
  unknown: 'nobody knows who changed it',
};

const LEFT_ENVIRONMENT =
  'its value comes from the environment, or came from it: nobody can tell whether that or somebody changed it. An apply without --only writes what git wants';

const NEWEST = 'If this is the newest commit of the branch: an apply without --only writes what git wants.';
const ALL = 'An apply without --only writes what git wants.';

const LEFT_UNKNOWN: Readonly<Record<Exclude<VersionPlace, 'current' | 'earlier'>, string>> = {
  newer: `It was written from a newer commit than this one, or from another history. Nothing is done to it. ${NEWEST}`,
  unknown: `It was written from a commit that is not in this history. Nothing is done to it. ${ALL}`,
  none: `Its marker has no version, so nobody knows what was applied last. Nothing is done to it. ${ALL}`,
};

const NO_BASE =
  'It was deleted on the service, or never created: only --base can tell. To create it, name the last commit that was applied with --base, or apply without --only.';
const NEVER =
  'No task of this project is on the service: nothing was applied yet, or all were deleted. To create it, apply without --only.';
const CREATED_BEFORE =
  'The base has it already, with the same target: somebody deleted it on the service. To create it, apply without --only.';
const SUPERSEDED = `A newer commit than this one was applied already, or another history was: it may want this otherwise. ${NEWEST}`;
const BEHIND =
  'Another task of this project has its target and no manifest, and this run leaves it. It may be the same task under another name: look at it first.';
const REMOVED_NO_BASE = 'Somebody created it again, or it was not deleted yet: only --base can tell.';
const REMOVED_BEFORE = 'The base has the same Removal: somebody created it again.';
const ADOPTED_BEFORE =
  'Git named it before: somebody removed its marker, and an apply would overwrite what somebody changed.';
const ADOPTED_NO_BASE =
  'Somebody removed its marker, or git names it for the first time: only --base can tell.';
const ORPHAN_CHANGED = 'Its manifest was removed, but somebody changed it since the last apply.';
const ORPHAN_STARTED = 'Its manifest was removed, and somebody started it since.';
const CONTRADICTS =
  'What git changed and what somebody changed on the service contradict each other: the service refuses them together.';
const NOTE_TOO_LONG =
  'Somebody changed its note on the service, and the note leaves no room for the marker of a change. Shorten it there.';
const PAIR_CHANGED =
  'An apply was interrupted while it replaced the task, and somebody changed the task that would be deleted.';
const REPLACED_CHANGED =
  'An apply would replace it, because git changed the target wallet, and the new task would lack what somebody changed on the service.';

interface OnlyInput {
  /** The changes of an apply without the option, on this live view. */
  readonly changes: readonly Change[];
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** Addresses that git never named: the plan blocks them, and says so. */
  readonly never: ReadonlySet<string>;
  /** Tasks that changed in git since the base: their number is renewed, so that no older commit writes over them. */
  readonly renewed: ReadonlySet<string>;
  readonly view: OriginView;
}

/** The desired state that is planned instead, and the differences that are left. */
interface OnlySelection {
  /** With the live values of everything that stays. */
  readonly desired: DesiredState;
  readonly only: Only;
}

interface Keep {
  readonly paths: readonly string[];
  /** The switch stays unchanged. */
  readonly state: boolean;
  /** Git changed one of these fields, and nobody can tell who set the live value. */
  readonly undecided?: boolean;
}

/** What is left at one address. Without `keep`, nothing at all is done; without `left`, nothing is said about it. */
interface Leaving {
  readonly left?: Left;
  readonly keep?: Keep;
}

const STATE = 'state';

/**
 * Leaves everything that git did not change (DESIGN 3, "The version"). What drift calls pending is what this keeps in the plan.
 */
export function selectOnly(verdicts: readonly Verdict[], input: OnlyInput): OnlySelection {
  const { changes, never, renewed } = input;
  // A marker of this project has the number of a newer commit than this one, or of one of another history.
  const newest = newestNumber(input.desired, input.live);
  const behind = targetsOfOrphans(input);
  const left: Left[] = [];
  const [exclude, stay] = [new Set<string>(), new Set<string>()];
  const keeps = new Map<string, Keep>();
  // A create asks which targets the orphans hold that stay: they are left, blocked, or nobody chose them.
  const isOrphan = ({ type }: Verdict) => Number(type === 'orphan');
  const orphansFirst = [...verdicts].sort((a, b) => isOrphan(b) - isOrphan(a));
  for (const verdict of orphansFirst) {
    const { address, blocked, operations } = verdict.change;
    if (blocked !== null || (operations.length === 0 && !verdict.change.held)) continue;
    const leaving = never.has(address) ? {} : leavingOf(verdict, input, newest, behind);
    if (leaving === undefined) {
      if (verdict.type === 'orphan') for (const { task } of verdict.halves) behind.delete(task.id);
      continue;
    }
    if (never.has(address)) continue;
    if (leaving.left !== undefined) left.push(leaving.left);
    if (leaving.keep === undefined) exclude.add(address);
    else keeps.set(address, leaving.keep);
    if (leaving.keep?.state === true) stay.add(address);
  }
  const order = new Map(changes.map(({ address }, index) => [address, index]));
  left.sort((a, b) => (order.get(a.address) ?? 0) - (order.get(b.address) ?? 0));
  return { desired: narrowed(input, keeps), only: { exclude, stay, renewed, left } };
}

/** By the id of each owned task without a manifest. */
function targetsOfOrphans({ desired, live }: OnlyInput): Map<string, string> {
  const orphans = orphanAddresses(desired, live);
  const isOrphan = (task: LiveTask) => orphans.has(`${task.collection}/${ownMarkerOf(task, desired)?.name}`);
  return new Map(live.tasks.filter(isOrphan).map((task) => [task.id, targetOf(task)]));
}

function targetOf({ collection, target_wallet }: Pick<LiveTask, 'collection' | 'target_wallet'>): string {
  return `${collection} ${target_wallet}`;
}

function leavingOf(
  verdict: Verdict,
  input: OnlyInput,
  newest: number,
  behind: ReadonlyMap<string, string>,
): Leaving | undefined {
  const { change } = verdict;
  // Nothing but the markers of the others tells whether a newer commit removed it, gave it away or brought it back.
  if ('live' in verdict && newest > (input.view.number ?? Infinity))
    return whole(change, verdict.live, SUPERSEDED);
  switch (verdict.type) {
    case 'conflict':
      return undefined;
    case 'missing': {
      const wanted = input.view.head.taskAt(change.address);
      if (wanted !== undefined && [...behind.values()].includes(targetOf(wanted)))
        return whole(change, undefined, BEHIND);
      // A replacement that had no room for both tasks was interrupted after its delete.
      if (input.view.retargeted.has(change.address)) return undefined;
      const never = newest === 0 ? NEVER : undefined;
      return byBase(verdict, undefined, never ?? NO_BASE, never ?? CREATED_BEFORE);
    }
    case 'removal':
      return byBase(verdict, verdict.live, REMOVED_NO_BASE, REMOVED_BEFORE);
    case 'adoption':
      // A take-over is asked for by name.
      if (change.reason === 'taken-over') return undefined;
      return byBase(verdict, verdict.live, ADOPTED_NO_BASE, ADOPTED_BEFORE);
    case 'named': {
      const left = leftFields(verdict, verdict.fields);
      if (left.length === 0) return undefined;
      return part(change, undefined, left);
    }
    case 'orphan': {
      const [first] = verdict.halves
        .map(({ place }) => unknownText(place))
        .filter((text) => text !== undefined);
      const task = verdict.halves.at(-1)?.task;
      if (input.view.neverNamed.has(change.address)) return whole(change, task, neverNamedText());
      if (first !== undefined) return whole(change, task, first);
      if (verdict.fields.length > 0) return whole(change, task, ORPHAN_STARTED);
      return verdict.halves.some(({ edited }) => edited) ? whole(change, task, ORPHAN_CHANGED) : undefined;
    }
    case 'pair':
      return ofPair(verdict);
    case 'present':
      return ofPresent(verdict, input);
  }
}

/** What only a base can tell apart is left without one. */
function byBase(
  { change, inBase }: Extract<Verdict, { readonly inBase: boolean | undefined }>,
  live: LiveTask | undefined,
  noBase: string,
  before: string,
): Leaving | undefined {
  if (inBase === false) return undefined;
  return whole(change, live, inBase === undefined ? noBase : before);
}

function unknownText(place: VersionPlace): string | undefined {
  return place === 'current' || place === 'earlier' ? undefined : LEFT_UNKNOWN[place];
}

function ofPair(verdict: Extract<Verdict, { type: 'pair' }>): Leaving | undefined {
  const { change, former, next, gone, fields } = verdict;
  const unknown = unknownText(former.place) ?? unknownText(next.place);
  if (unknown !== undefined) return whole(change, former.task, unknown);
  if (gone.edited) return whole(change, gone.task, PAIR_CHANGED);
  const left = leftFields(verdict, fields).filter(({ path }) => path !== STATE && path !== 'target_wallet');
  if (left.length === 0) return undefined;
  return part(change, former.task, left);
}

function ofPresent(verdict: Extract<Verdict, { type: 'present' }>, input: OnlyInput): Leaving | undefined {
  const { change, subject, standing, switched, fields } = verdict;
  const { task } = subject;
  const unknown = unknownText(standing.place);
  const left = leftFields(verdict, fields);
  const quiet = ['run', 'rest', 'held', 'free'].includes(switched.type);
  if (unknown !== undefined) {
    const renamed = change.previous_address !== null;
    if (fields.length === 0 && quiet && !renamed) {
      if (standing.place === 'none') return undefined;
      return switched.type === 'held' ? whole(change, task, unknown) : {};
    }
    return whole(change, task, unknown, left);
  }
  if (change.action === 'replace') {
    if (!standing.edited && left.length === 0) return undefined;
    return whole(change, task, REPLACED_CHANGED, left);
  }
  const all = [...left, ...alsoLeft(verdict)];
  if (all.length === 0) return undefined;
  const obstacle = obstacleTo(verdict, all, input);
  if (obstacle !== undefined) return whole(change, task, obstacle, all);
  const { keep, ...said } = part(change, task, all);
  return {
    ...said,
    keep: { ...keep, undecided: isUndecided(verdict, input.view.head.taskAt(change.address)) },
  };
}

/** True if git took the value of a field that is left from the environment, and no longer does, or from another variable. */
function isUndecided(
  { standing: { base }, fields }: Extract<Verdict, { type: 'present' }>,
  want: DesiredTask | undefined,
): boolean {
  const left = fields.flatMap(({ field, by }) => (by === 'unknown' ? [field.path] : []));
  const secrets = (base?.task.secrets ?? []).filter((path) => overlaps(left, path));
  return secrets.some(
    (path) => want?.secrets?.includes(path) !== true || want.written?.(path) !== base?.task.written?.(path),
  );
}

/** Why what git changed cannot be written beside what is left: the service would refuse the one request that carries both. */
function obstacleTo(
  { change, subject: { task }, standing, fields }: Extract<Verdict, { type: 'present' }>,
  left: Left['fields'],
  { view, desired: { project } }: OnlyInput,
): string | undefined {
  const want = view.head.taskAt(change.address);
  if (want === undefined) return undefined;
  const paths = unitsOf(left);
  const taken = unitsOf(fields.map(({ field }) => field)).filter((unit) => !paths.includes(unit));
  const config = keptConfig(keptTask(want, task, { paths, state: false }), task.config);
  if (taken.some((unit) => unit.startsWith('config')) && !isWritable(kindOf(task.collection), config))
    return CONTRADICTS;
  const writes = taken.length > 0 || standing.place !== 'current';
  const isLong = remarkOf(task).note.trim().length > liveNoteRoom(project, want, task);
  return writes && isLong && paths.includes('remark') ? NOTE_TOO_LONG : undefined;
}

/** A start that waits; and a task that somebody started and that our own update left paused. */
function alsoLeft({ startedBefore, waits, fields }: Extract<Verdict, { type: 'present' }>): Left['fields'] {
  if (startedBefore)
    return [{ path: STATE, before: 'active', after: 'paused', sensitive: false, text: LEFT_STARTED }];
  const state = fields.find(({ field }) => field.path === STATE)?.field;
  if (state === undefined || waits === undefined) return [];
  return [{ ...bareField(state, []), text: waits === 'stopped' ? STOPPED_OUTSIDE : MIXED_START }];
}

/** The fields that are left: lists are kept or written completely. */
function leftFields({ secrets }: Verdict, fields: readonly FieldVerdict[]): Left['fields'] {
  const why = new Map<string, string>();
  for (const { field, by } of fields) {
    if (by === 'git') continue;
    const text = by === 'unknown' && overlaps(secrets, field.path) ? LEFT_ENVIRONMENT : LEFT_BY[by];
    why.set(unitOf(field.path), text);
  }
  return fields.flatMap(({ field }) => {
    const text = why.get(unitOf(field.path));
    return text === undefined ? [] : [{ ...bareField(field, secrets), text }];
  });
}

/** Without a text, only the fields are left. */
function whole(
  { address, kind, id, row }: Change,
  live: { readonly id: string; readonly is_active?: boolean } | undefined,
  text: string | null,
  fields: Left['fields'] = [],
) {
  const running = live?.is_active === true;
  return { left: { address, kind, id: live?.id ?? id, running, text, ...given({ row }), fields } };
}

function part(change: Change, live: LiveTask | undefined, fields: Left['fields']) {
  const paths = unitsOf(fields).filter((path) => path !== STATE);
  const state = fields.some(({ path }) => path === STATE);
  return { ...whole(change, live, null, fields), keep: { paths, state } };
}

/**
 * The desired state with the live values of everything that stays. The same planner plans it, and guardrails, digest
 * and exposure cover exactly what is carried out. `keeps`: by the addresses of changes.
 */
function narrowed({ desired, changes, live }: OnlyInput, keeps: ReadonlyMap<string, Keep>): DesiredState {
  if (keeps.size === 0) return desired;
  const ids = new Map(changes.map(({ address, former }) => [address, former?.id]));
  const each = <Want extends { readonly address: string }, Live extends { readonly id: string }>(
    wants: readonly Want[],
    lives: readonly Live[],
    kept: (want: Want, live: Live, keep: Keep) => Want,
  ) => {
    const found = new Map<unknown, Live>(lives.map((item) => [item.id, item]));
    return wants.map((want) => {
      const keep = keeps.get(want.address);
      const item = found.get(ids.get(want.address));
      return keep === undefined || item === undefined ? want : kept(want, item, keep);
    });
  };
  return {
    ...desired,
    tasks: each(desired.tasks, live.tasks, keptTask),
    templates: each(desired.templates, live.templates, keptTemplate),
    labels: each(desired.labels, live.labels, keptLabel),
  };
}

function keptTask(want: DesiredTask, live: LiveTask, { paths, state, undecided = false }: Keep): DesiredTask {
  const ignoreChanges = [...want.ignoreChanges, ...paths];
  const kept = { ...want, ignoreChanges, described: want, undecided };
  return state ? atRest(kept, live) : kept;
}

/**
 * Keeps the switch unchanged. Afterwards the mark has the same meaning as before: whether an apply without the option would start,
 * hold or stop the task.
 */
function atRest(want: DesiredTask, live: LiveTask): DesiredTask {
  const { armed, rearm } = markerOf(live) ?? {};
  if (live.is_active) return { ...want, state: isArmedOrSettled(armed) ? 'active' : 'manual' };
  // Our own update of a task that somebody started was interrupted: it is started again.
  if (want.state === 'paused' && isPending(live)) return { ...want, state: 'manual' };
  // Never started: no mark records a stop.
  if (isUnmarked(armed)) return { ...want, state: 'paused' };
  // A new start request remains as long as the marker has the former value.
  const { rearm: _, ...others } = want;
  return rearm === undefined ? others : { ...others, rearm };
}

function keptTemplate(want: DesiredTemplate, live: LiveTemplate, { paths }: Keep): DesiredTemplate {
  return {
    ...want,
    ...(paths.includes('name') ? { shownName: live.name.trim() } : {}),
    config: keptConfig({ config: want.config, ignoreChanges: paths }, live.config),
  };
}

function keptLabel(want: DesiredLabel, live: LiveLabel, { paths }: Keep): DesiredLabel {
  return {
    ...want,
    ...(paths.includes('name') ? { shownName: live.name.trim() } : {}),
    ...(paths.includes('sort_order') && live.sort_order !== null ? { sort_order: live.sort_order } : {}),
  };
}
