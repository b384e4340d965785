import type { DesiredTask } from '../../desired/state.ts';
import { isArmedOrSettled } from '../../model/armed.ts';
import type { Change, Field, Left } from '../../model/generated/plan.ts';
import { type Json, jsonEqual } from '../../model/json.ts';
import { isInterrupted, type Marker } from '../../model/marker.ts';
import type { LiveNamed, LiveTask } from '../../model/resource.ts';
import type { Comparison, PastState } from '../history/past-state.ts';
import { shownField } from '../secrets.ts';
import { type MarkedTask, markedTask } from '../task/task-context.ts';
import { AdditionTrack, FieldTrack, isOtherwise, isUntouched } from './field-tracks.ts';
import * as words from './left-texts.ts';
import type { OnlyMode } from './selection.ts';

/** The question about one change of the plan: did git change, or the service? */
export interface OriginCheck {
  readonly track: FieldTrack | AdditionTrack;
  /** Undefined if git made the whole difference. */
  conclude(): OriginVerdict | undefined;
}

interface OriginVerdict {
  readonly left: Left;
  /** Fields that keep their live values. Undefined if nothing at all is done. */
  readonly keep?: Keep;
}

export interface Keep {
  readonly paths: readonly string[];
  /** The switch stays unchanged. */
  readonly state: boolean;
}

/** The live resources, the current git state, and the base that it is compared with. */
interface OnlyView {
  readonly mode: OnlyMode;
  readonly head: PastState;
  readonly base: PastState | undefined;
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly named: ReadonlyMap<string, LiveNamed>;
}

const STATE = 'state';
/** A key for the whole resource. */
const WHOLE = 'whole';

/** Undefined for a difference that no person can have made: an interrupted replacement, marks, or what an option asks for. */
export function originCheckOf(change: Change, view: OnlyView): OriginCheck | undefined {
  const { reason, blocked, operations, former, address } = change;
  if (blocked !== null || operations.length === 0) return undefined;
  if (reason === 'replacement-in-progress' || reason === 'taken-over') return undefined;
  const id = String(former?.id ?? '');
  const named = view.named.get(id);
  if (reason === 'removal' || reason === 'released') return removal(change, named, view);
  if (named !== undefined) return namedCheck(change, named, view);
  const live = view.tasks.get(id);
  if (live === undefined) return creation(change, view);
  const subject = markedTask(live);
  const { marker } = subject;
  if (reason === 'not-in-manifests') return orphan(change, subject, view);
  const desired = view.head.taskAt(address);
  if (desired === undefined) return undefined;
  return marker === undefined
    ? adoption(change, live, view)
    : present(change, desired, { ...subject, marker }, view);
}

/** By the current name in git or the former one: a new name does not bring back a task that somebody deleted. */
function isNamedBy(past: PastState, { address }: Change, head: PastState): boolean {
  const { collection, previousName } = head.taskAt(address) ?? {};
  const former = `${collection}/${previousName}`;
  return past.names(address) || (head.taskAt(former) === undefined && past.names(former));
}

function creation(change: Change, { head, base }: OnlyView): OriginCheck | undefined {
  const track = new AdditionTrack((past) => isNamedBy(past, change, head));
  if (base === undefined || !track.names(base)) return undefined;
  return whole(track, () => leftWhole(change, undefined, words.CREATED_BEFORE));
}

/** The marker of a released task can only have been restored by hand. A label has no time of its last write. */
function removal(change: Change, live: LiveNamed | undefined, view: OnlyView): OriginCheck {
  const track = new AdditionTrack((past) => past.removes(change.address));
  const written = live !== undefined && 'updated_at' in live ? Date.parse(live.updated_at) : undefined;
  return whole(track, () =>
    isAddition(track, written, view) ? undefined : leftWhole(change, undefined, words.REMOVED_BEFORE),
  );
}

