import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyDeps } from './deps.ts';
import type { Readings } from './readings.ts';

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
    this.closed ??= `Not started: the credential is refused (${code}).`;
    this.close();
  }

  /** The service stored something else than was sent: no further config of that kind is written (DESIGN 5). */
  echoDiffers(kind: string, address: string, fields: readonly string[]): void {
    const config = fields.filter((field) => field.startsWith('config.'));
    if (config.length > 0) this.altered.set(kind, [...(this.altered.get(kind) ?? []), ...config]);
    this.diagnostics.push({
      severity: 'error',
      code: 'echo-differs',
      message: `The service stored something else than was sent in ${fields.join(', ')}.`,
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
