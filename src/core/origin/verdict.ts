import { isUnmarked } from '../model/armed.ts';
import { overlaps } from '../model/field-path.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Change, Field } from '../model/generated/plan.ts';
import { isPending } from '../model/marker.ts';
import type { LiveNamed, LiveTask } from '../model/resource.ts';
import type { OwnedTask } from '../plan/identity/task-match.ts';
import type { SwitchPlan } from '../plan/switch/decide-switch.ts';
import { type MarkedTask, markedTask } from '../plan/task/task-context.ts';
import type { PastState, VersionPlace } from './tracks.ts';
import {
  AdditionTrack,
  isOtherwise,
  type MovedOn,
  type Step,
  type Track,
  unitOf,
  unitsOf,
  ValueTrack,
  VersionTrack,
  wantSame,
} from './tracks.ts';

/** Who made a difference since the last apply: see `made_by` in the schema of the plan. */
export type MadeBy = 'git' | 'person' | 'both' | 'unknown';

export interface FieldVerdict {
  readonly field: Field;
  readonly by: MadeBy;
  /** How git moved on from the live value; empty if it did not, or if that is not known. */
  readonly moved: MovedOn;
}

/** Where the version of one task stands, and whether somebody changed the task since. */
type TaskStanding = Readonly<Pick<VersionTrack, 'task' | 'place' | 'base' | 'edited' | 'rolledBack'>>;

interface Common {
  readonly change: Change;
  /** Paths of values that came from the environment at the base. */
  readonly secrets: readonly string[];
}

/** What only the manifests tell about: what the service lacks, what a Removal names, and a task without a marker of this project. */
type NamedOnly =
  | { readonly type: 'missing' | 'removal'; readonly live: LiveTask | undefined }
  | { readonly type: 'adoption'; readonly live: LiveTask };

/** What is known about one change of a plan. `added`: the commit that began to name it; `inBase`: undefined without a base. */
export type Verdict = Common &
  (
    | { readonly type: 'conflict' }
    | (NamedOnly & { readonly added: DriftCommit | undefined; readonly inBase: boolean | undefined })
    /** A template or a label; `base`: the newest commit that has the live values. */
    | {
        readonly type: 'named';
        readonly live: LiveNamed;
        readonly base: Step | undefined;
        readonly fields: readonly FieldVerdict[];
      }
    /** An owned task that no manifest names; the second one of a pair comes first. `fields`: what a person started. */
    | {
        readonly type: 'orphan';
        readonly halves: readonly TaskStanding[];
        readonly fields: readonly FieldVerdict[];
      }
    /** A replacement that was interrupted: the former task, then the one that replaces it. */
    | {
        readonly type: 'pair';
        readonly former: TaskStanding;
        readonly next: TaskStanding;
        /** The one of the two that is deleted. */
        readonly gone: TaskStanding;
        readonly fields: readonly FieldVerdict[];
      }
    | {
        readonly type: 'present';
        readonly subject: OwnedTask;
        readonly standing: TaskStanding;
        readonly switched: SwitchPlan;
        /** Our own update was interrupted on a task that somebody started although git wants it paused. */
        readonly startedBefore: boolean;
        /**
         * Why `--only` leaves a start: only the project file asks for it and not git (`stopped`), or the config is partly somebody's
         * (`mixed`).
         */
        readonly waits: 'stopped' | 'mixed' | undefined;
        readonly fields: readonly FieldVerdict[];
      }
  );

export function standingsOf(verdict: Verdict): readonly TaskStanding[] {
  if (verdict.type === 'present') return [verdict.standing];
  if (verdict.type === 'orphan') return verdict.halves;
  return verdict.type === 'pair' ? [verdict.former, verdict.next] : [];
}

/** True if the version of a task that it is about stands there. */
export function standsAt(verdict: Verdict, place: VersionPlace): boolean {
  return standingsOf(verdict).some((standing) => standing.place === place);
}

/** The question about one change: who made it? */
export interface Question {
  readonly tracks: readonly Track[];
  verdict(): Verdict;
}

export interface OriginView {
  readonly head: PastState;
  /** The state of `--base`. It decides creates, adoptions and removals, and nothing else. */
  readonly base: PastState | undefined;
  /** How many commits there are up to HEAD; undefined if that is not known. */
  readonly number: number | undefined;
  /** Addresses of tasks that the base, or a commit between the base and HEAD, gives another target. */
  readonly retargeted: ReadonlySet<string>;
  /** Addresses of owned tasks that neither the manifests, nor the base, nor a commit that was passed names. */
  readonly neverNamed: ReadonlySet<string>;
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly named: ReadonlyMap<string, LiveNamed>;
}

