import type { DriftCommit } from '../../model/generated/drift.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { Comparison, PastState } from '../history/past-state.ts';

/** A commit on the line of first parents of HEAD: the states of the branch, one after another. */
export interface Step {
  readonly commit: DriftCommit;
  /** The time of the commit, in milliseconds since the epoch: nobody can have applied it earlier. */
  readonly made: number;
  /** The number of newer commits on the line. */
  readonly place: number;
}

/**
 * The desired state of a commit: undefined if it has no project, or another one; `broken` if it does not compile here.
 */
export type Past = PastState | 'broken' | undefined;

/** The commit after the newest commit with the live value of a field. */
interface Seen {
  readonly movedOn: Step;
  readonly secrets: readonly string[];
}

/** git's dates are whole seconds. */
const SECOND = 1_000;

/**
 * True if nobody wrote the resource after the commit was made: then the commit was not applied, and nobody restored a
 * value since. `written`: in milliseconds since the epoch; undefined for resources without such a time.
 */
export function isUntouched(written: number | undefined, { made }: Step): boolean {
  return written === undefined || written < made + SECOND;
}

/** Finds, for each field of one live resource, the commit with which git moved on from the live value. */
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

  /** `newer`: the next commit of the line, even if it does not compile here. It may have compiled and been applied elsewhere. */
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

/** True if a commit has another value for a field than the live one. */
export function isOtherwise({ fields }: Comparison, path: string): boolean {
  return isSecretPath(
    fields.map((field) => field.path),
    path,
  );
}

/** Finds the commit that began to name something that every later commit of the line names. */
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
