import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { DesiredState } from '../../src/desired/state.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import type { SeedAccount } from '../../src/model/generated/sandbox.ts';
import { KINDS } from '../../src/model/kind.ts';
import type { LiveState } from '../../src/model/resource.ts';
import type { PlanOptions } from '../../src/plan/input.ts';
import { makePlan } from '../../src/plan/plan.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { SILENT } from '../../src/ports/output.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { createSandbox, createSandboxTransport, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createApi } from '../../src/service/http/client.ts';
import { AdaptiveLimiter } from '../../src/service/limits/limiter.ts';
import { readLive } from '../../src/service/view/read.ts';
import { readInput, uuid } from './builders.ts';

/** Time that passes only while somebody sleeps, and a little with every reading. */
export function virtualClock(start = Date.parse('2026-06-01T12:00:00Z')): Clock {
  let now = start;
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

/** The real reader, planner and executor with the sandbox core in process. */
export interface World {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  read(): Promise<LiveState>;
  plan(desired: DesiredState, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(plan: Plan): Promise<ApplyReport>;
}

export function createWorld(account: SeedAccount, choices: Partial<Choices> = {}): World {
  const clock = virtualClock();
  let ids = 0x9000;
  const newId = () => {
    ids += 1;
    return uuid(ids);
  };
  const sandbox = createSandbox({ clock, newId, choices, seed: { accounts: [account] } });
  const transport = createSandboxTransport(sandbox);
  const limiter = new AdaptiveLimiter({ most: 4, clock, random: () => 0.5 });
  const token = sandbox.tokens()[0]?.token ?? '';
  const api = createApi({ transport, token, clock, random: () => 0.5, userAgent: 'test', limiter });
  const never = new AbortController().signal;
  const world: World = {
    sandbox,
    clock,
    read: async () => {
      const needed = new Set(KINDS.map(({ collection }) => collection));
      const { live, diagnostics } = await readLive({ api, clock, needed });
      if (live === undefined)
        throw new Error(`the view failed: ${diagnostics.map(({ message }) => message).join('; ')}`);
      return live;
    },
    plan: async (desired, options) => makePlan(readInput(desired, await world.read(), options)),
    apply: (plan) =>
      applyPlan(plan, {
        api,
        clock,
        progress: SILENT,
        concurrency: 4,
        onFailure: 'restore',
        stop: { soft: never, hard: never },
        toolVersion: '0.0.0',
      }),
  };
  return world;
}
