import type { DesiredState, DesiredTask } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Touched } from '../model/address.ts';
import { byKey } from '../model/by-key.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Change } from '../model/generated/plan.ts';
import { markerOf, ownMarkerOf } from '../model/marker.ts';
import { SECRETABLE } from '../model/parts.ts';
import type { LiveState } from '../model/resource.ts';
import { addressesNamedBy, orphanAddresses } from '../plan/identity/never-named.ts';
import { labelBook, planNamed } from '../plan/named/labels-and-templates.ts';
import { secretPaths } from '../plan/secrets.ts';
import { AdditionTrack, isOneProject, namesOf, type Past, PastState, type Step } from './tracks.ts';
import { type OriginView, type Question, questionOf, type Verdict } from './verdict.ts';

export interface OriginInput {
  /** All differences, without `--only`. */
  readonly changes: readonly Change[];
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** How many commits there are up to HEAD; undefined if that is not known. */
  readonly number: number | undefined;
  /** The state of `--base`, and the number of the newest commit of the first-parent line that it contains. */
  readonly base: { readonly state: DesiredState; readonly number: number | undefined } | undefined;
  /** `--only`: asks which tasks other commits had otherwise, so that their number is renewed (DESIGN 3, "The version", rule 3). */
  readonly renews: boolean;
}

/** A question about one task to the commits between a number and HEAD. */
interface AskedTask {
  readonly task: DesiredTask;
  readonly since: number;
  /** The version has no number: its commit may be any one that describes the task so. */
  readonly unnumbered?: boolean;
  /** True for what makes the answer yes; undefined: the commit lacks the task. */
  isOther(former: DesiredTask | undefined): boolean;
  /** The addresses with the answer yes. */
  readonly found: Set<string>;
}

/** So many commits are compiled for these questions at most: a plan is made all the time. */
const MOST_LOOKS = 100;

/** A commit of the history, newest first. */
export interface Visit {
  readonly commit: DriftCommit;
  /** Its number, if it is on the first-parent line; undefined if it was merged from beside the line. */
  readonly number: number | undefined;
  /** `none`: the project did not exist yet. `broken`: nothing of it can be read here. */
  readonly state: DesiredState | 'none' | 'broken';
  /** Set if a part of it, or all, could not be read or compiled here. */
  readonly unread: Diagnostic | undefined;
}

/** Looks for something in earlier commits. */
export interface Seeker {
  /**
   * True if the commit of this number could add something; undefined: it was merged from beside the line. `touched`: what differs from
   * the next newer one of the line.
   */
  wants(number: number | undefined, touched: () => Touched): boolean;
  look(visit: Visit): void;
  /** No commit follows. `whole`: the first commit was passed. */
  end(whole: boolean): void;
}

/**
 * Says of each difference between git and the service who made it: git, a person, both, or unknown (DESIGN 3, "The version"). The
 * marker says what was applied last, and the history has its text. Everything that asks this question projects the verdicts:
 * `drift`, `--only`, and the marks of a plan. Pass commits newest first while `open` is true. Pure, except for its own state.
 */
export class Origin implements Seeker {
  readonly view: OriginView;
  readonly #questions: readonly Question[];
  readonly #unnamed: Set<string>;
  readonly #renewed = new Set<string>();
  readonly #retargeted = new Set<string>();
  #asked: readonly AskedTask[];
  readonly #others = new Set<AskedTask>();
  /** How many commits were compiled for these questions alone. */
  #looks = 0;
  /** The earliest commit of the line that came. */
  #reached = Infinity;
  /** Paths of values that come from the environment at the base, by address. */
  readonly #secrets: ReadonlyMap<string, readonly string[]>;
  /** True if a part of a commit could not be read, or until the first commit is passed. */
  #unread = true;
  #lacks = false;

  constructor(private readonly input: OriginInput) {
    const { changes, desired, live, base, number } = input;
    const labels = labelBook(desired.labels, planNamed(desired.labels, live.labels), live);
    const past = (state: DesiredState) => new PastState(state, live, labels);
    this.#unnamed = new Set(orphanAddresses(desired, live));
    this.view = {
      head: past(desired),
      base: base === undefined ? undefined : past(base.state),
      number,
      retargeted: this.#retargeted,
      neverNamed: this.#unnamed,
      tasks: new Map(live.tasks.map((task) => [task.id, task])),
      named: new Map([...live.templates, ...live.labels].map((item) => [item.id, item])),
    };
    this.#questions = changes.flatMap((change) => questionOf(change, this.view) ?? []);
    this.#secrets = base === undefined ? new Map() : secretPaths(base.state);
    this.#asked = input.renews ? this.#asks() : [];
    if (base === undefined) return;
    this.#strike(base.state);
    this.#compare(this.view.base, undefined);
  }

