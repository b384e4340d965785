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
import { partsIn } from '../../model/parts.ts';
import type { LiveResource } from '../../model/resource.ts';
import type { Answer } from '../../ports/api.ts';

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

const DATES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
/** The date in a resource that is parsed without its dates. */
const NO_DATE = '1970-01-01T00:00:00Z';

export interface ParseOptions {
  /** From the `ETag` header, which takes precedence over the version in the body. */
  readonly etag?: number | undefined;
  /**
   * `apply` does not use dates: an answer to a write is accepted without them. A view that is proven by `updated_at`
   * requires them.
   */
  readonly undated?: boolean;
}

type ParsedResource =
  | { readonly ok: true; readonly resource: LiveResource }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses one resource of an answer (interface, "Resources and their fields") into the form that tradeform uses: unknown
 * fields are dropped, `config` is kept as it is, an absent `risk_label_id` or `sort_order` becomes null, an absent
 * part becomes what its absence means. A resource that lacks a required field is a problem: it makes a view or an
 * answer unreadable, and is never left out.
 */
export function parseResource(
  collection: Collection,
  data: Json,
  { etag, undated = false }: ParseOptions = {},
): ParsedResource {
  if (!isObject(data)) return { ok: false, problem: 'an item that is not an object' };
  const kind = kindOf(collection);
  const picked: JsonObject = { collection };
  for (const field of FIELDS[kind.family]) {
    const value = undated && DATES.has(field) ? NO_DATE : data[field];
    if (value !== undefined && !(field === 'sort_order' && value === null)) picked[field] = value;
  }
  if (kind.family !== 'label' && etag !== undefined) picked.version = etag;
  if (kind.family === 'task') Object.assign(picked, partsIn(data, kind.collection));
  const valid = SHAPES[collection];
  if (!valid(picked)) return { ok: false, problem: describe(picked, valid) };
  if (kind.family === 'task') picked.risk_label_id ??= null;
  if (kind.family === 'label') picked.sort_order ??= null;
  // The validator has just checked that the picked fields are those of the collection's resource.
  return { ok: true, resource: picked as unknown as LiveResource };
}

/** The resource in the answer to a write or a single GET; undefined if it cannot be read. Its dates are not checked. */
export function answeredResource(
  collection: Collection,
  { data, version }: Pick<Answer, 'data' | 'version'>,
): LiveResource | undefined {
  const parsed = parseResource(collection, data, { etag: version, undated: true });
  return parsed.ok ? parsed.resource : undefined;
}

function describe(picked: JsonObject, { errors }: Validator): string {
  const first = errors?.[0];
  const name = typeof picked.id === 'string' ? `item ${picked.id.slice(0, 64)}` : 'an item without id';
  const field = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  return `${name}: ${field === '' ? '' : `${field} `}${first?.message ?? 'not of the documented form'}`;
}
