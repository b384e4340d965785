import type { JsonObject } from '../../src/core/model/json.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import type { Delivery } from '../../src/sandbox/faults.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { configFor, wallet } from '../support/builders.ts';

export const KINDS = ['sniper', 'copy-trade', 'transfer-snipe'] as const;
export type KindName = (typeof KINDS)[number];

export const SCOPE_PREFIX = {
  sniper: 'sniper',
  'copy-trade': 'copytrade',
  'transfer-snipe': 'transfersnipe',
} as const;

/** A valid create body of a kind. */
export function taskBody(kind: KindName, n = 1, changes: JsonObject = {}): JsonObject {
  return {
    remark: `task ${n}`,
    target_wallet: wallet(n),
    ...(kind === 'copy-trade' ? { linked_wallets: [] } : {}),
    config: configFor(kind),
    ...changes,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export type Loose = any;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. Undefined for an empty one. */
  readonly body: Loose;
  readonly data: Loose;
  readonly code: string | undefined;
  readonly fields: { path: string; reason: string }[];
}

export interface Ask {
  readonly body?: unknown;
  readonly raw?: string;
  readonly ifMatch?: number | string;
  /** false: no key. Default: a new one for creates. */
  readonly key?: string | false;
  readonly token?: string | false;
  readonly headers?: Record<string, string>;
  readonly callerIp?: string;
}

export const START = Date.parse('2026-03-01T12:00:00.000Z');

/** A sandbox with a clock that stands still, counted ids, and short functions for requests. */
export function startService(options: SandboxOptions & { readonly choices?: Partial<Choices> } = {}) {
  let time = START;
  let ids = 0;
  let keys = 0;
  const clock = {
    now: () => time,
    sleep: (ms: number) => {
      time += ms;
      return Promise.resolve();
    },
  };
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${ids.toString(16).padStart(12, '0')}`;
  };
  const sandbox = createSandbox({ clock, newId, ...options });

  const deliver = (method: string, path: string, ask: Ask = {}): Promise<Delivery> => {
    const token = ask.token ?? sandbox.tokens()[0]?.token;
    const body = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
    const creates = method === 'POST' && /^\/(labels|[a-z-]+\/(configs|templates))$/.test(path);
    const key = ask.key ?? (creates ? `key-${String(++keys).padStart(8, '0')}` : false);
    const tag = typeof ask.ifMatch === 'number' ? `"v${ask.ifMatch}"` : ask.ifMatch;
    return sandbox.deliver({
      method,
      path,
      headers: {
        ...(token === false ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(key === false ? {} : { 'Idempotency-Key': key }),
        ...(tag === undefined ? {} : { 'If-Match': tag }),
        ...ask.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(ask.callerIp === undefined ? {} : { callerIp: ask.callerIp }),
    });
  };

  const ask = async (method: string, path: string, asked: Ask = {}): Promise<Reply> => {
    const delivery = await deliver(method, path, asked);
    if (delivery.type !== 'answer') throw new Error(`no answer: ${delivery.type}`);
    const { status, headers, body } = delivery.response;
    const parsed = body === '' ? undefined : JSON.parse(body);
    return {
      status,
      headers,
      body: parsed,
      data: parsed?.data,
      code: parsed?.error?.code,
      fields: parsed?.error?.fields ?? [],
    };
  };

  /** A task of a kind, paused at version 1 or active at version 2. */
  const make = async (kind: KindName, n = 1, changes: JsonObject = {}, active = false): Promise<Loose> => {
    const created = await ask('POST', `/${kind}/configs`, { body: taskBody(kind, n, changes) });
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
    if (!active) return created.data;
    return (await ask('POST', `/${kind}/configs/${created.data.id}/resume`, { ifMatch: 1 })).data;
  };

  return {
    sandbox,
    deliver,
    ask,
    make,
    pass: (ms: number) => {
      time += ms;
    },
    get: async (kind: KindName, id: string) => (await ask('GET', `/${kind}/configs/${id}`)).data,
  };
}

export type Service = ReturnType<typeof startService>;

/** Follows cursors to the end. Returns the ids of every page. */
export async function traverse(service: Service, path: string, ask: Ask = {}): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const mark = path.includes('?') ? '&' : '?';
    const reply: Reply = await service.ask(
      'GET',
      cursor === null ? path : `${path}${mark}cursor=${encodeURIComponent(cursor)}`,
      ask,
    );
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    pages.push(reply.data.items.map((item: { id: string }) => item.id));
    cursor = reply.data.next_cursor;
  } while (cursor !== null);
  return pages;
}
