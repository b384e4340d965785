import type { Fault, FaultRule } from '../model/generated/sandbox.ts';

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
