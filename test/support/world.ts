import { applyPlan } from '../../src/act/apply-plan.ts';
import type { ApplyResult } from '../../src/act/report.ts';
import type { ApplyDeps } from '../../src/act/run.ts';
import type { DesiredState } from '../../src/desired/state.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { SeedAccount } from '../../src/model/generated/sandbox.ts';
import { KINDS } from '../../src/model/kind.ts';
import type { LiveState } from '../../src/model/resource.ts';
import type { PlanOptions } from '../../src/plan/input.ts';
import { makePlan } from '../../src/plan/plan.ts';
import type { Api } from '../../src/ports/api.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { SILENT } from '../../src/ports/output.ts';
import type { Transport } from '../../src/ports/transport.ts';
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
  /** Straight to the sandbox. */
  readonly transport: Transport;
  /** A client of its own. */
  api(transport?: Transport): Api;
  read(): Promise<LiveState>;
  plan(desired: DesiredState, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(plan: Plan, over?: Partial<ApplyDeps>): Promise<ApplyResult>;
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
  const never = new AbortController().signal;
  const world: World = {
    sandbox,
    clock,
    transport,
    api: (through = transport) => {
      const token = sandbox.tokens()[0]?.token ?? '';
      const limiter = new AdaptiveLimiter({ most: 4, clock, random: () => 0.5 });
      return createApi({ transport: through, token, clock, random: () => 0.5, userAgent: 'test', limiter });
    },
    read: async () => {
      const needed = new Set(KINDS.map(({ collection }) => collection));
      const { live, diagnostics } = await readLive({ api: world.api(), clock, needed });
      if (live === undefined)
        throw new Error(`the view failed: ${diagnostics.map(({ message }) => message).join('; ')}`);
      return live;
    },
    plan: async (desired, options) => makePlan(readInput(desired, await world.read(), options)),
    apply: (plan, over = {}) =>
      applyPlan(plan, {
        api: world.api(),
        clock,
        progress: SILENT,
        concurrency: 4,
        onFailure: 'restore',
        stop: { soft: never, hard: never },
        toolVersion: '0.0.0',
        ...over,
      }),
  };
  return world;
}
