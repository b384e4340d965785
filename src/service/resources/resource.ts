import {
  copyTradeTask,
  label,
  sniperTask,
  template,
  transferSnipeTask,
  type Validator,
} from '../../model/generated/validators.js';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Collection, kindOf } from '../../model/kind.ts';
import type { LiveResource } from '../../model/resource.ts';

/** The resource of each collection in schemas/service.schema.json. */
const SHAPES: Readonly<Record<Collection, Validator>> = {
  sniper: sniperTask,
  'copy-trade': copyTradeTask,
  'transfer-snipe': transferSnipeTask,
  'sniper-template': template,
  'copy-trade-template': template,
  label,
};

const DATED = ['id', 'version', 'created_at', 'updated_at', 'config'] as const;
const FIELDS = {
  task: [...DATED, 'remark', 'target_wallet', 'is_active', 'risk_label_id'],
  template: [...DATED, 'name'],
  label: ['id', 'name', 'sort_order'],
} as const;

type ItemResult =
  | { readonly ok: true; readonly item: LiveResource }
  | { readonly ok: false; readonly problem: string };

/**
 * One resource of an answer in the form that the rest of tradeform uses: unknown fields dropped, `config` kept as it is,
 * an absent `risk_label_id` or `sort_order` as null. A resource that lacks what its schema requires is a problem and
 * makes the whole view unreadable; it is never left out.
 */
export function parseItem(collection: Collection, data: Json): ItemResult {
  if (!isObject(data)) return { ok: false, problem: 'an item that is no object' };
  const kind = kindOf(collection);
  const picked: JsonObject = {};
  for (const field of FIELDS[kind.family]) {
    const value = data[field];
    if (value !== undefined && !(field === 'sort_order' && value === null)) picked[field] = value;
  }
  if (kind.family === 'task' && kind.linkedWallets) picked.linked_wallets = data.linked_wallets ?? [];
  const valid = SHAPES[collection];
  if (!valid(picked)) return { ok: false, problem: describe(picked, valid) };
  if (kind.family === 'task') picked.risk_label_id ??= null;
  if (kind.family === 'label') picked.sort_order ??= null;
  // The validator has just shown that the picked fields are those of the collection's resource.
  return { ok: true, item: { collection, ...picked } as unknown as LiveResource };
}

function describe(picked: JsonObject, { errors }: Validator): string {
  const first = errors?.[0];
  const name = typeof picked.id === 'string' ? `item ${picked.id.slice(0, 64)}` : 'an item without id';
  const field = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  return `${name}: ${field === '' ? '' : `${field} `}${first?.message ?? 'not of the documented form'}`;
}
