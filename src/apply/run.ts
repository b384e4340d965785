import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { LiveResource } from '../model/resource.ts';
import type { Api } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Progress } from '../ports/output.ts';
import type { Readings } from './readings.ts';

/** What carrying out a plan needs from outside; nothing else is read: no environment, no randomness, no other clock. */
export interface ApplyDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Chains at work at once: a fixed number, or the limiter that the API client shrinks when the service throttles. */
  readonly concurrency: number | Limiter;
  /** What becomes of a task that this run paused and whose change then failed (DESIGN 7). */
  readonly onFailure: 'restore' | 'hold';
  /** First and second Ctrl-C: start nothing new; stop at once. */
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly toolVersion: string;
  /** Ids that the view showed: a create that answers one of them replayed something else. Ids in the plan are known anyway. */
  readonly knownIds?: ReadonlySet<string>;
  /** When the reading of the view began, in milliseconds since the epoch; now, where it is not said. */
  readonly viewedAt?: number;
  /** Of a saved plan: where an earlier run of it left each chain (`checkFresh`). */
  readonly positions?: ReadonlyMap<string, Position>;
}

/** How far the chain of one address has been carried out already, and what is there now. */
export interface Position {
  /** Operations done, from the first. */
  readonly done: number;
  /** By id; what the plan creates also by its placeholder `{<address>}`. */
  readonly resources: ReadonlyMap<string, LiveResource>;
}

/** What the chains of one apply share. */
export class Run {
  readonly plan: Plan;
  readonly deps: ApplyDeps;
  /** Id of what was created, by address. */
  readonly created = new Map<string, string>();
  /** Ids that stand for something already: no create may answer one of them. */
  readonly known: ReadonlySet<string>;
  readonly diagnostics: PlanDiagnostic[] = [];
  readonly readings: Readings;
  /** What was created later is not in the view; in milliseconds since the epoch. */
  readonly viewedAt: number;
  /** Kinds whose configs the service does not store as sent, with the fields. */
  private readonly altered = new Map<string, readonly string[]>();
  /** Why nothing new is started; undefined while it is. */
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

  /** The service stored something else than was sent: no further config of that kind is written (DESIGN 5). */
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

  /** Fields because of which no config of this kind is written any more. */
  alteredFields(kind: string): readonly string[] | undefined {
    return this.altered.get(kind);
  }

  private interrupt(): void {
    this.closed ??= 'Not started: interrupted.';
  }
}

function idsIn(plan: Plan): readonly string[] {
  const ids = plan.changes.flatMap(({ id, replaces_id, former, successor }) => [
    id,
    replaces_id,
    former?.id,
    successor?.id,
  ]);
  return [...ids, ...plan.observations.map(({ id }) => id)].filter((id) => typeof id === 'string');
}
