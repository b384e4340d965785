import type { DriftCommit } from '../../model/generated/drift.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { Comparison, PastState } from '../../plan/history/past-state.ts';

/** An earlier commit, and the one after it on the branch of HEAD, which changed what it wanted. */
export interface CommitMatch {
  readonly commit: DriftCommit;
  readonly movedOn: DriftCommit | null;
  readonly secrets: readonly string[];
}

/** A commit that a search looks at. */
interface Visit {
  readonly commit: DriftCommit;
  /** On the line of HEAD and first parents. */
  readonly onLine: boolean;
  readonly movedOn: DriftCommit | null;
  /** Undefined where there was no project yet. */
  readonly past: PastState | undefined;
}

export interface Search {
  /** Nothing further back can say more. */
  readonly done: boolean;
  look(visit: Visit): void;
}

/** The switch is a question of its own: who stops a task does not touch its config. */
const STATE = 'state';

/** Looks for the newest commit that wants one live resource as it is, and for each field for the newest with its value. */
export class ContentSearch implements Search {
  readonly #compare: (past: PastState) => Comparison | undefined;
  readonly #paths: readonly string[];
  readonly #fields = new Map<string, CommitMatch>();
  /** All that is asked about agrees, and nothing else differs. */
  #whole: CommitMatch | undefined;
  /** The same without the switch. */
  #content: CommitMatch | undefined;
  /** The newest commit that names it at all. */
  #named: (CommitMatch & Comparison) | undefined;

  /** `paths`: in what it differs from git now. */
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

/** Looks for the commit that added something: the last one, going back from HEAD on its branch, that names it. */
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

  /** `beginning`: the first commit was reached, so that the last that was looked at is the one. */
  added(beginning: boolean): DriftCommit | undefined {
    return beginning || this.#before !== undefined ? this.#last : undefined;
  }

  /** The commit before that. */
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
