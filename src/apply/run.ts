import { idsOfChange } from '../model/change.ts';
import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { LiveResource } from '../model/resource.ts';
import type { Api } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Progress } from '../ports/output.ts';
import type { Readings } from './readings.ts';

/** The dependencies of an apply. It uses nothing else from outside: no environment, no randomness, no other clock. */
export interface ApplyDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly progress: Progress;
  /**
   * How many chains run in parallel: a fixed number, or the limiter that the API client reduces when the service
   * throttles.
   */
  readonly concurrency: number | Limiter;
  /** What to do with a task that this run paused if its change fails (DESIGN 7). */
  readonly onFailure: 'restore' | 'hold';
  /** First and second Ctrl-C: start nothing new; stop at once. */
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly toolVersion: string;
  /**
   * Ids that the view showed: a create that returns one of them is a replay of another create. Ids in the plan are
   * known anyway.
   */
  readonly knownIds?: ReadonlySet<string>;
  /** When the reading of the view began, in milliseconds since the epoch; default: now. */
  readonly viewedAt?: number;
  /** For a saved plan: the positions where an earlier run left each chain (`checkFresh`). */
  readonly positions?: ReadonlyMap<string, Position>;
}

/** How far an earlier run carried out the chain of one address, and the resources that exist now. */
export interface Position {
  /** Operations done, from the first. */
  readonly done: number;
  /** By id; created resources also by their placeholder `{<address>}`. */
  readonly resources: ReadonlyMap<string, LiveResource>;
}

/** The state that the chains of one apply share. */
export class Run {
  readonly plan: Plan;
  readonly deps: ApplyDeps;
  /** Ids of created resources, by address. */
  readonly created = new Map<string, string>();
  /** Ids that are in use: no create may return one of them. */
  readonly known: ReadonlySet<string>;
  readonly diagnostics: PlanDiagnostic[] = [];
  readonly readings: Readings;
  /** When the view was read, in milliseconds since the epoch: later creates are not in it. */
  readonly viewedAt: number;
  /** Kinds whose configs the service does not store as sent, and the fields. */
  private readonly altered = new Map<string, readonly string[]>();
  /** Why nothing new is started; undefined while new chains may start. */
  closed: string | undefined;
  private readonly close: () => void;

  constructor(plan: Plan, deps: ApplyDeps, readings: Readings, close: () => void) {
    this.plan = plan;
    this.deps = deps;
    this.known = new Set([...idsIn(plan), ...(deps.knownIds ?? [])]);
    this.readings = readings;
    this.close = close;
    this.viewedAt = deps.viewedAt ?? deps.clock.now();
    if (deps.stop.soft.aborted) this.interrupt();
    else deps.stop.soft.addEventListener('abort', () => this.interrupt(), { once: true });
  }

  credentialRefused(code: string): void {
    this.closed ??= `Not started: the service refuses the token (${code}).`;
    this.close();
  }

  /** The service stored another value than was sent: no further config of that kind is written (DESIGN 5). */
  echoDiffers(kind: string, address: string, fields: readonly string[]): void {
    const config = fields.filter((field) => field.startsWith('config.'));
    if (config.length > 0) this.altered.set(kind, [...(this.altered.get(kind) ?? []), ...config]);
    this.diagnostics.push({
      severity: 'error',
      code: 'echo-differs',
      message: `The service stored a value different from the one sent, in ${fields.join(', ')}.`,
      hint: 'Write these fields as the service stores them.',
      address,
    });
  }

  /** The fields because of which no config of this kind is written any more. */
  alteredFields(kind: string): readonly string[] | undefined {
    return this.altered.get(kind);
  }

  private interrupt(): void {
    this.closed ??= 'Not started: interrupted.';
  }
}

function idsIn(plan: Plan): readonly string[] {
  return [...plan.changes.flatMap(idsOfChange), ...plan.observations.map(({ id }) => id)];
}