function adoption(change: Change, live: LiveTask, view: OnlyView): OriginCheck {
  const given = change.reason === 'id-given';
  const track = new AdditionTrack((past) =>
    given ? past.adopts(live.id) : isNamedBy(past, change, view.head),
  );
  return whole(track, () =>
    isAddition(track, Date.parse(live.updated_at), view)
      ? undefined
      : leftWhole(change, live, words.ADOPTED_BEFORE),
  );
}

/** True if the base does not name it, or if nobody has written the live resource since git began to name it. */
function isAddition(track: AdditionTrack, written: number | undefined, { mode, base }: OnlyView): boolean {
  if (base !== undefined && !track.names(base)) return true;
  return mode === 'pending' && track.first !== undefined && isUntouched(written, track.first);
}

function whole(track: OriginCheck['track'], conclude: () => Left | undefined): OriginCheck {
  return {
    track,
    conclude: () => {
      const left = conclude();
      return left === undefined ? undefined : { left };
    },
  };
}

/** Git removed it. The removal is carried out only if an earlier commit describes the whole live resource. */
function orphan(change: Change, subject: MarkedTask, view: OnlyView): OriginCheck {
  const name = subject.marker?.name ?? change.name;
  const track = new FieldTrack([WHOLE], (past) => {
    const compared = past.compareTask(subject, [name], []);
    if (compared === undefined || compared.fields.length === 0) return compared;
    return { ...compared, fields: [{ path: WHOLE, sensitive: false }] };
  });
  const fields = new Fields(track, { view, written: undefined, sure: [], interrupted: false });
  return whole(track, () =>
    fields.why({ path: WHOLE, sensitive: false }) === undefined
      ? undefined
      : leftWhole(change, subject.task, words.ORPHAN_CHANGED),
  );
}

function namedCheck(change: Change, live: LiveNamed, view: OnlyView): OriginCheck {
  const asked = change.fields.filter(({ legacy }) => legacy !== true);
  const track = new FieldTrack(units(asked), (past) => past.compareNamed(live));
  const written = 'updated_at' in live ? Date.parse(live.updated_at) : undefined;
  const fields = new Fields(track, { view, written, sure: [], interrupted: false });
  return {
    track,
    conclude: () => {
      const left = fields.left(asked);
      if (left.length === 0) return undefined;
      const keep = { paths: units(left), state: false };
      return { left: { ...leftWhole(change, undefined, null), fields: left }, keep };
    },
  };
}

/**
 * An owned task that git describes: decided field by field, including the switch. If the task would be replaced, it is all or
 * nothing.
 */
function present(
  change: Change,
  desired: DesiredTask,
  subject: MarkedTask & { readonly marker: Marker },
  view: OnlyView,
): OriginCheck {
  const { task, marker } = subject;
  const { head } = view;
  const plan = head.switchOf(desired, subject);
  const asked = change.fields.filter(
    ({ path, legacy }) => legacy !== true && path !== 'name' && path !== 'project',
  );
  const names = [marker.name, ...(desired.previousName === undefined ? [] : [desired.previousName])];
  const track = new FieldTrack(units(asked), (past) =>
    past.compareTask(subject, names, desired.ignoreChanges),
  );
  const { armed } = marker;
  const fields = new Fields(track, {
    view,
    written: Date.parse(task.updated_at),
    // The mark itself says that this start or stop was not carried out. An apply would have changed the mark.
    sure: plan.type === 'start' || (plan.type === 'stop' && isArmedOrSettled(armed)) ? [STATE] : [],
    interrupted: isInterrupted(task),
  });
  return {
    track,
    conclude: () => {
      const found = fields.left(asked);
      const left = [...found, ...alsoLeft(change, plan.type, asked, found)];
      if (left.length === 0) return undefined;
      if (change.action === 'replace')
        return { left: { ...leftWhole(change, task, words.REPLACED_CHANGED), fields: left } };
      const paths = units(left).filter((path) => path !== STATE);
      const keep = { paths, state: left.some(({ path }) => path === STATE) };
      return { left: { ...leftWhole(change, task, null), fields: left }, keep };
    },
  };
}

