import type { ApplyResult } from '../../src/core/act/report.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import { driftItemsOf, type RawItem } from '../../src/core/features/drift/pure/cases.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import { Origin } from '../../src/core/origin/origin.ts';
import type { PlanInput } from '../../src/core/plan/input.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import { selectFrom } from '../../src/core/planning/only.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { Transport } from '../../src/core/ports/transport.ts';
import { createApi } from '../../src/core/service/http/client.ts';
import { readInput } from '../support/builders.ts';
import { applyWith } from '../support/world.ts';

/** Which commit a run carries out, and how. */
export interface Carried {
  /** The states of its history, from the root to its commit. */
  readonly past: readonly DesiredState[];
  /** `only`: `apply --only pending`; `plain`: `apply`; `rollback`: `rollback` to `to`. */
  readonly way: 'only' | 'plain' | 'rollback';
  readonly to: DesiredState | undefined;
  /** `--base`. */
  readonly base?: { readonly state: DesiredState; readonly number: number } | undefined;
}

/** A plan, and what `drift` says on the same view. */
export interface Planned {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly drift: readonly RawItem[];
}

/** One process at one commit: the real reader, planner, origin and executor, as `src/core/planning` joins them, without git. */
export class Runner {
  readonly #carried: Carried;
  readonly #clock: Clock;
  readonly #api;

  constructor(carried: Carried, transport: Transport, token: string, clock: Clock) {
    this.#carried = carried;
    this.#clock = clock;
    this.#api = createApi({ transport, token, clock, random: () => 0.5, userAgent: 'test' });
  }

  plan(live: LiveState): Planned {
    return { ...this.#planOn(live), live };
  }

  apply({ plan, live }: Planned): Promise<ApplyResult> {
    return applyWith(
      {
        api: this.#api,
        clock: this.#clock,
        concurrency: 1,
        knownIds: new Set(live.tasks.map(({ id }) => id)),
        viewedAt: live.readAt,
      },
      plan,
    );
  }

  #planOn(live: LiveState): Omit<Planned, 'live'> {
    const { past, way, to, base } = this.#carried;
    const head = past.at(-1);
    if (head === undefined) throw new Error('no commit');
    const input: PlanInput = {
      ...readInput(way === 'rollback' && to !== undefined ? to : head, live, { allowEmpty: true }),
      source: { commit: null, dirty: false, manifestsDigest: '', number: past.length },
      numbered: way === 'rollback',
    };
    const plan = makePlan(input);
    if (way !== 'only') return { plan, drift: [] };
    const told = this.#origin(plan, head, live, undefined, false);
    const drift = told.verdicts.flatMap((verdict) => driftItemsOf(verdict, told.view, 'all'));
    const origin = this.#origin(plan, head, live, base, true);
    const neverNamed = { addresses: origin.view.neverNamed, limit: undefined, unattended: true };
    const found = { origin, limit: undefined, lacks: false, problem: undefined };
    return { plan: makePlan(selectFrom(found, plan.changes, { ...input, neverNamed })), drift };
  }

  #origin(
    plan: Plan,
    desired: DesiredState,
    live: LiveState,
    base: Carried['base'],
    renews: boolean,
  ): Origin {
    const { past } = this.#carried;
    const origin = new Origin({ changes: plan.changes, desired, live, number: past.length, base, renews });
    for (let at = past.length - 1; at >= 0; at -= 1) {
      if (!origin.wants(at + 1, () => 'all')) continue;
      const commit = { hash: `c${at + 1}`, date: '2026-06-01T12:00:00Z', subject: '' };
      origin.look({ commit, number: at + 1, state: past[at] ?? 'none', unread: undefined });
    }
    if (origin.open) origin.end(true);
    return origin;
  }
}