  /** True if an earlier commit could add something. */
  get open(): boolean {
    const { number = 0 } = this.view;
    return this.#searches || this.#asked.some(({ since }) => since < number - 1);
  }

  get #searches(): boolean {
    return this.#unnamed.size > 0 || this.#questions.some(({ tracks }) => tracks.some(({ open }) => open));
  }

  wants(number: number | undefined, touched: () => Touched): boolean {
    if (number !== undefined) this.#reached = number;
    if (this.#searches) return true;
    const asked = this.#asked.filter(({ since }) => number !== undefined && since < number);
    const other = asked.length === 0 ? new Set<string>() : touched();
    if (other !== 'all' && !asked.some(({ task }) => other.has(task.address))) return false;
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) this.#renewRest(this.#reached);
    return this.#looks <= MOST_LOOKS;
  }

  /** A commit up to this one, which nobody looks at, may have had anything. The next plan begins at the new number. */
  #renewRest(newest: number): void {
    this.#asked = this.#asked.filter(({ task, since, found }) => {
      const isRenewed = found === this.#renewed && since < newest;
      if (isRenewed) found.add(task.address);
      return !isRenewed;
    });
  }

  look({ commit, number, state, unread }: Visit): void {
    const { desired, live } = this.input;
    if (unread !== undefined) this.#lacks = true;
    if (typeof state === 'object') this.#strike(state);
    const past: Past =
      state === 'broken'
        ? 'broken'
        : state === 'none' || !isOneProject(state, desired)
          ? undefined
          : new PastState(state, live, this.view.head.labels, unread === undefined);
    if (number !== undefined) this.#compare(past, number);
    const here: Step = { commit, number };
    for (const { tracks } of this.#questions)
      for (const track of tracks) if (track.open) track.look(past, here);
  }

  end(whole: boolean): void {
    if (!whole) {
      this.#renewRest(this.#reached - 1);
      return;
    }
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

  /** Addresses of tasks that the base, or a commit since the one that their version is from, describes otherwise or not at all. */
  get renewed(): ReadonlySet<string> {
    return this.#renewed;
  }

  /** Asks about each task that is as git wants it, and about the target of each that is missing. */
  #asks(): readonly AskedTask[] {
    const { desired, live, base } = this.input;
    const versions = byKey(live.tasks, (task) => `${task.collection}/${ownMarkerOf(task, desired)?.name}`);
    return desired.tasks.flatMap((task): readonly AskedTask[] => {
      const names = namesOf(task).map((name) => `${task.collection}/${name}`);
      const owned = names.flatMap((name) => versions.get(name) ?? []).map((one) => markerOf(one)?.version);
      if (owned.length === 0) {
        const isOther = (former: DesiredTask | undefined) =>
          former !== undefined &&
          former.secrets?.includes('target_wallet') !== true &&
          former.target_wallet !== task.target_wallet;
        return [{ task, since: base?.number ?? Infinity, isOther, found: this.#retargeted }];
      }
      const digest = versionDigest(task);
      const numbers = owned.flatMap((version) => (version?.digest === digest ? [version.number] : []));
      if (numbers.length === 0) return [];
      const since = Math.min(...numbers);
      const isOther = (former: DesiredTask | undefined) =>
        former?.name !== task.name || versionDigest(former) !== digest;
      return [{ task, since, unnumbered: since === 0, isOther, found: this.#renewed }];
    });
  }

  /** `number`: undefined for the base. */
  #compare(past: Past, number: number | undefined): void {
    this.#asked = this.#asked.filter((asked) => {
      const { task, since, unnumbered, isOther, found } = asked;
      if (number !== undefined && number <= since) return true;
      // What cannot be read may want anything.
      const isBroken = past === 'broken';
      const isOne = isOther(isBroken ? undefined : past?.taskNamed(task.collection, namesOf(task)));
      const isFound =
        unnumbered === true && number !== undefined ? this.#others.has(asked) && (isBroken || !isOne) : isOne;
      if (isOne) this.#others.add(asked);
      if (isFound) found.add(task.address);
      return !isFound;
    });
  }

  #strike(state: DesiredState): void {
    // Under another project name, the commit describes tasks of another project.
    if (!isOneProject(state, this.input.desired)) return;
    for (const address of addressesNamedBy(state)) this.#unnamed.delete(address);
  }
}
