import { setTimeout as wait } from 'node:timers/promises';
import { applyPlan } from '../../src/act/apply-plan.ts';
import type { ApplyResult } from '../../src/act/report.ts';
import type { DesiredState } from '../../src/desired/state.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import { KINDS } from '../../src/model/kind.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { SILENT } from '../../src/ports/output.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { createApi } from '../../src/service/http/client.ts';
import { SYSTEM_CLOCK } from '../../src/service/http/clock.ts';
import { createHttpTransport, type HttpLimits } from '../../src/service/http/transport.ts';
import { AdaptiveLimiter } from '../../src/service/limits/limiter.ts';
import { readLive } from '../../src/service/view/read.ts';
import { CANARY } from '../cmd/run.ts';
import { readInput } from '../support/builders.ts';

/** What `tradeform apply` does, in this process: the real reader, planner, executor and HTTP client. */
export interface Runner {
  plan(desired: DesiredState): Promise<Plan>;
  apply(plan: Plan): Promise<ApplyResult>;
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

/** `delay`: milliseconds before each request. */
export function createRunner(
  baseUrl: string,
  delay: () => number,
  { limits = {}, concurrency = 8 }: { limits?: Partial<HttpLimits>; concurrency?: number } = {},
): Runner {
  const http = createHttpTransport({ baseUrl, concurrency, limits });
  const transport: Transport = {
    send: async (request) => {
      const ms = delay();
      if (ms > 0) await wait(ms);
      return http.send(request);
    },
    close: () => http.close(),
  };
  const clock = SYSTEM_CLOCK;
  const limiter = new AdaptiveLimiter({ most: concurrency, clock, random: Math.random });
  const api = createApi({ transport, token: CANARY, clock, random: Math.random, userAgent: 'test', limiter });
  return {
    plan: async (desired) => {
      const needed = new Set(KINDS.map(({ collection }) => collection));
      const { live, diagnostics } = await readLive({ api, clock, needed, limiter });
      if (live === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
      return makePlan(readInput(desired, live));
    },
    apply: (plan) =>
      applyPlan(plan, {
        api,
        clock,
        progress: SILENT,
        concurrency: limiter,
        onFailure: 'restore',
        stop: { soft: NEVER, hard: NEVER },
        toolVersion: '0.0.0',
      }),
    close: () => transport.close(),
  };
}
