import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import { isArmedOrSettled, isUnmarked } from '../../model/armed.ts';
import type { DriftCommit } from '../../model/generated/drift.ts';
import type { Left, Plan } from '../../model/generated/plan.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../../model/resource.ts';
import { isOneProject, PastState } from '../history/past-state.ts';
import { labelBook, planNamed } from '../named/labels-and-templates.ts';
import { keptConfig } from '../task/compare-task.ts';
import { FieldTrack, type Past, type Step } from './field-tracks.ts';
import { type Keep, type OriginCheck, originCheckOf } from './origin-checks.ts';
import type { Only, OnlyMode } from './selection.ts';

interface OnlyInput {
  readonly mode: OnlyMode;
  /** The plan of an apply without the option, on this live view. */
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** The desired state of `--base`: what it lacks was never applied. Always set for `change`. */
  readonly base: DesiredState | undefined;
}

/** The desired state that is planned instead, and the differences that are left. */
interface OnlySelection {
  /** With the live values of everything that stays. */
  readonly desired: DesiredState;
  readonly only: Only;
}

/**
 * Separates what git changed from what people changed on the service, field by field (DESIGN 9). A difference is git's
 * if the live value is that of the base or of an earlier commit of the branch, and nobody can have restored it since
 * git moved on; otherwise it is left. Pass commits newest first while `open` is true. Pure, except for its own state.
 */
export class OnlySearch {
  readonly #input: OnlyInput;
  readonly #head: PastState;
  readonly #checks: readonly OriginCheck[];
  #newer: Step | undefined;
  #offLine = false;

  constructor(input: OnlyInput) {
    const { mode, plan, desired, live, base } = input;
    const labels = labelBook(desired.labels, planNamed(desired.labels, live.labels).drafts, live);
    const past = (state: DesiredState) => new PastState(state, live, labels, Date.parse(plan.created_at));
    this.#input = input;
    this.#head = past(desired);
    const view = {
      mode,
      head: this.#head,
      base: base === undefined ? undefined : past(base),
      tasks: new Map(live.tasks.map((task) => [task.id, task])),
      named: new Map([...live.templates, ...live.labels].map((item) => [item.id, item])),
    };
    this.#checks = plan.changes.flatMap((change) => originCheckOf(change, view) ?? []);
  }

  /**
   * True if an earlier commit could add information. Commits that were merged from beside the line were never the state
   * of the branch.
   */
  get open(): boolean {
    if (this.#input.mode === 'change' || this.#offLine) return false;
    return this.#checks.some(({ track }) => track.open);
  }

  look({ commit, made, onLine, state }: Visit): void {
    if (!onLine) {
      this.#offLine = true;
      return;
    }
    const { plan, desired, live } = this.#input;
    const here: Step = { commit, made, place: (this.#newer?.place ?? -1) + 1 };
    const past: Past =
      state === 'broken'
        ? 'broken'
        : state === 'none' || !isOneProject(state, desired)
          ? undefined
          : new PastState(state, live, this.#head.labels, Date.parse(plan.created_at));
    for (const { track } of this.#checks) {
      if (!track.open) continue;
      if (track instanceof FieldTrack) track.look(past, this.#newer);
      else track.look(past, here);
    }
    this.#newer = here;
  }

  selection(): OnlySelection {
    const { mode, desired, live } = this.#input;
    const left: Left[] = [];
    const exclude = new Set<string>();
    const stay = new Set<string>();
    const keeps = new Map<string, Keep>();
    for (const check of this.#checks) {
      const verdict = check.conclude();
      if (verdict === undefined) continue;
      const { address } = verdict.left;
      left.push(verdict.left);
      if (verdict.keep === undefined) exclude.add(address);
      else keeps.set(address, verdict.keep);
      if (verdict.keep?.state === true) stay.add(address);
    }
    return { desired: narrowed(desired, this.#input.plan, live, keeps), only: { mode, exclude, stay, left } };
  }
}

interface Visit {
  readonly commit: DriftCommit;
  readonly made: number;
  readonly onLine: boolean;
  readonly state: DesiredState | 'none' | 'broken';
}

/**
 * The desired state with the live values of everything that stays. The same planner plans it, and guardrails, digest
 * and exposure cover exactly what is carried out. `keeps`: by the addresses of changes in the plan.
 */
function narrowed(
  desired: DesiredState,
  { changes }: Plan,
  live: LiveState,
  keeps: ReadonlyMap<string, Keep>,
): DesiredState {
  if (keeps.size === 0) return desired;
  const ids = new Map(changes.map(({ address, former }) => [address, String(former?.id ?? '')]));
  const byId = <Item extends { readonly id: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.id, item]));
  const each = <Want extends { readonly address: string }, Live extends { readonly id: string }>(
    wants: readonly Want[],
    lives: readonly Live[],
    kept: (want: Want, live: Live, keep: Keep) => Want,
  ) => {
    const found = byId(lives);
    return wants.map((want) => {
      const keep = keeps.get(want.address);
      const item = found.get(ids.get(want.address) ?? '');
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

function keptTask(want: DesiredTask, live: LiveTask, { paths, state }: Keep): DesiredTask {
  const kept = { ...want, ignoreChanges: [...want.ignoreChanges, ...paths] };
  return state ? atRest(kept, live) : kept;
}

/**
 * Keeps the switch unchanged. Afterwards the mark has the same meaning as before: whether an apply without the option would start,
 * hold or stop the task.
 */
function atRest(want: DesiredTask, live: LiveTask): DesiredTask {
  const { armed, rearm } = markerOf(live) ?? {};
  if (live.is_active) return { ...want, state: isArmedOrSettled(armed) ? 'active' : 'manual' };
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
