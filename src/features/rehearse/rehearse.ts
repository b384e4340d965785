import { applyPlan } from '../../act/apply-plan.ts';
import { idempotencyKey } from '../../act/idempotency.ts';
import type { ApplyResult } from '../../act/report.ts';
import { DEFAULT_CONCURRENCY } from '../../command/connection.ts';
import type { Io } from '../../command/io.ts';
import { type PresentOptions, present } from '../../command/output/present.ts';
import { refusalOf } from '../../command/show-diagnostics.ts';
import { VERSION } from '../../command/version.ts';
import { isFreeze } from '../../model/freeze.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { REHEARSAL_FORMAT, type Rehearsal, type RehearsedRequest } from '../../model/generated/rehearsal.ts';
import { type Collection, targetOf } from '../../model/kind.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import type { LiveState, LiveTask, LiveTemplate } from '../../model/resource.ts';
import { isRefused } from '../../plan/plan.ts';
import { type PlanningOptions, preparePlan } from '../../planning/planning.ts';
import type { Approved } from '../../planning/saved-plan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../ports/transport.ts';
import type { Change } from '../../sandbox/records.ts';
import { createSandbox, createSandboxTransport, type Sandbox } from '../../sandbox/sandbox.ts';
import { commit, emptyState } from '../../sandbox/state.ts';
import { parseAnswer } from '../../service/http/answer.ts';
import { createApi } from '../../service/http/client.ts';
import { AdaptiveLimiter } from '../../service/limits/limiter.ts';
import { readLive } from '../../service/view/read.ts';

export interface RehearseOptions extends PlanningOptions, PresentOptions {
  /** Milliseconds before each answer. */
  readonly latency?: number | undefined;
  readonly onFailure?: 'restore' | 'hold' | undefined;
}

/**
 * `tradeform rehearse`: plans, and carries the plan out on the embedded service in process, loaded with the live view. The real
 * service receives GET requests only. Returns the exit code: 0 if everything succeeded and a second plan would be empty, 1 if not,
 * 4 if the plan is refused.
 */
export async function runRehearse(options: RehearseOptions, io: Io): Promise<number> {
  const { plan, live, loaded, replan } = await preparePlan(options, io);
  if (isRefused(plan)) throw refusalOf(plan, loaded.sources);
  const rehearsal = await rehearsePlan({ ...options, plan, live, replan });
  const exitCode = rehearsal.ok && rehearsal.outcome === 'done' ? 0 : 1;
  return present({ document: rehearsal, known: { plan }, command: 'rehearse', exitCode }, options, io);
}

const LATENCY_MS = 50;

type RehearsalInput = Pick<RehearseOptions, 'latency' | 'concurrency' | 'onFailure'> &
  Pick<Approved, 'plan' | 'live' | 'replan'> &
  Partial<Pick<Approved, 'positions'>>;

/**
 * Carries a plan out on the embedded service, loaded with the live view, in virtual time: with the same executor, every request
 * validated, nothing sent. The sandbox's defaults decide what the interface leaves open.
 */
export async function rehearsePlan(input: RehearsalInput): Promise<Rehearsal> {
  const { plan, live, positions, onFailure = 'restore' } = input;
  const { latency = LATENCY_MS, concurrency = DEFAULT_CONCURRENCY } = input;
  const start = Date.parse(plan.created_at);
  const time = new VirtualTime(start);
  const sandbox = serviceOf(live, plan, time);
  const sent: Sent[] = [];
  const transport = slow(createSandboxTransport(sandbox, REHEARSAL_TOKEN), time, latency, sent);
  const random = () => 0;
  const limiter = new AdaptiveLimiter({ most: concurrency, clock: time, random });
  const userAgent = `tradeform/${VERSION}`;
  const apiWith = (token: string) => createApi({ transport, token, clock: time, random, userAgent, limiter });
  const never = new AbortController().signal;
  const report = await time.until(
    applyPlan(plan, {
      api: apiWith(REHEARSAL_TOKEN),
      clock: time,
      progress: { emit: () => undefined },
      concurrency: limiter,
      onFailure,
      stop: { soft: never, hard: never },
      toolVersion: VERSION,
      knownIds: new Set([...live.tasks, ...live.templates, ...live.labels].map(({ id }) => id)),
      viewedAt: start,
      positions,
    }),
  );
  const requests = [...sent];
  const duration = time.now() - start;
  const needed: ReadonlySet<Collection> = new Set();
  const after = await time.until(readLive({ api: apiWith(READING_TOKEN), clock: time, needed, limiter }));
  if (after.live === undefined) throw new Error('the result of the rehearsal cannot be read');
  const second = input.replan?.(after.live);
  const told = { requests, duration, running: after.live.tasks.filter(({ is_active }) => is_active).length };
  return rehearsalOf(report, second, told, { plan, latency, concurrency });
}

