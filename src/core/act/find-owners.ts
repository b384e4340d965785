import type { Collection } from '../model/kind.ts';
import { markerOf, ownMarkerOf } from '../model/marker.ts';
import { isTask, type LiveResource, type LiveTask } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import { type AccountResult, readAccount } from '../service/resources/account.ts';
import { traverse } from '../service/resources/pages.ts';
import { LASTING } from '../service/view/read.ts';
import type { Owner } from './render-body.ts';
import type { Requests } from './requests.ts';
import type { Release } from './scheduler.ts';

/** Identifies the resource of an address: by the marker of a task, by the name of a template or label. */
export interface Identity {
  readonly collection: Collection;
  readonly owner: Owner;
  /** Templates and labels: the name on the service. */
  readonly shownName: string | undefined;
  /** Ids that the view showed: these are other resources, whatever marker or name they have. */
  readonly known: ReadonlySet<string>;
}

export function isOurs(identity: Identity, resource: LiveResource): boolean {
  if (identity.known.has(resource.id)) return false;
  if (!isTask(resource)) return 'name' in resource && resource.name === identity.shownName;
  return ownMarkerOf(resource, identity.owner)?.name === identity.owner.name;
}

function isTwin({ owner, known }: Identity, task: LiveTask): boolean {
  return !known.has(task.id) && markerOf(task)?.name === owner.name;
}

export interface OwnerSearch {
  readonly identity: Identity;
  readonly requests: Requests;
  readonly readings: Readings;
}

type Owners =
  | {
      readonly type: 'found';
      readonly owners: readonly LiveResource[];
      /**
       * Not in the view, and with the marker of another project and the same name: perhaps this project, renamed in the meantime.
       */
      readonly twins: readonly LiveTask[];
      readonly resources: readonly LiveResource[];
    }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

/**
 * Finds the resources with this identity by reading the collection again. Items move between the pages of a traversal while
 * others write, and a list may be from the past: "none" therefore takes as many passes as a view that differs from the quota. The
 * counters of one task cannot share passes: the next key is sent only after passes that begin after the refusal of the current key
 * and find nobody; and a refusal of that key needs later passes.
 */
export async function findOwners({ identity, requests, readings }: OwnerSearch): Promise<Owners> {
  for (let pass = 1; ; pass += 1) {
    const found = ownersIn(await readings.pass(identity.collection, requests), identity);
    if (found.type === 'unreadable' || found.owners.length > 0 || pass === LASTING) return found;
  }
}

function ownersIn(pass: Pass, identity: Identity): Owners {
  if (pass.type === 'unreadable') return pass;
  const { resources } = pass;
  const owners = resources.filter((resource) => isOurs(identity, resource));
  const twins = resources.filter((resource) => isTask(resource)).filter((task) => isTwin(identity, task));
  return { type: 'found', owners, twins: twins.filter((task) => !isOurs(identity, task)), resources };
}

type Pass =
  | { readonly type: 'read'; readonly resources: readonly LiveResource[] }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

/** Waits for a slot that no chain needs; undefined if no slot is needed any more. */
type LastTurn = () => Promise<Release | undefined>;

/** The readings of one collection or of the account, one after another. */
interface Line {
  /** Resolves once the reading that is under way has ended. */
  ended: Promise<unknown>;
  /** The next reading, which has not begun: every caller that asks now shares it. `took`: its time in milliseconds. */
  next: Promise<{ readonly result: unknown; readonly took: number }> | undefined;
}

/**
 * The readings that the creates of a run need when the service refuses one; each reading is made once for all callers
 * (DESIGN 7). A caller asks about something that has already happened, so it gets a reading that begins after its
 * request, never one in progress. To let many callers share a reading, it lets every other chain go first, and waiting
 * callers give their slots away. If a task is paused while it waits for the answer, the reading is made at once.
 */
export class Readings {
  /** Refusal codes without a visible cause, and since when, without a successful create in between. */
  readonly unseen: Map<string, number>;
  private readonly lines = new Map<string, Line>();
  private readonly lastTurn: LastTurn | undefined;

  /** Without `lastTurn`, each caller reads at once for itself. */
  constructor(lastTurn?: LastTurn, unseen = new Map<string, number>()) {
    this.lastTurn = lastTurn;
    this.unseen = unseen;
  }

  /** Readings that are made at once, for callers that need the current state. */
  atOnce(): Readings {
    return new Readings(undefined, this.unseen);
  }

  /** All pages of a collection. A task that this pass misses may be in another pass. */
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
