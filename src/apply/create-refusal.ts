import type { JsonObject } from '../model/json.ts';
import { type Collection, kindOf, LABEL_KIND, LIMITS, TASK_KINDS, TEMPLATE_KINDS } from '../model/kind.ts';
import { isTask, type LiveResource } from '../model/resource.ts';
import type { Refusal } from '../ports/api.ts';
import type { Identity } from './find-owners.ts';
import { SEARCH_AMONG_REFUSED } from './idempotency.ts';
import { type Failure, labelGone, refusal } from './outcome.ts';
import type { Readings } from './readings.ts';
import type { Requests } from './requests.ts';

interface RefusedCreate {
  readonly code: string;
  readonly collection: Collection;
  readonly body: JsonObject;
  /** The collection as read after the refusal. */
  readonly seen: readonly LiveResource[] | undefined;
}

/**
 * True if the cause of a refused create exists (interface, "Errors" and "Limits"): no room, the target, the name, or a
 * missing label. Also true if the cause cannot be checked: the code has no visible cause, or the collection cannot be
 * read.
 */
export async function isCauseThere(
  refused: RefusedCreate,
  requests: Requests,
  readings: Readings,
): Promise<boolean> {
  const { code, collection, body, seen } = refused;
  const now = requests.clock.now();
  if (now - (readings.unseen.get(code) ?? now) >= SEARCH_AMONG_REFUSED) return true;
  if (code === 'quota_exceeded' && kindOf(collection).family === 'task')
    return isQuotaUsed(requests, readings);
  if (code === 'not_found') {
    const label = body.risk_label_id;
    return typeof label !== 'string' || (await requests.look('label', label)).type !== 'found';
  }
  const cause = listedCause(refused);
  if (cause === undefined) return true;
  const found: LiveResource[] = [];
  for (const { collection: one } of cause.kinds) {
    const pass = one === collection && seen !== undefined ? undefined : await readings.pass(one, requests);
    if (pass?.type === 'unreadable') return true;
    found.push(...(pass?.resources ?? seen ?? []));
  }
  return cause.isIn(found);
}

interface ListedCause {
  readonly kinds: readonly { readonly collection: Collection }[];
  readonly isIn: (resources: readonly LiveResource[]) => boolean;
}

/** The cause, if the lists of these kinds can show it; undefined for any other code. */
function listedCause({ code, collection, body }: RefusedCreate): ListedCause | undefined {
  const named = (resources: readonly LiveResource[]) =>
    resources.some((resource) => 'name' in resource && alike(resource.name, body.name));
  switch (code) {
    case 'quota_exceeded':
      return kindOf(collection).family === 'template'
        ? { kinds: TEMPLATE_KINDS, isIn: ({ length }) => length >= LIMITS.templates }
        : { kinds: [LABEL_KIND], isIn: ({ length }) => length >= LIMITS.labels };
    case 'target_already_exists':
      return {
        kinds: TASK_KINDS,
        isIn: (tasks) => tasks.some((task) => isTask(task) && hasWallet(task, body)),
      };
    case 'template_name_exists':
      return { kinds: TEMPLATE_KINDS, isIn: named };
    case 'label_name_exists':
      return { kinds: [LABEL_KIND], isIn: named };
    default:
      return undefined;
  }
}

async function isQuotaUsed(requests: Requests, readings: Readings): Promise<boolean> {
  const read = await readings.account(requests);
  if (!read.ok) return true;
  const { used, max, remaining } = read.account.quota;
  return used >= max || remaining === 0;
}

function hasWallet(
  { target_wallet, linked_wallets = [] }: Extract<LiveResource, { readonly target_wallet: string }>,
  body: JsonObject,
): boolean {
  return [target_wallet, ...linked_wallets].some((wallet) => wallet === body.target_wallet);
}

/** It is not documented whether names that differ in case are the same. */
function alike(name: string, other: unknown): boolean {
  return typeof other === 'string' && name.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Describes why the service refused a create, in tradeform's own words if the code is specific enough. */
export function refusedCreate(
  { identity, body }: { readonly identity: Pick<Identity, 'collection'>; readonly body: JsonObject },
  outcome: Refusal,
): Failure {
  const failure = refusal('The creation', outcome);
  const label = body.risk_label_id;
  switch (outcome.code) {
    case 'not_found':
      return typeof label === 'string' ? labelGone(label, outcome) : failure;
    case 'quota_exceeded':
      return { ...failure, text: `No room for another ${LIMITED[kindOf(identity.collection).family]}.` };
    case 'target_already_exists':
      return { ...failure, text: 'Another task on the service already has this target wallet.' };
    default:
      return failure;
  }
}

const LIMITED = {
  task: 'task: the quota of the account is used up',
  template: 'template: the account has reached its limit',
  label: 'label: the account has reached its limit',
} as const;
