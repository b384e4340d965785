import type { DriftCommit } from '../../model/generated/drift.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { Comparison, PastState } from '../../plan/history/past-state.ts';

/** An earlier commit, and the next one on the branch of HEAD, which changed the desired state. */
export interface CommitMatch {
  readonly commit: DriftCommit;
  readonly movedOn: DriftCommit | null;
  readonly secrets: readonly string[];
}

/** A commit that a search examines. */
interface Visit {
  readonly commit: DriftCommit;
  /** The commit is on the line of HEAD and its first parents. */
  readonly onLine: boolean;
  readonly movedOn: DriftCommit | null;
  /** Undefined if the project did not exist yet. */
  readonly past: PastState | undefined;
}

export interface Search {
  /** Earlier commits can add nothing. */
  readonly done: boolean;
  look(visit: Visit): void;
}

/** The switch is searched separately, because somebody who stops a task does not change its config. */
const STATE = 'state';

/** Finds the newest commit that describes a live resource as it is, and for each field the newest commit with its value. */
export class ContentSearch implements Search {
  readonly #compare: (past: PastState) => Comparison | undefined;
  readonly #paths: readonly string[];
  readonly #fields = new Map<string, CommitMatch>();
  /** All compared fields match, and nothing else differs. */
  #whole: CommitMatch | undefined;
  /** All except the switch match. */
  #content: CommitMatch | undefined;
  /** The newest commit that names the resource. */
  #named: (CommitMatch & Comparison) | undefined;

  /** `paths`: the fields that differ from git now. */
  constructor(paths: readonly string[], compare: (past: PastState) => Comparison | undefined) {
    this.#paths = paths;
    this.#compare = compare;
  }

  get done(): boolean {
    return this.#whole !== undefined;
  }

  get whole(): CommitMatch | undefined {
    return this.#whole;
  }

  get content(): CommitMatch | undefined {
    return this.#content;
  }

  get named(): (CommitMatch & Comparison) | undefined {
    return this.#named;
  }

  field(path: string): CommitMatch | undefined {
    return this.#fields.get(path);
  }

  look({ commit, movedOn, past }: Visit): void {
    const compared = past === undefined ? undefined : this.#compare(past);
    if (compared === undefined) return;
    const found = { commit, movedOn, secrets: compared.secrets };
    const differing = compared.fields.map(({ path }) => path);
    this.#named ??= { ...found, ...compared };
    for (const path of this.#paths) {
      if (!this.#fields.has(path) && !isSecretPath(differing, path)) this.#fields.set(path, found);
    }
    const asked = this.#paths.includes(STATE) ? differing : differing.filter((path) => path !== STATE);
    if (asked.length === 0) this.#whole ??= found;
    if (asked.every((path) => path === STATE)) this.#content ??= found;
  }
}

/** Finds the commit that added something: the oldest commit, going back from HEAD on its branch, that still names it. */
export class AdditionSearch implements Search {
  readonly #names: (past: PastState) => boolean;
  #last: DriftCommit | undefined;
  #before: DriftCommit | undefined;
  #over = false;

  constructor(names: (past: PastState) => boolean) {
    this.#names = names;
  }

  get done(): boolean {
    return this.#over;
  }

  /** `beginning`: the search reached the first commit, so the last examined commit is the result. */
  added(beginning: boolean): DriftCommit | undefined {
    return beginning || this.#before !== undefined ? this.#last : undefined;
  }

  /** The commit before the addition. */
  get before(): DriftCommit | undefined {
    return this.#before;
  }

  look({ commit, onLine, past }: Visit): void {
    if (this.#over) return;
    if (onLine && past !== undefined && this.#names(past)) {
      this.#last = commit;
      return;
    }
    this.#over = true;
    if (onLine) this.#before = commit;
  }
}