/** A start that the project file asks for, and not git; or a start with a config that is partly somebody's. */
function alsoLeft(
  { reason, starts_trading, fields }: Change,
  plan: string,
  asked: readonly Field[],
  left: Left['fields'],
): Left['fields'] {
  const state = asked.find(({ path }) => path === STATE);
  if (state === undefined || !starts_trading || left.some(({ path }) => path === STATE)) return [];
  if (reason === 'resume-asked' || plan === 'finish') return [];
  if (plan === 'held') return [leftField(state, words.STOPPED_OUTSIDE)];
  return left.some(({ path }) => path.startsWith('config')) && fields.length > 0
    ? [leftField(state, words.MIXED_START)]
    : [];
}

interface FieldsInput {
  readonly view: OnlyView;
  readonly written: number | undefined;
  /** Fields for which an earlier commit with the live value is enough proof. */
  readonly sure: readonly string[];
  /** The mark of an interrupted apply is still there, so the last write was not a person's. */
  readonly interrupted: boolean;
}

/** Decides for each field of one resource whether git or a person changed it. */
class Fields {
  readonly #track: FieldTrack;
  readonly #input: FieldsInput;
  readonly #base: Comparison | undefined;

  constructor(track: FieldTrack, input: FieldsInput) {
    const { base } = input.view;
    this.#track = track;
    this.#input = input;
    this.#base = base === undefined ? undefined : track.compare(base);
  }

  left(asked: readonly Field[]): Left['fields'] {
    const why = new Map<string, string>();
    for (const field of asked) {
      const reason = this.why(field);
      // Lists are kept or written completely.
      if (reason !== undefined) why.set(unitOf(field.path), reason);
    }
    return asked.flatMap((field) => {
      const reason = why.get(unitOf(field.path));
      const secrets = [
        ...(this.#track.seen(unitOf(field.path))?.secrets ?? []),
        ...(this.#base?.secrets ?? []),
      ];
      return reason === undefined ? [] : [leftField(field, reason, secrets)];
    });
  }

  /** Undefined if git changed the field, and nobody else. */
  why(field: Field): string | undefined {
    const { view, written, sure, interrupted } = this.#input;
    const path = unitOf(field.path);
    if (this.#base !== undefined && !isOtherwise(this.#base, path)) return undefined;
    if (view.mode === 'change') return this.#ofBase(field, path);
    const seen = this.#track.seen(path);
    if (seen === undefined) return words.EDITED;
    const { movedOn } = seen;
    if (sure.includes(path) || isUntouched(written, movedOn)) return undefined;
    // If git moved on before that, the difference was left by an earlier run and was not part of the interrupted apply.
    if (interrupted && movedOn.place === this.#track.newest) return undefined;
    return words.setBack(movedOn);
  }

  #ofBase({ after, path: whole }: Field, path: string): string {
    if (this.#base === undefined) return words.NOT_IN_BASE;
    const there = this.#base.fields.find((field) => field.path === whole);
    const same = there !== undefined && isOtherwise(this.#base, path) && equal(there.after, after);
    return same ? words.NOT_OF_THIS_CHANGE : words.BOTH;
  }
}

function equal(a: unknown, b: unknown): boolean {
  return jsonEqual(a as Json | undefined, b as Json | undefined);
}

/** A field in a list belongs to the whole list. */
function unitOf(path: string): string {
  return path.replace(/\[.*$/, '');
}

function units(fields: readonly { readonly path: string }[]): readonly string[] {
  return [...new Set(fields.map(({ path }) => unitOf(path)))];
}

function leftField(field: Field, text: string, secrets: readonly string[] = []): Left['fields'][number] {
  return { ...shownField(field, secrets), text };
}

function leftWhole({ address, kind, id }: Change, live: LiveTask | undefined, text: string | null): Left {
  return { address, kind, id: live?.id ?? id, running: live?.is_active === true, text, fields: [] };
}