function rehearsalOf(
  report: ApplyResult,
  second: Plan | undefined,
  { requests, duration, running }: { requests: readonly Sent[]; duration: number; running: number },
  { plan, latency, concurrency }: { plan: Plan; latency: number; concurrency: number },
): Rehearsal {
  const { outcome, changes, left_paused } = report;
  const open = changes.flatMap(({ address, status, text }) =>
    status === 'failed' || status === 'unknown' || status === 'skipped' || status === 'blocked'
      ? [{ address, status, text }]
      : [],
  );
  const left = second?.changes.filter(({ operations }) => operations.length > 0);
  return {
    format: REHEARSAL_FORMAT,
    plan_digest: plan.digest,
    latency_ms: latency,
    concurrency,
    ok:
      open.every(({ status }) => status === 'blocked') &&
      left_paused.length === 0 &&
      (second === undefined || second.operations.length === 0),
    outcome,
    duration_ms: duration,
    requests: numbered(requests, Date.parse(plan.created_at), addressesById(plan, report)),
    paused: changes.flatMap(({ address, paused_ms }) => (paused_ms === null ? [] : [{ address, paused_ms }])),
    left_paused: left_paused.map(({ address, text }) => ({ address, text })),
    failures: open,
    running_after: running,
    second_plan: left?.map(({ address, actions }) => ({ address, actions })) ?? null,
  };
}

function serviceOf(live: LiveState, plan: Plan, time: VirtualTime): Sandbox {
  const state = emptyState();
  commit(state, [...liveChanges(live, time.now()), ...usedKeys(live, plan)]);
  return createSandbox({ clock: time, state });
}

interface Sent {
  readonly at: number;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

function slow(transport: Transport, time: VirtualTime, latency: number, sent: Sent[]): Transport {
  return {
    async send(request) {
      const at = time.now();
      await time.sleep(latency / 2);
      const response = await transport.send(request);
      sent.push({ at, request, response });
      await time.sleep(latency / 2);
      return response;
    },
    close: () => transport.close(),
  };
}

function addressesById(plan: Plan, report: ApplyResult): ReadonlyMap<string, string> {
  return new Map(
    [
      ...plan.changes.flatMap(({ address, id, replaces_id }) => [
        { address, id },
        { address, id: replaces_id },
      ]),
      ...report.changes,
    ].flatMap(({ address, id }) => (id === null ? [] : [[id, address] as const])),
  );
}

/** In the order in which they reach the service. */
function numbered(
  sent: readonly Sent[],
  start: number,
  addresses: ReadonlyMap<string, string>,
): RehearsedRequest[] {
  return sent.map(({ at, request, response }) => {
    const id = targetOf(request.path)?.id ?? createdId(request, response);
    const address = id === undefined ? undefined : addresses.get(id);
    return {
      at_ms: at - start,
      method: request.method,
      path: request.path,
      status: response.status,
      ...(address === undefined ? {} : { address }),
    };
  });
}

/** The id that the answer to a create has. */
function createdId({ method }: HttpRequest, response: HttpResponse): string | undefined {
  if (method !== 'POST') return undefined;
  const answer = parseAnswer(method, response, (text) => text);
  return answer.type === 'ok' && typeof answer.data?.id === 'string' ? answer.data.id : undefined;
}

/** Time that passes only while everything waits for it. A rehearsal of an hour takes only its computing time. */
export class VirtualTime implements Clock {
  #now: number;
  #waiting: { readonly at: number; readonly wake: () => void }[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      const at = this.#now + Math.max(0, ms);
      let place = this.#waiting.length;
      while (place > 0 && (this.#waiting[place - 1]?.at ?? 0) > at) place -= 1;
      this.#waiting.splice(place, 0, { at, wake: resolve });
    });
  }

