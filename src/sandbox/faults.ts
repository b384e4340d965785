import type { ErrorCode } from './refusal.ts';

/** When a fault strikes: `before` the service sees the request, or `after-commit` of what it asked for. */
export type FaultMoment = 'before' | 'after-commit';

export type Fault =
  /** An error of the service itself. `retry_after`: seconds, any text, or null for no header. */
  | {
      readonly type: 'error';
      readonly code: ErrorCode;
      readonly when?: FaultMoment;
      readonly retry_after?: number | string | null;
    }
  /** Any other answer, such as one of a gateway. */
  | {
      readonly type: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly when?: FaultMoment;
    }
  /** An HTML page, default `502`. */
  | { readonly type: 'html'; readonly status?: number; readonly when?: FaultMoment }
  /** The connection breaks. */
  | { readonly type: 'drop'; readonly when?: FaultMoment }
  /** No answer ever. */
  | { readonly type: 'hang'; readonly when?: FaultMoment }
  /** Half an answer (or `bytes` of it): the connection breaks, or with `ended` the answer looks complete. */
  | { readonly type: 'truncate'; readonly bytes?: number; readonly ended?: boolean }
  | { readonly type: 'delay'; readonly ms: number }
  /**
   * The request is delivered twice: at once, or the second time right before the `after`-th request from now. `answer`
   * says which of two immediate answers the caller sees.
   */
  | { readonly type: 'duplicate'; readonly after?: number; readonly answer?: 'first' | 'second' }
  /** Headers of the answer set or removed; `etag: 'W/"v3"'` for instance. */
  | {
      readonly type: 'headers';
      readonly set?: Readonly<Record<string, string>>;
      readonly remove?: readonly string[];
    }
  /** A GET is answered as the same GET was answered last, while the fault waited (use `skip`). */
  | { readonly type: 'stale' }
  /** `rate_limit_exceeded` after `max` requests within `window_ms`. */
  | { readonly type: 'rate-limit'; readonly max: number; readonly window_ms: number };

export interface FaultRule {
  /** Any method when absent. */
  readonly method?: string;
  /** A regular expression against path and query; any path when absent. */
  readonly path?: string;
  /** How many matching requests it strikes; default 1, 0 for all. */
  readonly times?: number;
  /** Matching requests to let through first. */
  readonly skip?: number;
  readonly fault: Fault;
}

interface Armed {
  readonly rule: FaultRule;
  readonly pattern: RegExp;
  seen: number;
  struck: number;
  /** Times of the requests within the window of a rate limit. */
  recent: number[];
}

/** Injected faults in the order in which they were added. Deterministic: they depend on requests and time alone. */
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

  /** True while a `stale` fault may still strike, so that answers have to be kept. */
  keepsAnswers(): boolean {
    return this.#armed.some((armed) => armed.rule.fault.type === 'stale' && !isSpent(armed));
  }

  /**
   * The faults that strike a request: any number of delays and header changes, and at most one of the others.
   */
  take(method: string, path: string, now: number): readonly Fault[] {
    const taken: Fault[] = [];
    for (const armed of this.#armed) {
      const { rule, pattern } = armed;
      if (isSpent(armed) || (rule.method !== undefined && rule.method !== method) || !pattern.test(path))
        continue;
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