/** Undefined if the change is nobody's difference: no manifest and no live resource tell more about it. */
export function questionOf(change: Change, view: OriginView): Question | undefined {
  const { reason, blocked, former, address } = change;
  const live = view.tasks.get(String(former?.id ?? ''));
  const named = view.named.get(String(former?.id ?? ''));
  if (blocked !== null && reason === 'conflict')
    return { tracks: [], verdict: () => ({ type: 'conflict', change, secrets: [] }) };
  const isNamed = (past: PastState) => isNamedBy(past, change, view.head);
  if (reason === 'removal' || reason === 'released')
    return addition(
      { type: 'removal', live },
      change,
      view,
      ({ desired: { removals } }) => removals.some((removal) => removal.address === address),
      named && valuesOf(named, view),
    );
  if (named !== undefined) return namedQuestion(change, named, view);
  if (live === undefined) return addition({ type: 'missing', live }, change, view, isNamed);
  const subject = markedTask(live);
  const next = view.tasks.get(String(change.successor?.id ?? ''));
  if (reason === 'not-in-manifests' || reason === 'never-named') return orphan(change, subject, next, view);
  const desired = view.head.taskAt(address);
  if (desired === undefined) return undefined;
  if (!isMarked(subject) || reason === 'taken-over') {
    const adopts = (past: PastState) => past.desired.tasks.some(({ id }) => id === live.id);
    return addition({ type: 'adoption', live }, change, view, reason === 'id-given' ? adopts : isNamed);
  }
  if (reason === 'replacement-in-progress' && next !== undefined) return pair(change, subject, next, view);
  return present(change, subject, view);
}

function isMarked(subject: MarkedTask): subject is OwnedTask {
  return subject.marker !== undefined;
}

/** By the current name in git or the former one: a new name does not bring back a task that somebody deleted. */
function isNamedBy(past: PastState, { address }: Change, head: PastState): boolean {
  const { collection, previousName } = head.taskAt(address) ?? {};
  const former = `${collection}/${previousName}`;
  return past.names(address) || (head.taskAt(former) === undefined && past.names(former));
}

/** Finds where the values of a template or a label come from that git no longer has. */
function valuesOf(live: LiveNamed, { head }: OriginView): ValueTrack {
  const paths = 'config' in live ? Object.keys(live.config).map((name) => `config.${name}`) : [];
  return new ValueTrack(paths, head, (past) => past.compareNamed(live));
}

function addition(
  found: NamedOnly,
  change: Change,
  { base }: OriginView,
  names: (past: PastState) => boolean,
  values?: ValueTrack,
): Question {
  const track = new AdditionTrack(names);
  const inBase = base === undefined ? undefined : names(base);
  return {
    // Who lost a marker is not told by the commit that began to name the task.
    tracks: [
      ...(found.type === 'adoption' && change.reason !== 'id-given' ? [] : [track]),
      ...(values === undefined ? [] : [values]),
    ],
    verdict: () => ({ ...found, change, secrets: values?.secrets() ?? [], added: track.added, inBase }),
  };
}

function asked({ fields }: Change): readonly Field[] {
  return fields.filter(({ path, legacy }) => legacy !== true && path !== 'name' && path !== 'project');
}

function namedQuestion(change: Change, live: LiveNamed, { head }: OriginView): Question {
  const fields = change.fields.filter(({ legacy }) => legacy !== true);
  const track = new ValueTrack(unitsOf(fields), head, (past) => past.compareNamed(live));
  const secrets = head.compareNamed(live)?.secrets ?? [];
  const notGits = (unit: string) => (overlaps(secrets, unit) ? 'unknown' : 'person');
  return {
    tracks: [track],
    verdict: () => ({
      type: 'named',
      change,
      live,
      base: track.step,
      secrets: [...secrets, ...track.secrets()],
      fields: fields.map((field) => {
        const unit = unitOf(field.path);
        return { field, by: track.isGits(unit) ? 'git' : notGits(unit), moved: track.moved(unit) };
      }),
    }),
  };
}

function orphan(
  change: Change,
  subject: MarkedTask,
  next: LiveTask | undefined,
  { head, number }: OriginView,
): Question {
  const halves = [...(next === undefined ? [] : [markedTask(next)]), subject].filter(isMarked);
  const tracks = halves.map((half) => new VersionTrack(half, head, undefined, [], number));
  return {
    tracks,
    verdict: () => ({
      type: 'orphan',
      change,
      secrets: tracks.flatMap(({ base }) => base?.compared.secrets ?? []),
      halves: tracks,
      fields: tracks.some(isStartedOrphan)
        ? change.fields.map((field) => ({ field, by: 'person', moved: [] }))
        : [],
    }),
  };
}