  /** Lets time pass until the promise settles. Throws if nothing is left that could settle it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let ended = false;
    const note = () => {
      ended = true;
    };
    promise.then(note, note);
    for (;;) {
      // By then, every promise that can settle without time passing has settled.
      await new Promise((resolve) => setImmediate(resolve));
      if (ended) return promise;
      const next = this.#waiting.shift();
      if (next === undefined) throw new Error('the rehearsal waits for something that never comes');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

const ACCOUNT = 'rehearsed';
/** The token of a rehearsal, unknown to any service. It has the scopes and the expiry of the real token. */
const REHEARSAL_TOKEN = 'svc_live_00000000.rehearsal';
/** A token without an expiry, for reading the result. */
const READING_TOKEN = 'svc_live_00000001.rehearsal';

/** The changes that load the live view into the embedded service, with ids, versions, times and scopes. */
function liveChanges({ account, tasks, templates, labels }: LiveState, now: number): readonly Change[] {
  const { login_username, quota, expires_at: expires, scopes } = account;
  const at = (text: string) => {
    const time = Date.parse(text);
    return Number.isNaN(time) ? now : time;
  };
  const stored = <R extends LiveTask | LiveTemplate>(resource: R) => ({
    ...resource,
    account: ACCOUNT,
    created_at: at(resource.created_at),
    updated_at: at(resource.updated_at),
  });
  const token = (text: string, expires_at: number | null): Change => {
    const [id = '', secret = ''] = text.slice('svc_live_'.length).split('.');
    const record = { id, account: ACCOUNT, secret, version: 1, scopes, expires_at, ip_allowlist: null };
    return { type: 'token', record };
  };
  // Tasks of kinds that the token cannot read, and of other accounts in a family.
  const elsewhere = Math.max(0, quota.used - tasks.length);
  const own = { id: ACCOUNT, login_username, family_role: 'none', quota_max: quota.max } as const;
  return [
    { type: 'account', record: { ...own, quota_elsewhere: elsewhere } },
    token(REHEARSAL_TOKEN, expires === null ? null : at(expires)),
    token(READING_TOKEN, null),
    ...labels.map(({ id, name: shown, sort_order }): Change => {
      // What waits for the end of a freeze is rehearsed as well.
      const name = isFreeze({ name: shown }) ? shown.replace(/freeze/i, 'thawed') : shown;
      const times = { created_at: now, updated_at: now };
      return { type: 'label', record: { id, account: ACCOUNT, name, sort_order: sort_order ?? 0, ...times } };
    }),
    ...templates.map((template): Change => ({ type: 'template', record: stored(template) })),
    ...tasks.map((task): Change => ({ type: 'task', record: { ...stored(task), template_id: null } })),
  ];
}

/**
 * The keys with which owned tasks were created. The service remembers them for 24 hours, so a replaced task needs another key. The
 * counter in a key is unknown, and the first one is assumed.
 */
function usedKeys({ tasks }: LiveState, plan: Pick<Plan, 'project' | 'previous_project'>): readonly Change[] {
  const project = plan.previous_project ?? plan.project;
  return tasks.flatMap((task): readonly Change[] => {
    const { id, collection, created_at } = task;
    const marker = ownMarkerOf(task, { project: plan.project, previousProject: project });
    const at = Date.parse(created_at);
    if (marker === undefined || Number.isNaN(at)) return [];
    const key = `${ACCOUNT} ${idempotencyKey(project, `${collection}/${marker.name}`, 0)}`;
    return [{ type: 'replay', record: { key, fingerprint: '', at, answer: null, resource: id } }];
  });
}
