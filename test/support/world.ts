import { applyPlan } from '../../src/core/act/apply-plan.ts';
import type { ApplyResult } from '../../src/core/act/report.ts';
import type { ApplyDeps } from '../../src/core/act/run.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import { isFreeze } from '../../src/core/model/freeze.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { KINDS } from '../../src/core/model/kind.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import type { PlanOptions } from '../../src/core/plan/input.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import type { Api } from '../../src/core/ports/api.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { Limiter } from '../../src/core/ports/limiter.ts';
import { SILENT } from '../../src/core/ports/output.ts';
import type { Transport } from '../../src/core/ports/transport.ts';
import { createApi } from '../../src/core/service/http/client.ts';
import { AdaptiveLimiter } from '../../src/core/service/limits/limiter.ts';
import { readLive } from '../../src/core/service/view/read.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { readInput, uuid } from './builders.ts';
import { fixedLimiter } from './fixed-limiter.ts';
import { createSandboxTransport } from './sandbox-transport.ts';

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

/** One process of tradeform, without files: the real client, reader, planner and executor. */
export interface Runner {
  readonly api: Api;
  read(): Promise<LiveState>;
  plan(desired: DesiredState, options?: Partial<PlanOptions>): Promise<Plan>;
  apply(plan: Plan, over?: Over): Promise<ApplyResult>;
}

export interface RunnerParts {
  readonly transport: Transport;
  readonly token: string;
  readonly clock: Clock;
  readonly random?: () => number;
  /** Requests at once. */
  readonly most?: number;
}

export function createRunner(parts: RunnerParts): Runner {
  const { transport, token, clock, random = () => 0.5, most = 4 } = parts;
  const limiter = new AdaptiveLimiter({ most, clock, random });
  const api = createApi({ transport, token, clock, random, userAgent: 'test', limiter });
  const runner: Runner = {
    api,
    read: async () => {
      const needed = new Set(KINDS.map(({ collection }) => collection));
      const { live, diagnostics } = await readLive({ api, clock, needed, limiter });
      if (live === undefined)
        throw new Error(`the view failed: ${diagnostics.map(({ message }) => message).join('; ')}`);
      return live;
    },
    plan: async (desired, options) => makePlan(readInput(desired, await runner.read(), options)),
    apply: (plan, over) => applyWith({ api, clock, concurrency: limiter, ...over }, plan),
  };
  return runner;
}

/** How an apply differs from one that nobody stops, of a view that was read right before. */
export type Over = Partial<ApplyDeps> & { readonly concurrency?: number | Limiter };

export function applyWith(
  { concurrency = 4, ...deps }: Over & Pick<ApplyDeps, 'api' | 'clock'>,
  plan: Plan,
): Promise<ApplyResult> {
  const { signal: never } = new AbortController();
  return applyPlan(plan, {
    ...{ progress: SILENT, onFailure: 'restore', stop: { soft: never, hard: never }, toolVersion: '0.0.0' },
    ...{ knownIds: new Set(), seesLabels: true, freezes: isFreeze, viewedAt: deps.clock.now() },
    limiter: typeof concurrency === 'number' ? fixedLimiter(concurrency) : concurrency,
    ...deps,
  });
}

/** Runners with the sandbox core in process. */
export interface World extends Omit<Runner, 'api'> {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Straight to the sandbox. */
  readonly transport: Transport;
  /** A client of its own. */
  api(transport?: Transport): Api;
}

export function createWorld(account: SeedAccount, choices: Partial<Choices> = {}): World {
  const clock = virtualClock();
  let ids = 0x9000;
  const newId = () => {
    ids += 1;
    return uuid(ids);
  };
  const sandbox = createSandbox({ clock, newId, choices, seed: { accounts: [account] } });
  const straight = createSandboxTransport(sandbox);
  const runner = (transport = straight) =>
    createRunner({ transport, token: sandbox.tokens()[0]?.token ?? '', clock });
  return {
    sandbox,
    clock,
    transport: straight,
    api: (transport) => runner(transport).api,
    read: () => runner().read(),
    plan: (desired, options) => runner().plan(desired, options),
    apply: (plan, over) => runner().apply(plan, { concurrency: 4, ...over }),
  };
}
