import type { DriftCommit } from '../../model/generated/drift.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { Comparison, PastState } from '../history/past-state.ts';

/** A commit on the line of HEAD and first parents: what the branch was, one after the other. */
export interface Step {
  readonly commit: DriftCommit;
  /** Before this nobody can have applied it, in milliseconds since the epoch. */
  readonly made: number;
  /** How many commits of the line are newer. */
  readonly place: number;
}

/** The desired state of a commit: undefined where it has no project, or another one; `broken` where it does not compile here. */
export type Past = PastState | 'broken' | undefined;

/** The commit after the newest one that wants a field as it is on the service. */
interface Seen {
  readonly movedOn: Step;
  readonly secrets: readonly string[];
}

/** git's dates are whole seconds. */
const SECOND = 1_000;

/**
 * Nobody wrote the resource after a commit was made: the commit was not applied, and nobody can have set anything back since.
 * `written`: in milliseconds since the epoch; undefined for what has no such time.
 */
export function isUntouched(written: number | undefined, { made }: Step): boolean {
  return written === undefined || written < made + SECOND;
}

/** Looks, for each field of one live resource, for the commit with which git moved on from the value that is live. */
export class FieldTrack {
  readonly compare: (past: PastState) => Comparison | undefined;
  readonly #paths: readonly string[];
  readonly #seen = new Map<string, Seen>();

  constructor(paths: readonly string[], compare: (past: PastState) => Comparison | undefined) {
    this.#paths = paths;
    this.compare = compare;
  }

  get open(): boolean {
    return this.#seen.size < this.#paths.length;
  }

  /** `newer`: the next commit of the line, also where it does not compile here; where it did it may have been applied. */
  look(past: Past, newer: Step | undefined): void {
    if (typeof past !== 'object' || newer === undefined) return;
    const compared = this.compare(past);
    if (compared === undefined) return;
    const { secrets } = compared;
    for (const path of this.#paths) {
      if (!this.#seen.has(path) && !isOtherwise(compared, path))
        this.#seen.set(path, { movedOn: newer, secrets });
    }
  }

  seen(path: string): Seen | undefined {
    return this.#seen.get(path);
  }

  /** The newest commit with which git moved on from any of the fields. */
  get newest(): number {
    return Math.min(...[...this.#seen.values()].map(({ movedOn }) => movedOn.place));
  }
}

/** True where a commit wants a field otherwise than it is. */
export function isOtherwise({ fields }: Comparison, path: string): boolean {
  return isSecretPath(
    fields.map((field) => field.path),
    path,
  );
}

/** Looks for the commit that began to name something, and after which no commit of the line did not. */
export class AdditionTrack {
  readonly names: (past: PastState) => boolean;
  #first: Step | undefined;
  #over = false;

  constructor(names: (past: PastState) => boolean) {
    this.names = names;
  }

  get open(): boolean {
    return !this.#over;
  }

  look(past: Past, here: Step): void {
    if (this.#over) return;
    if (past === 'broken' || (past !== undefined && this.names(past))) this.#first = here;
    else this.#over = true;
  }

  get first(): Step | undefined {
    return this.#first;
  }
}
