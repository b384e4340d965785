import type { JsonObject } from '../../../src/core/model/json.ts';
import { type Collection, KINDS, kindOf } from '../../../src/core/model/kind.ts';
import type { HttpRequest, HttpResponse } from '../../../src/core/ports/transport.ts';
import { json, ok, refusal } from '../http/fakes.ts';

export const ALL_SCOPES = ['sniper', 'copytrade', 'transfersnipe'].flatMap((prefix) =>
  ['read', 'write', 'delete'].map((right) => `${prefix}:${right}`),
);

const TASKS: readonly Collection[] = ['sniper', 'copy-trade', 'transfer-snipe'];

/** The lists and `GET /me` of an account whose items may change at any moment; nothing else of the service. */
export class FakeService {
  now: number;
  scopes: readonly string[] = ALL_SCOPES;
  me: JsonObject = {};
  /** Added to what is there. */
  usedOffset = 0;
  newestFirst = true;
  /** Cursors are positions instead of keys: the least stable paging there could be. */
  positional = false;
  dateHeader = true;
  /** Milliseconds by which `Date` is ahead of `updated_at`. */
  dateAhead = 0;
  /** Which filters lists take notice of. */
  filters: readonly string[] = ['status', 'label_id'];
  /** Runs before every request. */
  before: (request: HttpRequest, index: number) => void = () => undefined;
  /** Answers instead, where it answers at all. */
  instead: (request: HttpRequest, index: number) => HttpResponse | undefined = () => undefined;
  readonly requests: string[] = [];
  private readonly items = new Map<Collection, Map<string, JsonObject>>(
    KINDS.map((kind) => [kind.collection, new Map()]),
  );
  private made = 0;

  constructor(now = Date.parse('2026-11-21T12:00:00Z')) {
    this.now = now;
  }

  handle(request: HttpRequest): HttpResponse {
    const index = this.requests.push(request.path) - 1;
    this.before(request, index);
    const other = this.instead(request, index);
    if (other !== undefined) return other;
    const url = new URL(request.path, 'http://service.invalid');
    if (url.pathname === '/me') return ok(this.account(), this.headers());
    const kind = KINDS.find(({ path }) => path === url.pathname);
    if (kind === undefined) return refusal(404, 'not_found');
    if (!kind.scopes.read.some((scope) => this.scopes.includes(scope)))
      return refusal(403, 'insufficient_scope');
    return this.list(kind.collection, url.searchParams);
  }

  /** Pages that were asked for, by path. */
  count(path: string): number {
    return this.requests.filter((asked) => asked.split('?')[0] === path).length;
  }

  used(): number {
    return (
      TASKS.reduce((sum, collection) => sum + (this.items.get(collection)?.size ?? 0), 0) + this.usedOffset
    );
  }

  ids(collection: Collection): string[] {
    return [...(this.items.get(collection)?.keys() ?? [])].sort();
  }

  tasks(collection: Collection): readonly Readonly<JsonObject>[] {
    return [...(this.items.get(collection)?.values() ?? [])];
  }

  add(collection: Collection, count = 1, over: JsonObject = {}): string {
    let id = '';
    for (let left = count; left > 0; left -= 1) {
      this.made += 1;
      id = `${this.made.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
      this.items.get(collection)?.set(id, { ...this.fresh(collection, id), ...over });
    }
    return id;
  }

  /** Somebody writes to an item: a higher version, updated now. */
  touch(collection: Collection, id: string): void {
    const item = this.items.get(collection)?.get(id);
    if (item === undefined) return;
    item.version = Number(item.version) + 1;
    item.updated_at = this.time();
  }

  /** An item shows something else at the same version, as a service may that counts no version for it. */
  alter(collection: Collection, id: string, over: JsonObject): void {
    Object.assign(this.items.get(collection)?.get(id) ?? {}, over);
  }

  remove(collection: Collection, id: string): void {
    this.items.get(collection)?.delete(id);
  }

  private fresh(collection: Collection, id: string): JsonObject {
    const kind = kindOf(collection);
    if (kind.family === 'label') return { id, name: `label ${this.made}`, sort_order: this.made };
    const dated = {
      id,
      version: 1,
      created_at: this.time(),
      updated_at: this.time(),
      config: { any: 'thing' },
    };
    if (kind.family === 'template') return { ...dated, name: `template ${this.made}` };
    return { ...dated, remark: '', target_wallet: 'W'.repeat(40), is_active: false, risk_label_id: null };
  }

  private time(): string {
    return new Date(this.now).toISOString();
  }

  private headers(): Record<string, string> {
    return this.dateHeader ? { date: new Date(this.now + this.dateAhead).toUTCString() } : {};
  }

  private account(): JsonObject {
    return {
      token_prefix: 'svc_live_0a1b2c3d',
      token_version: 1,
      scopes: [...this.scopes],
      expires_at: null,
      quota: { max: 100_000, used: this.used(), remaining: 100_000 - this.used() },
      login_username: 'whales',
      family_role: 'none',
      ...this.me,
    };
  }

  private list(collection: Collection, query: URLSearchParams): HttpResponse {
    // Labels are ordered by sort_order, which is the order in which they were made.
    const labels = [...(this.items.get('label')?.values() ?? [])];
    if (collection === 'label') return ok({ items: structuredClone(labels) }, this.headers());
    const key = (item: JsonObject) => `${item.updated_at ?? ''} ${item.id}`;
    const all = [...(this.items.get(collection)?.values() ?? [])].sort((left, right) => {
      const order = key(left) < key(right) ? -1 : 1;
      return this.newestFirst ? -order : order;
    });
    const wanted = this.filter(all, query);
    if (wanted === undefined) return refusal(404, 'not_found');
    const limit = Number(query.get('limit') ?? 20);
    const cursor = query.get('cursor');
    const start =
      cursor === null ? 0 : this.positional ? Number(cursor) : this.after(wanted.map(key), cursor);
    const page = structuredClone(wanted.slice(start, start + limit));
    const last = page.at(-1);
    const more = start + limit < wanted.length && last !== undefined;
    const next = more ? (this.positional ? String(start + limit) : key(last)) : null;
    return json(200, { data: { items: page, next_cursor: next }, meta: { request_id: 'r' } }, this.headers());
  }

  /** What `status` and `label_id` leave; undefined for a label that is not there. */
  private filter(items: readonly JsonObject[], query: URLSearchParams): JsonObject[] | undefined {
    const asked = (name: string) => (this.filters.includes(name) ? query.get(name) : null);
    const [status, label] = [asked('status'), asked('label_id')];
    if (label !== null && label !== 'unlabeled' && !this.items.get('label')?.has(label)) return undefined;
    return items.filter(
      (item) =>
        (status === null || item.is_active === (status === 'active')) &&
        (label === null || (item.risk_label_id ?? 'unlabeled') === label),
    );
  }

  private after(keys: readonly string[], cursor: string): number {
    const found = keys.findIndex((key) => (this.newestFirst ? key < cursor : key > cursor));
    return found < 0 ? keys.length : found;
  }
}
