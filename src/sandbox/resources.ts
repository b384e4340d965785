import { createHash } from 'node:crypto';
import { madeOnce } from '../core/model/by-key.ts';
import { compareTexts } from '../core/model/compare-texts.ts';
import type { JsonObject } from '../core/model/json.ts';
import {
  type Kind,
  LIMITS,
  type TaskCollection,
  type TaskKind,
  type TemplateKind,
} from '../core/model/kind.ts';
import { partsIn } from '../core/model/parts.ts';
import type { Choices } from './choices.ts';
import type { Context, OperationOutcome } from './context.ts';
import type { Stored, StoredLabel, StoredTask, StoredTemplate } from './records.ts';
import { notFound, Refused, refusedField } from './refusal.ts';
import { isUuid, type ParsedRequest, type SandboxEnv } from './request.ts';
import { type ListPosition, OrderedRecords, ofAccount, quotaUsed, taskPosition } from './state.ts';

/** ISO 8601 with UTC offset. */
function timestamp(milliseconds: number, choices: Choices): string {
  const text = new Date(milliseconds).toISOString();
  switch (choices.timestamp_form) {
    case 'milliseconds':
      return text;
    case 'seconds':
      return `${text.slice(0, 19)}Z`;
    case 'microseconds-offset':
      return `${text.slice(0, 23)}000+00:00`;
  }
}

export function showResource(record: Stored, context: Context): JsonObject {
  const { choices } = context.env;
  if ('sort_order' in record) return showLabel(record, context);
  return 'is_active' in record ? showTask(record, choices) : showTemplate(record, choices);
}

/** Interface, "Task resources (common fields)". */
export function showTask(task: StoredTask, choices: Choices): JsonObject {
  const unlabeled = task.risk_label_id === null && choices.unlabeled_shown === 'absent';
  return {
    id: task.id,
    remark: task.remark,
    ...partsIn(task, task.collection),
    is_active: task.is_active,
    ...(unlabeled ? {} : { risk_label_id: task.risk_label_id }),
    version: task.version,
    created_at: timestamp(task.created_at, choices),
    updated_at: timestamp(task.updated_at, choices),
    config: task.config,
    ...extra(choices),
  };
}

/** Interface, "Template resources". */
function showTemplate(template: StoredTemplate, choices: Choices): JsonObject {
  return {
    id: template.id,
    name: template.name,
    config: template.config,
    version: template.version,
    created_at: timestamp(template.created_at, choices),
    updated_at: timestamp(template.updated_at, choices),
    ...extra(choices),
  };
}

/** Interface, "Label resource". */
function showLabel(label: StoredLabel, { state, account, env }: Context): JsonObject {
  const { choices } = env;
  const { tasks } = state.holdings(account.id);
  const count = (kind: TaskCollection) =>
    [...(tasks.get(kind) ?? [])].filter(({ risk_label_id }) => risk_label_id === label.id).length;
  const full = () => ({
    sniper_count: count('sniper'),
    copy_trade_count: count('copy-trade'),
    color: null,
    created_at: timestamp(label.created_at, choices),
    updated_at: timestamp(label.updated_at, choices),
  });
  return {
    id: label.id,
    name: label.name,
    sort_order: label.sort_order,
    transfer_snipe_count: count('transfer-snipe'),
    ...(choices.label_fields === 'full' ? full() : {}),
    ...extra(choices),
  };
}

/** Interface, "Credential metadata". */
export function showCredential({ state, account, token, env }: Context): JsonObject {
  const { choices } = env;
  const used = quotaUsed(state, account);
  const sent = choices.me_defaults === 'sent';
  return {
    token_prefix: `svc_live_${token.id}`,
    token_version: token.version,
    scopes: [...token.scopes],
    expires_at: token.expires_at === null ? null : timestamp(token.expires_at, choices),
    quota: { max: account.quota_max, used, remaining: Math.max(0, account.quota_max - used) },
    ...(sent || account.login_username !== null ? { login_username: account.login_username } : {}),
    ...(sent || account.family_role !== 'none' ? { family_role: account.family_role } : {}),
    ...extra(choices),
  };
}

function extra(choices: Choices): JsonObject {
  return choices.extra_fields === 'some' ? { x_future: { note: 'not in version 1.0.0', items: [1] } } : {};
}

/** Where a traversal continues: after an item, or at a count. */
type CursorPlace = ListPosition | number;

const EXPIRY = { never: Number.POSITIVE_INFINITY, '15m': 15 * 60 * 1000, '10s': 10 * 1000 } as const;

/** The content of a cursor: its scope (a hash), its time of creation, and the place. */
type Content = readonly [scope: string, at: number, place: CursorPlace];

