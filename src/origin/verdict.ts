import type { DriftCommit } from '../model/generated/drift.ts';
import type { Change, Field } from '../model/generated/plan.ts';
import { isPending, type Marker } from '../model/marker.ts';
import type { LiveNamed, LiveTask } from '../model/resource.ts';
import type { SwitchPlan } from '../plan/switch/decide-switch.ts';
import { type MarkedTask, markedTask } from '../plan/task/task-context.ts';
import type { PastState } from './past-state.ts';
import {
  AdditionTrack,
  type Base,
  isOtherwise,
  type MovedOn,
  type Step,
  type Track,
  unitOf,
  unitsOf,
  ValueTrack,
  type VersionPlace,
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
export interface TaskStanding {
  readonly task: LiveTask;
  readonly place: VersionPlace;
  readonly base: Base | undefined;
  readonly edited: boolean;
}

interface Common {
  readonly change: Change;
  /** Paths of values that came from the environment at the base. */
  readonly secrets: readonly string[];
}

/** What is known about one change of a plan. `added`: the commit that began to name it; `inBase`: undefined without a base. */
export type Verdict = Common &
  (
    | { readonly type: 'conflict' }
    | {
        readonly type: 'missing';
        readonly added: DriftCommit | undefined;
        readonly inBase: boolean | undefined;
      }
    | {
        readonly type: 'removal';
        readonly live: LiveTask | undefined;
        readonly added: DriftCommit | undefined;
        readonly inBase: boolean | undefined;
      }
    | {
        readonly type: 'adoption';
        readonly live: MarkedTask;
        readonly added: DriftCommit | undefined;
        readonly inBase: boolean | undefined;
      }
    /** A template or a label; `base`: the newest commit that has the live values. */
    | {
        readonly type: 'named';
        readonly live: LiveNamed;
        readonly base: Step | undefined;
        readonly fields: readonly FieldVerdict[];
      }
    /** An owned task that no manifest names; the second one of a pair comes first. */
    | { readonly type: 'orphan'; readonly halves: readonly TaskStanding[] }
    /** A replacement that was interrupted: the former task, then the one that replaces it. */
    | {
        readonly type: 'pair';
        readonly former: TaskStanding;
        readonly next: TaskStanding;
        readonly fields: readonly FieldVerdict[];
      }
    | {
        readonly type: 'present';
        readonly subject: MarkedTask & { readonly marker: Marker };
        readonly standing: TaskStanding;
        readonly switched: SwitchPlan;
        /** Our own update was interrupted on a task that somebody started although git wants it paused. */
        readonly startedBefore: boolean;
        readonly fields: readonly FieldVerdict[];
      }
  );

/** The question about one change: who made it? */
export interface Question {
  readonly tracks: readonly Track[];
  verdict(): Verdict;
}

export interface OriginView {
  readonly head: PastState;
  /** The state of `--base`. It decides creates, adoptions and removals, and nothing else. */
  readonly base: PastState | undefined;
  /** How many commits the first-parent line has up to HEAD; undefined if that is not known. */
  readonly number: number | undefined;
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly named: ReadonlyMap<string, LiveNamed>;
}

/** Undefined if the change is nobody's difference: no manifest and no live resource tell more about it. */
export function questionOf(change: Change, view: OriginView): Question | undefined {
  const { reason, blocked, former, address } = change;
  const live = view.tasks.get(String(former?.id ?? ''));
  const named = view.named.get(String(former?.id ?? ''));
  if (blocked !== null && reason === 'conflict') return told({ type: 'conflict', change, secrets: [] });
  if (reason === 'removal' || reason === 'released') return removal(change, live, view);
  if (named !== undefined) return namedQuestion(change, named, view);
  if (live === undefined) return missing(change, view);
  const subject = markedTask(live);
  const next = view.tasks.get(String(change.successor?.id ?? ''));
  if (reason === 'not-in-manifests' || reason === 'never-named') return orphan(change, subject, next, view);
  const desired = view.head.taskAt(address);
  if (desired === undefined) return undefined;
  if (!isMarked(subject) || reason === 'taken-over') return adoption(change, subject, view);
  if (reason === 'replacement-in-progress' && next !== undefined) return pair(change, subject, next, view);
  return present(change, subject, view);
}

function isMarked(subject: MarkedTask): subject is MarkedTask & { readonly marker: Marker } {
  return subject.marker !== undefined;
}

function told(verdict: Verdict): Question {
  return { tracks: [], verdict: () => verdict };
}

/** By the current name in git or the former one: a new name does not bring back a task that somebody deleted. */
function isNamedBy(past: PastState, { address }: Change, head: PastState): boolean {
  const { collection, previousName } = head.taskAt(address) ?? {};
  const former = `${collection}/${previousName}`;
  return past.names(address) || (head.taskAt(former) === undefined && past.names(former));
}

function addition(
  { base }: OriginView,
  names: (past: PastState) => boolean,
): { readonly track: AdditionTrack; readonly inBase: boolean | undefined } {
  return { track: new AdditionTrack(names), inBase: base === undefined ? undefined : names(base) };
}

function missing(change: Change, view: OriginView): Question {
  const { track, inBase } = addition(view, (past) => isNamedBy(past, change, view.head));
  return {
    tracks: [track],
    verdict: () => ({ type: 'missing', change, secrets: [], added: track.added, inBase }),
  };
}

function removal(change: Change, live: LiveTask | undefined, view: OriginView): Question {
  const { track, inBase } = addition(view, (past) => past.removes(change.address));
  return {
    tracks: [track],
    verdict: () => ({ type: 'removal', change, secrets: [], live, added: track.added, inBase }),
  };
}

function adoption(change: Change, live: MarkedTask, view: OriginView): Question {
  const given = change.reason === 'id-given';
  const { track, inBase } = addition(view, (past) =>
    given ? past.adopts(live.task.id) : isNamedBy(past, change, view.head),
  );
  return {
    tracks: given ? [track] : [],
    verdict: () => ({ type: 'adoption', change, secrets: [], live, added: track.added, inBase }),
  };
}

function asked({ fields }: Change): readonly Field[] {
  return fields.filter(({ path, legacy }) => legacy !== true && path !== 'name' && path !== 'project');
}

function namedQuestion(change: Change, live: LiveNamed, { head }: OriginView): Question {
  const fields = change.fields.filter(({ legacy }) => legacy !== true);
  const track = new ValueTrack(unitsOf(fields), head, (past) => past.compareNamed(live));
  return {
    tracks: [track],
    verdict: () => ({
      type: 'named',
      change,
      live,
      base: track.step,
      secrets: track.secrets(),
      fields: fields.map((field) => {
        const unit = unitOf(field.path);
        return { field, by: track.isGits(unit) ? 'git' : 'person', moved: track.moved(unit) };
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
      halves: tracks.map(standingOf),
    }),
  };
}

function pair(
  change: Change,
  former: MarkedTask & { readonly marker: Marker },
  second: LiveTask,
  { head, number }: OriginView,
): Question | undefined {
  const desired = head.taskAt(change.address);
  const next = markedTask(second);
  if (desired === undefined || !isMarked(next)) return undefined;
  // The one that stays is planned field by field; the other one is deleted as a whole.
  const stays = second.target_wallet === desired.target_wallet ? next : former;
  const fields = asked(change);
  const track = (half: typeof former) =>
    new VersionTrack(half, head, desired, half === stays ? unitsOf(fields) : [], number);
  const [one, two] = [track(former), track(next)];
  const kept = stays === next ? two : one;
  return {
    tracks: [one, two],
    verdict: () => ({
      type: 'pair',
      change,
      secrets: [one, two].flatMap(({ base }) => base?.compared.secrets ?? []),
      former: standingOf(one),
      next: standingOf(two),
      fields: fieldVerdicts(fields, kept, undefined),
    }),
  };
}

function present(
  change: Change,
  subject: MarkedTask & { readonly marker: Marker },
  { head, number }: OriginView,
): Question | undefined {
  const desired = head.taskAt(change.address);
  if (desired === undefined) return undefined;
  const fields = asked(change);
  const track = new VersionTrack(subject, head, desired, unitsOf(fields), number);
  const switched = head.switchOf(desired, subject);
  return {
    tracks: [track],
    verdict: () => ({
      type: 'present',
      change,
      subject,
      switched,
      secrets: track.base?.compared.secrets ?? [],
      standing: standingOf(track),
      startedBefore:
        desired.state === 'paused' && track.base?.task.state === 'paused' && isPending(subject.task),
      fields: fieldVerdicts(fields, track, switched),
    }),
  };
}

function standingOf(track: VersionTrack): TaskStanding {
  const { place, base, edited, subject } = track;
  return { task: subject.task, place, base, edited };
}

function fieldVerdicts(
  fields: readonly Field[],
  track: VersionTrack,
  switched: SwitchPlan | undefined,
): readonly FieldVerdict[] {
  return fields.map((field) => {
    const unit = unitOf(field.path);
    const by = field.path === 'state' ? switchedBy(track, switched) : madeBy(unit, track);
    return { field, by, moved: by === 'git' || by === 'both' ? track.moved(unit) : [] };
  });
}

/** The table of DESIGN 3, "The version": live, base, git. */
function madeBy(unit: string, { base, git }: VersionTrack): MadeBy {
  if (base === undefined || git === undefined) return 'unknown';
  if (!isOtherwise(base.compared, unit)) return 'git';
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
