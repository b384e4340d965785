import type { Fault, FaultMoment, FaultRule } from '../core/model/generated/sandbox.ts';
import type { HttpResponse } from '../core/ports/transport.ts';
import { refuse } from './handle.ts';
import type { SandboxEnv } from './request.ts';

interface Armed {
  readonly rule: FaultRule;
  readonly pattern: RegExp;
  seen: number;
  struck: number;
  /** Times of the requests in the window of a rate limit. */
  recent: number[];
}

/** Injected faults, in the order in which they were added. Deterministic: they depend only on requests and time. */
export class Faults {
  readonly #armed: Armed[] = [];

  /** Throws a SyntaxError for a path that is no regular expression. */
  add(...rules: readonly FaultRule[]): void {
    for (const rule of rules) {
      this.#armed.push({ rule, pattern: new RegExp(rule.path ?? ''), seen: 0, struck: 0, recent: [] });
    }
  }

  clear(): void {
    this.#armed.length = 0;
  }

  /** How often each rule struck so far. */
  struck(): readonly number[] {
    return this.#armed.map((armed) => armed.struck);
  }

  /** True while a `stale` fault may still strike, so that answers must be kept. */
  keepsAnswers(): boolean {
    return this.#armed.some((armed) => armed.rule.fault.type === 'stale' && !isSpent(armed));
  }

  /** The faults that strike a request: any number of delays and header changes, and at most one other. */
  take(method: string, path: string, now: number, authorization = ''): readonly Fault[] {
    const taken: Fault[] = [];
    for (const armed of this.#armed) {
      const { rule, pattern } = armed;
      if (isSpent(armed) || (rule.method !== undefined && rule.method !== method) || !pattern.test(path))
        continue;
      if (rule.token !== undefined && !authorization.startsWith(`Bearer ${rule.token}.`)) continue;
      armed.seen += 1;
      if (armed.seen <= (rule.skip ?? 0)) continue;
      if (rule.fault.type === 'rate-limit' && !exceeds(armed, rule.fault, now)) continue;
      armed.struck += 1;
      taken.push(rule.fault);
      if (rule.fault.type !== 'delay' && rule.fault.type !== 'headers') break;
    }
    return taken;
  }
}

function isSpent({ rule, struck }: Armed): boolean {
  const times = rule.times ?? (rule.fault.type === 'rate-limit' ? 0 : 1);
  return times > 0 && struck >= times;
}

function exceeds(armed: Armed, limit: { max: number; window_ms: number }, now: number): boolean {
  armed.recent = armed.recent.filter((at) => now - at < limit.window_ms);
  if (armed.recent.length >= limit.max) return true;
  armed.recent.push(now);
  return false;
}

/** The result of a request: an answer, complete or cut, or none. */
export type Delivery =
  | {
      readonly type: 'answer';
      readonly response: HttpResponse;
      /** Set if the connection breaks after this many bytes of the body. */
      readonly breaksAfter?: number;
    }
  /** The connection broke. `committed` says whether the request was carried out. */
  | { readonly type: 'dropped'; readonly committed: boolean }
  /** No answer will ever arrive. */
  | { readonly type: 'hung'; readonly committed: boolean };

/** The delivery that a fault causes at a moment. Undefined if the fault does nothing at that moment. */
export function faultDelivery(
  fault: Fault,
  moment: FaultMoment,
  requestId: string,
  env: SandboxEnv,
): Delivery | undefined {
  const committed = moment === 'after-commit';
  if (fault.type === 'rate-limit') {
    return committed ? undefined : { type: 'answer', response: tooMany(fault.window_ms, requestId, env) };
  }
  if (!('when' in fault ? (fault.when ?? 'before') === moment : moment === 'before')) return undefined;
  switch (fault.type) {
    case 'drop':
      return { type: 'dropped', committed };
    case 'hang':
      return { type: 'hung', committed };
    case 'error':
      return { type: 'answer', response: injectedError(fault, requestId, env) };
    case 'status': {
      const headers = { 'content-type': 'application/json', ...fault.headers };
      return { type: 'answer', response: { status: fault.status, headers, body: fault.body ?? '' } };
    }
    case 'html': {
      const body = '<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>\n';
      const headers = { 'content-type': 'text/html' };
      return { type: 'answer', response: { status: fault.status ?? 502, headers, body } };
    }
    default:
      return undefined;
  }
}

function tooMany(windowMs: number, requestId: string, env: SandboxEnv): HttpResponse {
  const refused = { code: 'rate_limit_exceeded', message: 'Too many requests.', fields: [] } as const;
  return refuse(refused, requestId, env, Math.max(1, Math.ceil(windowMs / 1000)));
}

function injectedError(
  fault: Extract<Fault, { type: 'error' }>,
  requestId: string,
  env: SandboxEnv,
): HttpResponse {
  const wait = fault.retry_after;
  const refused = { code: fault.code, message: 'This error was injected.', fields: [] };
  const response = refuse(refused, requestId, env, typeof wait === 'number' ? wait : undefined);
  const { 'retry-after': usual, ...headers } = response.headers;
  const told = typeof wait === 'string' ? wait : wait === null ? undefined : usual;
  return { ...response, headers: told === undefined ? headers : { ...headers, 'retry-after': told } };
}

/** An answer after faults changed its headers or its length. */
export function spoil(response: HttpResponse, faults: readonly Fault[]): Delivery {
  let changed = response;
  for (const fault of faults) {
    if (fault.type !== 'headers') continue;
    const headers = { ...changed.headers, ...fault.set };
    for (const name of fault.remove ?? []) delete headers[name];
    changed = { ...changed, headers };
  }
  const cut = faults.find((fault) => fault.type === 'truncate');
  if (cut === undefined) return { type: 'answer', response: changed };
  const bytes = cut.bytes ?? Math.floor(Buffer.byteLength(changed.body) / 2);
  if (cut.ended !== true) return { type: 'answer', response: changed, breaksAfter: bytes };
  const body = Buffer.from(changed.body).subarray(0, bytes).toString();
  return { type: 'answer', response: { ...changed, body } };
}