/** An opaque cursor, bound to a scope: token and filters (interface, "List query parameters"). */
function writeCursor(place: CursorPlace, scope: string, now: number): string {
  const content: Content = [digest(scope), now, place];
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${digest(text)}`;
}

/** Throws the chosen error for a cursor that is malformed, expired or bound to another scope. */
function readCursor(cursor: string, scope: string, env: SandboxEnv): CursorPlace {
  const [text = '', check] = cursor.split('.');
  if (check !== digest(text)) throw badCursor(env, 'The cursor is not valid.');
  const [owner, at, place] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Content;
  if (owner !== digest(scope)) throw badCursor(env, 'The cursor belongs to another token or other filters.');
  if (env.now - at > EXPIRY[env.choices.cursor_expiry]) throw badCursor(env, 'The cursor has expired.');
  return place;
}

function badCursor({ choices }: SandboxEnv, message: string): Refused {
  return refusedField(choices.cursor_error, message, 'cursor', 'invalid_cursor');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function list(context: Context, kind: Kind): OperationOutcome {
  if (kind.family === 'task') return listTasks(context, kind);
  return kind.family === 'template' ? listTemplates(context, kind) : listLabels(context);
}

/** All labels of the account in one answer without `next_cursor`, by `sort_order` and then `created_at`. */
function listLabels(context: Context): OperationOutcome {
  const { state, account, env, request } = context;
  checkQuery(request, [], env.choices);
  const labels = ofAccount(state.labels, account).sort(
    (a, b) => a.sort_order - b.sort_order || a.created_at - b.created_at || compareTexts(a.id, b.id),
  );
  const items = labels.map((label) => showLabel(label, context));
  return { status: 200, data: { items }, of: 'list' };
}

/** `GET /{kind}/configs` (interface, "List query parameters"). */
function listTasks(context: Context, kind: TaskKind): OperationOutcome {
  const { state, account, env, request } = context;
  const { choices } = env;
  checkQuery(request, ['limit', 'cursor', 'status', 'q', 'label_id'], choices);
  const known = (text: string) => text === 'active' || text === 'paused';
  const status = parameter(request, 'status', known, 'status is active or paused.');
  const q = searchOf(request);
  const label = labelFilter(context);
  const records = state.holdings(account.id).tasks.get(kind.collection);
  return page<StoredTask>(context, {
    filters: [kind.collection, status, q, label],
    records: records ?? new OrderedRecords<StoredTask>(taskPosition),
    position: taskPosition,
    descending: choices.list_order === 'desc',
    wanted: (task) =>
      (status === undefined || task.is_active === (status === 'active')) &&
      (label === undefined || task.risk_label_id === label) &&
      (matches(task.remark, q, choices) || matches(task.target_wallet, q, choices)),
    show: (task) => showTask(task, choices),
  });
}

/** undefined: no filter; null: the literal `unlabeled`. */
function labelFilter({ request, state, account, env }: Context): string | null | undefined {
  const text = request.query.get('label_id');
  if (text === undefined) return undefined;
  if (text === 'unlabeled') return null;
  if (!isUuid(text)) throw new Refused(env.choices.malformed_label_id, 'label_id is a UUID or "unlabeled".');
  if (state.labels.get(text)?.account !== account.id) throw notFound('The label');
  return text;
}

/** `GET /{kind}/templates`: `q` searches names only. */
function listTemplates(context: Context, kind: TemplateKind): OperationOutcome {
  const { state, account, env, request } = context;
  const { choices } = env;
  checkQuery(request, ['limit', 'cursor', 'q'], choices);
  const q = searchOf(request);
  const position = templatePosition(context);
  const records = new OrderedRecords<StoredTemplate>(position);
  for (const template of ofAccount(state.templates, account)) {
    if (template.collection === kind.collection) records.add(template);
  }
  return page<StoredTemplate>(context, {
    filters: [kind.collection, q],
    records,
    position,
    descending: choices.template_order !== 'name' && choices.list_order === 'desc',
    wanted: (template) => matches(template.name, q, choices),
    show: (template) => showTemplate(template, choices),
  });
}

function templatePosition({ env }: Context): (template: StoredTemplate) => ListPosition {
  const key = { updated: 'updated_at', created: 'created_at', name: 'name' } as const;
  const field = key[env.choices.template_order];
  return (template) => ({ key: template[field], id: template.id });
}

interface Listing<R> {
  /** The values that the cursor is bound to besides the token. */
  readonly filters: readonly unknown[];
  readonly records: OrderedRecords<R>;
  readonly position: (record: R) => ListPosition;
  readonly descending: boolean;
  readonly wanted: (record: R) => boolean;
  readonly show: (record: R) => JsonObject;
}

/** Cached texts of records, by the choices that affect them. A changed record is a new object. */
const shown = new WeakMap<Choices, WeakMap<object, string>>();

function textOf<R extends object>(record: R, choices: Choices, show: (record: R) => JsonObject): string {
  const texts = madeOnce(shown, choices, () => new WeakMap<object, string>());
  return madeOnce(texts, record, () => JSON.stringify(show(record)));
}

function page<R extends object>(context: Context, listing: Listing<R>): OperationOutcome {
  const { request, token, env } = context;
  const { choices } = env;
  const inRange = (text: string) => /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= LIMITS.page;
  const asked = Number(parameter(request, 'limit', inRange, 'limit is 1 to 100.') ?? DEFAULT_LIMIT);
  const limit = choices.page_size === 'as-asked' ? asked : Math.min(asked, 2);
  const short = (text: string) => text.length <= MAX_CURSOR;
  const cursor = parameter(request, 'cursor', short, `cursor has at most ${MAX_CURSOR} characters.`);
  const bound = choices.cursor_limit === 'bound' ? asked : null;
  const scope = JSON.stringify([
    token.id,
    listing.filters.map((filter) => filter ?? [filter === null]),
    bound,
  ]);
  const place = cursor === undefined ? undefined : readCursor(cursor, scope, env);

  const offset = typeof place === 'number' ? place : 0;
  const found: R[] = [];
  const enough = limit + (choices.full_last_page === 'null' ? 1 : 0);
  let passed = 0;
  for (const record of from(listing, place)) {
    if (!listing.wanted(record)) continue;
    passed += 1;
    if (passed > offset) found.push(record);
    if (found.length === enough) break;
  }
  const items = found.slice(0, limit);
  const last = found.length === enough ? items.at(-1) : undefined;
  const next = last && (choices.cursor_kind === 'offset' ? offset + limit : listing.position(last));
  const cursorAfter = next === undefined ? null : writeCursor(next, scope, env.now);
  const texts = items.map((item) => textOf(item, choices, listing.show));
  return {
    status: 200,
    dataText: `{"items":[${texts.join()}],"next_cursor":${JSON.stringify(cursorAfter)}}`,
    of: 'list',
  };
}

/** The records after a place, in list order. */
function* from<R>(
  { records, position, descending }: Listing<R>,
  place: CursorPlace | undefined,
): Iterable<R> {
  const after = typeof place === 'object' ? place : undefined;
  let index = descending ? records.length - 1 : 0;
  if (after !== undefined) {
    const before = records.countBefore(after);
    const here = records.at(before);
    const present = here !== undefined && position(here).id === after.id && position(here).key === after.key;
    index = descending ? before - 1 : before + (present ? 1 : 0);
  }
  for (; index >= 0 && index < records.length; index += descending ? -1 : 1) {
    const record = records.at(index);
    if (record !== undefined) yield record;
  }
}

const DEFAULT_LIMIT = 20;
const MAX_Q = 64;
const MAX_CURSOR = 2048;

/** Refuses unknown parameters, if that is chosen, and repeated parameters. */
export function checkQuery(request: ParsedRequest, known: readonly string[], choices: Choices): void {
  if (request.repeatedQuery) throw new Refused('invalid_request', 'A query parameter appears twice.');
  const unknown = [...request.query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined && choices.unknown_query === 'invalid_request') {
    throw new Refused('invalid_request', `The query parameter ${unknown} is unknown.`);
  }
}

/** A parameter of the query. Throws `invalid_request` with these words for a value that does not fit. */
function parameter(
  { query }: ParsedRequest,
  name: string,
  fits: (text: string) => boolean,
  words: string,
): string | undefined {
  const text = query.get(name);
  if (text !== undefined && !fits(text)) throw new Refused('invalid_request', words);
  return text;
}

/** The empty string applies no filter. */
function searchOf(request: ParsedRequest): string {
  const fits = (text: string) => text.length <= MAX_Q;
  return parameter(request, 'q', fits, `q has at most ${MAX_Q} characters.`) ?? '';
}

/** Whether a text matches `q`, in the chosen way. */
function matches(text: string, q: string, choices: Choices): boolean {
  if (q === '') return true;
  if (choices.q_match === 'substring-case') return text.includes(q);
  const [hay, needle] = [text.toLowerCase(), q.toLowerCase()];
  switch (choices.q_match) {
    case 'substring':
      return hay.includes(needle);
    case 'prefix':
      return hay.startsWith(needle);
    case 'word':
      return hay.split(/[^\p{L}\p{N}]+/u).includes(needle);
  }
}
