import type { DesiredState } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Change, Plan } from '../model/generated/plan.ts';
import type { LiveState } from '../model/resource.ts';
import { addressesNamedBy, orphanAddresses } from '../plan/identity/never-named.ts';
import { labelBook, planNamed } from '../plan/named/labels-and-templates.ts';
import { SECRETABLE, secretPaths } from '../plan/secrets.ts';
import { AdditionTrack, isOneProject, namesOf, type Past, PastState, type Step } from './tracks.ts';
import { type OriginView, type Question, questionOf, type Verdict } from './verdict.ts';

export interface OriginInput {
  /** A plan of all differences, without `--only`. */
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** How many commits there are up to HEAD; undefined if that is not known. */
  readonly number: number | undefined;
  /**
   * The state of `--base`, and the number of the newest commit of the first-parent line that it contains. Without the number, nobody
   * asks what changed since.
   */
  readonly base: { readonly state: DesiredState; readonly number: number | undefined } | undefined;
}

/** A commit of the history, newest first. */
interface Visit {
  readonly commit: DriftCommit;
  /** Its number, if it is on the first-parent line; undefined if it was merged from beside the line. */
  readonly number: number | undefined;
  /** `none`: the project did not exist yet. `broken`: nothing of it can be read here. */
  readonly state: DesiredState | 'none' | 'broken';
  /** Set if a part of it, or all, could not be read or compiled here. */
  readonly unread: Diagnostic | undefined;
}

/**
 * Says of each difference between git and the service who made it: git, a person, both, or unknown (DESIGN 3, "The version"). The
 * marker says what was applied last, and the history has its text. Everything that asks this question projects the verdicts:
 * `drift`, `--only`, and the marks of a plan. Pass commits newest first while `open` is true. Pure, except for its own state.
 */
export class Origin {
  readonly view: OriginView;
  readonly #input: OriginInput;
  readonly #questions: readonly Question[];
  readonly #unnamed: Set<string>;
  readonly #changed = new Set<string>();
  readonly #retargeted = new Set<string>();
  /** Paths of values that come from the environment at the base, by address. */
  readonly #secrets: ReadonlyMap<string, readonly string[]>;
  /** True if a part of a commit could not be read, or until the first commit is passed. */
  #unread = true;
  #lacks = false;

  constructor(input: OriginInput) {
    const { plan, desired, live, base, number } = input;
    const labels = labelBook(desired.labels, planNamed(desired.labels, live.labels).drafts, live);
    const past = (state: DesiredState) => new PastState(state, live, labels);
    this.#input = input;
    this.view = {
      head: past(desired),
      base: base === undefined ? undefined : past(base.state),
      number,
      retargeted: this.#retargeted,
      tasks: new Map(live.tasks.map((task) => [task.id, task])),
      named: new Map([...live.templates, ...live.labels].map((item) => [item.id, item])),
    };
    this.#questions = plan.changes.flatMap((change) => questionOf(change, this.view) ?? []);
    this.#unnamed = new Set(orphanAddresses(desired, live));
    this.#secrets = base === undefined ? new Map() : secretPaths(base.state);
    if (base === undefined) return;
    this.#strike(base.state);
    this.#compare(this.view.base);
  }

  /** True if an earlier commit could add something. */
  get open(): boolean {
    const { number = 0 } = this.view;
    return this.wants(number - 1);
  }

  /** True if the commit of this number could add something; undefined: it was merged from beside the line. */
  wants(number: number | undefined): boolean {
    if (this.#isSinceBase(number) || this.#unnamed.size > 0) return true;
    return this.#questions.some(({ tracks }) => tracks.some(({ open }) => open));
  }

  look({ commit, number, state, unread }: Visit): void {
    const { desired, live } = this.#input;
    if (unread !== undefined) this.#lacks = true;
    if (typeof state === 'object') this.#strike(state);
    const past: Past =
      state === 'broken'
        ? 'broken'
        : state === 'none' || !isOneProject(state, desired)
          ? undefined
          : new PastState(state, live, this.view.head.labels, unread === undefined);
    // What cannot be read may want anything else.
    if (this.#isSinceBase(number)) this.#compare(past === 'broken' ? undefined : past);
    const here: Step = { commit, number };
    for (const { tracks } of this.#questions)
      for (const track of tracks) if (track.open) track.look(past, here);
  }

  /** The first commit was passed. */
  end(): void {
    this.#unread = this.#lacks;
    for (const { tracks } of this.#questions)
      for (const track of tracks) if (track instanceof AdditionTrack) track.end();
  }

  get verdicts(): readonly Verdict[] {
    return this.#questions.map(({ tracks, verdict }) => {
      const found = verdict();
      const { change } = found;
      const mayHide = tracks.some((track) => track.mayHide(this.#unread));
      const further = mayHide ? SECRETABLE : this.#atBase(change);
      const secrets = [...(change.secrets ?? []), ...found.secrets, ...further];
      return { ...found, change: { ...change, secrets }, secrets };
    });
  }

  #atBase({ address, previous_address: former }: Change): readonly string[] {
    const { collection, previousName } = this.view.head.taskAt(address) ?? {};
    const names = [address, former ?? '', `${collection}/${previousName}`];
    return names.flatMap((name) => this.#secrets.get(name) ?? []);
  }

  /** Addresses of owned tasks that neither the manifests, nor the base, nor a commit that was passed names. */
  get neverNamed(): ReadonlySet<string> {
    return this.#unnamed;
  }

  /** Addresses of tasks that the base, or a commit between the base and HEAD, describes otherwise or not at all. */
  get changedSinceBase(): ReadonlySet<string> {
    return this.#changed;
  }

  #isSinceBase(number: number | undefined): boolean {
    const since = this.#input.base?.number;
    const head = this.view.number;
    return (
      since !== undefined && head !== undefined && number !== undefined && since < number && number < head
    );
  }

  #compare(past: PastState | undefined): void {
    for (const task of this.#input.desired.tasks) {
      const former = past?.taskNamed(task.collection, namesOf(task));
      const isSecret = former?.secrets?.includes('target_wallet') === true;
      if (former !== undefined && !isSecret && former.target_wallet !== task.target_wallet)
        this.#retargeted.add(task.address);
      if (former?.name !== task.name || versionDigest(former) !== versionDigest(task))
        this.#changed.add(task.address);
    }
  }

  #strike(state: DesiredState): void {
    // Under another project name, the commit describes tasks of another project.
    if (!isOneProject(state, this.#input.desired)) return;
    for (const address of addressesNamedBy(state)) this.#unnamed.delete(address);
  }
}