/**
 * True if somebody started the task after it lost its manifest: `prune: pause` takes the mark away, and nothing of ours runs without
 * a mark where git wanted it active.
 */
function isStartedOrphan({ base, subject: { task, marker } }: VersionTrack): boolean {
  return task.is_active && isUnmarked(marker.armed) && base?.task.state === 'active';
}

function pair(
  change: Change,
  former: OwnedTask,
  second: LiveTask,
  { head, number }: OriginView,
): Question | undefined {
  const desired = head.taskAt(change.address);
  const next = markedTask(second);
  if (desired === undefined || !isMarked(next)) return undefined;
  // The one that stays is planned field by field; the other one is deleted as a whole.
  const completes = second.target_wallet === desired.target_wallet;
  const fields = asked(change);
  const track = (half: typeof former, stays: boolean) =>
    new VersionTrack(half, head, desired, stays ? unitsOf(fields) : [], number);
  const [one, two] = [track(former, !completes), track(next, completes)];
  const [kept, gone] = completes ? [two, one] : [one, two];
  return {
    tracks: [one, two],
    verdict: () => ({
      type: 'pair',
      change,
      secrets: [one, two].flatMap(({ base }) => base?.compared.secrets ?? []),
      former: one,
      next: two,
      gone,
      // A completion shows the values of the former half, too: its deletion undoes what somebody changed in it.
      fields: fieldVerdicts(fields, kept, undefined, completes ? one : undefined),
    }),
  };
}

function present(change: Change, subject: OwnedTask, { head, number }: OriginView): Question | undefined {
  const desired = head.taskAt(change.address);
  if (desired === undefined) return undefined;
  const fields = asked(change);
  const track = new VersionTrack(subject, head, desired, unitsOf(fields), number);
  const switched = head.switchOf(desired, subject);
  const verdicts = () => fieldVerdicts(fields, track, switched);
  return {
    tracks: [track],
    verdict: () => ({
      type: 'present',
      waits: waitingStart(change, subject, switched, verdicts()),
      change,
      subject,
      switched,
      secrets: track.base?.compared.secrets ?? [],
      standing: track,
      startedBefore:
        desired.state === 'paused' && track.base?.task.state === 'paused' && isPending(subject.task),
      fields: verdicts(),
    }),
  };
}

function waitingStart(
  { starts_trading: starts, reason }: Change,
  { task }: MarkedTask,
  switched: SwitchPlan,
  fields: readonly FieldVerdict[],
): 'stopped' | 'mixed' | undefined {
  // Our own start is pending: it ran with these values, or was to run with them.
  if (!starts || reason === 'resume-asked' || isPending(task)) return undefined;
  if (!fields.some(({ field, by }) => field.path === 'state' && by === 'git')) return undefined;
  if (switched.type === 'held') return 'stopped';
  return fields.some(({ field, by }) => field.path.startsWith('config') && by !== 'git')
    ? 'mixed'
    : undefined;
}

function fieldVerdicts(
  fields: readonly Field[],
  track: VersionTrack,
  switched: SwitchPlan | undefined,
  former?: VersionTrack,
): readonly FieldVerdict[] {
  return fields.map((field) => {
    const unit = unitOf(field.path);
    const by = field.path === 'state' ? switchedBy(track, switched) : madeByHalves(unit, track, former);
    return { field, by, moved: by === 'git' || by === 'both' ? track.moved(unit) : [] };
  });
}

/** Of a field of two halves, the one whose difference is not git's decides. */
function madeByHalves(unit: string, track: VersionTrack, former: VersionTrack | undefined): MadeBy {
  const by = former === undefined ? 'git' : madeBy(unit, former);
  return by === 'git' ? madeBy(unit, track) : by;
}

/** The table of DESIGN 3, "The version": live, base, git. */
function madeBy(unit: string, { base, git }: VersionTrack): MadeBy {
  if (base === undefined || git === undefined) return 'unknown';
  if (!isOtherwise(base.compared, unit)) return 'git';
  // The version names the variable and not its value: that or somebody changed it.
  if (overlaps(base.compared.secrets, unit)) return 'unknown';
  return wantSame(base.compared, git, unit) ? 'person' : 'both';
}

/**
 * The armed version decides the switch. Only of a task that runs and that git wants paused it cannot tell who started it: a person
 * did, if git wanted it paused already when the task was written last.
 */
function switchedBy({ base }: VersionTrack, switched: SwitchPlan | undefined): MadeBy {
  if (base === undefined) return 'unknown';
  return switched?.type === 'stop' && base.task.state === 'paused' ? 'person' : 'git';
}
