import type { Collection } from '../model/kind.ts';
import type { LiveResource } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { type AccountResult, readAccount } from '../service/resources/account.ts';
import { traverse } from '../service/resources/pages.ts';
import type { Requests } from './requests.ts';
import type { Release } from './scheduler.ts';

/** One traversal of a collection: all that came by. */
export type Pass =
  | { readonly type: 'read'; readonly resources: readonly LiveResource[] }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

/** Waits for a slot that no chain wants; undefined where no slot is needed any more. */
type LastTurn = () => Promise<Release | undefined>;

/** The readings of one thing, one after another. */
interface Line {
  /** Resolves once the reading that is under way has ended. */
  ended: Promise<unknown>;
  /** Not begun yet: whoever asks now shares it; and how long it took, in milliseconds. */
  next: Promise<{ readonly result: unknown; readonly took: number }> | undefined;
}

/**
 * What the creates of a run read when the service refuses one, each reading once for all who ask for it (DESIGN 7). What is
 * asked about has happened before the question: whoever asks gets a reading that begins after that, never one that is
 * under way. So that many can ask before it begins, it lets every other chain go first, and whoever waits for it gives its
 * slot away. Where a task stands still for the answer, it is read at once.
 */
export class Readings {
  /** Codes of refusals without a cause that can be seen: since when, without a create between that went through. */
  readonly unseen: Map<string, number>;
  private readonly lines = new Map<string, Line>();
  private readonly lastTurn: LastTurn | undefined;

  /** Without `lastTurn` whoever asks reads at once, for itself. */
  constructor(lastTurn?: LastTurn, unseen = new Map<string, number>()) {
    this.lastTurn = lastTurn;
    this.unseen = unseen;
  }

  /** The same, for whoever has to see what is there at this very moment. */
  atOnce(): Readings {
    return new Readings(undefined, this.unseen);
  }

  /** All pages of a collection. Whom it does not show, another pass may. */
  pass(collection: Collection, requests: Requests): Promise<Pass> {
    return this.shared(collection, requests, async () => {
      const result = await traverse({ collection, filter: {} }, { api: requests, parse: { undated: true } });
      if (result.ok) return { type: 'read', resources: [...result.traversal.items.values()] };
      if (result.diagnostic === undefined) throw new Error('nothing cancels this reading');
      return { type: 'unreadable', outcome: result.outcome };
    });
  }

  /** `GET /me`. */
  account(requests: Requests): Promise<AccountResult> {
    return this.shared('me', requests, () => readAccount(requests));
  }

  private async shared<Result>(
    name: string,
    requests: Requests,
    read: () => Promise<Result>,
  ): Promise<Result> {
    const { lastTurn } = this;
    if (lastTurn === undefined || requests.standsStill()) return read();
    const { clock } = requests;
    const line = this.lines.get(name) ?? { ended: Promise.resolve(), next: undefined };
    this.lines.set(name, line);
    const begin = async () => {
      const slot = await lastTurn();
      line.next = undefined;
      const begun = clock.now();
      const reading = read().finally(() => slot?.());
      line.ended = reading.catch(() => undefined);
      return { result: await reading, took: clock.now() - begun };
    };
    const asked = clock.now();
    const { result, took } = await requests.aside(() => {
      line.next ??= line.ended.then(begin);
      return line.next;
    });
    requests.idle += clock.now() - asked - took;
    return result as Result;
  }
}
