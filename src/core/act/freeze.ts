import { isFreeze } from '../model/freeze.ts';
import type { Change } from '../model/generated/plan.ts';
import { isLabel, type LiveLabel } from '../model/resource.ts';
import { isBlockedByFreeze } from '../plan/stakes/frozen.ts';
import type { Veto, Vetoed } from '../ports/api.ts';
import { Readings } from './find-owners.ts';
import { type Failure, refusal } from './outcome.ts';
import type { Requests } from './requests.ts';

/** Milliseconds that a reading of the labels counts, and where a change begins: a paused task rarely waits for a reading then. */
const FRESH_MS = { start: 5_000, change: 1_000 };

type NamedLabel = Pick<LiveLabel, 'id' | 'name'>;

/**
 * Whether something is frozen (DESIGN 3, "The freeze"). The labels are read before the first start of an apply, and again where the
 * last reading is older than five seconds when a start is sent, however long it waited. All chains share a reading.
 */
export class Freeze implements Veto {
  private found: Failure<never> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  /**
   * `requests`: urgent ones, because a paused task may wait for them. `seesLabels`: the token could read labels when the run began.
   * `holds`: which labels count; default: all. `ended`: the labels that the command itself takes away.
   */
  constructor(
    private readonly requests: Requests,
    private readonly seesLabels: boolean,
    private readonly holds: (label: NamedLabel) => boolean = isFreeze,
    private readonly ended: readonly NamedLabel[] = [],
  ) {}

  /** Why a change may not begin now, or its start not be sent. */
  async before(change: Change, begins: boolean): Promise<Failure<never> | undefined> {
    return isBlockedByFreeze(change) ? this.seen(begins ? FRESH_MS.change : FRESH_MS.start) : undefined;
  }

  /** Why nothing may start now. */
  async seen(fresh = FRESH_MS.start): Promise<Failure<never> | undefined> {
    if (!this.isRead(fresh)) {
      this.reading ??= this.read().finally(() => {
        this.reading = undefined;
      });
      await this.reading;
    }
    return this.found;
  }

  isFresh(): boolean {
    return this.found === undefined && this.isRead(FRESH_MS.start);
  }

  async look(): Promise<Vetoed | undefined> {
    const found = await this.seen();
    return found && { type: 'vetoed', code: found.error?.code ?? found.kind, message: found.text };
  }

  private isRead(fresh: number): boolean {
    return this.requests.clock.now() - this.readAt < fresh;
  }

  private async read(): Promise<void> {
    // What is set while the answer is on its way is not in it.
    const begun = this.requests.clock.now();
    const { labels, failure } = await readFreezes(this.requests, this.seesLabels);
    const isEnded = ({ id, name }: NamedLabel) =>
      this.ended.some((one) => one.id === id && one.name === name);
    const label = labels.find((one) => this.holds(one) && !isEnded(one));
    this.found = label === undefined ? failure : frozenBy(label);
    this.readAt = begun;
  }
}

/** The labels that freeze anything. Without a scope for labels a freeze cannot be seen; a scope that goes is a failure. */
export async function readFreezes(
  requests: Requests,
  seesLabels: boolean,
): Promise<{ readonly labels: readonly LiveLabel[]; readonly failure?: Failure<never> }> {
  const pass = await new Readings().pass('label', requests);
  if (pass.type === 'read') return { labels: pass.resources.filter(isLabel).filter(isFreeze) };
  const { outcome } = pass;
  if (!seesLabels && outcome.type === 'error' && outcome.code === 'insufficient_scope') return { labels: [] };
  return { labels: [], failure: refusal('Reading the labels before a start', outcome) };
}

export function frozenBy({ name }: LiveLabel): Failure<never> {
  const text = `Starts are frozen by the label ${JSON.stringify(name.trim())}.`;
  return { kind: 'frozen', text, error: { code: 'frozen', status: null, message: text, fields: [] } };
}
