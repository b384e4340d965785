import { createHash } from 'node:crypto';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isTaskCollection } from '../../model/kind.ts';

/** The part of a plan that `--canary` leaves for later. */
export interface Canary {
  /** As it was asked for: `5%` or a number of tasks. */
  readonly share: string;
  /** Tasks that are changed now. */
  readonly tasks: number;
  /** Tasks that the whole plan changes. */
  readonly of: number;
  /** Addresses at which nothing is done. */
  readonly exclude: ReadonlySet<string>;
}

/** `5%`, from 1 to 100, or a number of tasks. */
export function isShare(text: string): boolean {
  return /^(?:[1-9]\d{0,4}|(?:100|[1-9]\d?)%)$/.test(text);
}

/**
 * Chooses that part of the tasks that a plan changes, one at least, by SHA-256 over the plan's digest and the address: the same plan
 * gives the same tasks on any machine, and what is left afterwards is another plan, which gives others. Labels and templates follow the
 * tasks that need them; the others are left too. A plan that changes no task is left whole. `share` is one that {@link isShare}.
 */
export function canaryOf({ changes, digest }: Pick<Plan, 'changes' | 'digest'>, share: string): Canary {
  const worked = changes.filter(({ operations }) => operations.length > 0);
  const tasks = worked.filter(({ kind }) => isTaskCollection(kind)).map(({ address }) => address);
  const asked = share.endsWith('%')
    ? Math.ceil((tasks.length * Number(share.slice(0, -1))) / 100)
    : Number(share);
  const weight = (address: string) => createHash('sha256').update(`${digest}\0${address}`).digest('hex');
  const ranked = tasks.toSorted((a, b) => compareTexts(weight(a), weight(b)));
  const chosen = new Set(ranked.slice(0, asked));
  const left = tasks.length === 0 ? [] : worked.filter(({ address }) => !chosen.has(address));
  const exclude = new Set(left.map(({ address }) => address));
  return { share, tasks: chosen.size, of: tasks.length, exclude };
}
