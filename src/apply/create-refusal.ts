import type { JsonObject } from '../model/json.ts';
import { type Collection, kindOf, LABEL_KIND, LIMITS, TASK_KINDS, TEMPLATE_KINDS } from '../model/kind.ts';
import { isTask, type LiveResource } from '../model/resource.ts';
import { SEARCH_AMONG_REFUSED } from './idempotency.ts';
import type { Readings } from './readings.ts';
import type { Wire } from './requests.ts';

export interface RefusedCreate {
  readonly code: string;
  readonly collection: Collection;
  readonly body: JsonObject;
  /** What has been read of the collection since the refusal. */
  readonly seen: readonly LiveResource[] | undefined;
}

/**
 * Whether what the service refuses a create for is there (interface, "Errors" and "Limits"): no room, the target, the name,
 * a missing label. True also where nobody can see it: the code tells nothing that could be looked at, or it cannot be read.
 */
export async function isCauseThere(refused: RefusedCreate, wire: Wire, readings: Readings): Promise<boolean> {
  const { code, collection, body, seen } = refused;
  const { family } = kindOf(collection);
  const now = wire.clock.now();
  if (now - (readings.unseen.get(code) ?? now) >= SEARCH_AMONG_REFUSED) return true;
  const read = async (kinds: readonly { readonly collection: Collection }[]) => {
    const found: LiveResource[] = [];
    for (const { collection: one } of kinds) {
      const pass = one === collection && seen !== undefined ? undefined : await readings.pass(one, wire);
      if (pass?.type === 'unreadable') return undefined;
      found.push(...(pass?.resources ?? seen ?? []));
    }
    return found;
  };
  const shows = async (
    kinds: readonly { readonly collection: Collection }[],
    shown: (resources: readonly LiveResource[]) => boolean,
  ) => {
    const found = await read(kinds);
    return found === undefined || shown(found);
  };
  const named = (resource: LiveResource) => 'name' in resource && alike(resource.name, body.name);
  switch (code) {
    case 'quota_exceeded':
      if (family === 'task') return isQuotaUsed(wire, readings);
      return family === 'template'
        ? shows(TEMPLATE_KINDS, ({ length }) => length >= LIMITS.templates)
        : shows([LABEL_KIND], ({ length }) => length >= LIMITS.labels);
    case 'target_already_exists':
      return shows(TASK_KINDS, (tasks) => tasks.some((task) => isTask(task) && hasWallet(task, body)));
    case 'template_name_exists':
      return shows(TEMPLATE_KINDS, (templates) => templates.some(named));
    case 'label_name_exists':
      return shows([LABEL_KIND], (labels) => labels.some(named));
    case 'not_found': {
      const label = body.risk_label_id;
      return typeof label !== 'string' || (await wire.look('label', label)).type !== 'found';
    }
    default:
      return true;
  }
}

async function isQuotaUsed(wire: Wire, readings: Readings): Promise<boolean> {
  const read = await readings.account(wire);
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

/** Whether names that differ in case are the same is not shown. */
function alike(name: string, other: unknown): boolean {
  return typeof other === 'string' && name.trim().toLowerCase() === other.trim().toLowerCase();
}
