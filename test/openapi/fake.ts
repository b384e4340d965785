import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createGeneratorSync } from 'json-schema-faker';
import type { JsonObject } from '../../src/core/model/json.ts';
import { afterwards } from '../support/cleanup.ts';
import { type Operation, readDocument, type Schema, valueAt } from './document.ts';
import { makeJudge } from './judge.ts';

/**
 * A service made from the OpenAPI document: json-schema-faker invents every answer, and @hyperjump/json-schema judges every
 * request. It shares no code with the sandbox. It keeps what was written and answers with it; all else of an answer is invented anew.
 */
export interface Fake {
  readonly baseUrl: string;
  /** What was wrong with the requests. */
  readonly problems: readonly string[];
  /** The operations that were asked for, with the status of the answer. */
  readonly asked: ReadonlySet<string>;
  /** What is kept in a collection, such as `/labels`. */
  kept(collection: string): readonly JsonObject[];
}

interface Made {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: { readonly data: JsonObject } | undefined;
}

/** An invented value may break a rule that the generator does not know: then it is invented again. */
const TRIES = 500;
const QUOTA = 100;

export async function startFake(seed: number): Promise<Fake> {
  const document = readDocument();
  const judge = makeJudge(document);
  const generator = createGeneratorSync({ seed, optionalsProbability: 0.5, maxDepth: 20, refDepth: 20 });
  const collections = new Map<string, Map<string, JsonObject>>();
  const problems: string[] = [];
  const asked = new Set<string>();
  const itemsOf = (name: string) => {
    const items = collections.get(name) ?? new Map<string, JsonObject>();
    collections.set(name, items);
    return items;
  };
  const invent = (at: string) => generator.generate({ ...document, $ref: at } as never) as never;

  async function invented(operation: Operation, status: number): Promise<Made> {
    const answer = operation.answers.get(status);
    if (answer?.body === undefined) return { status, headers: {}, body: undefined };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      for (const { name, at } of answer.headers) headers[name] = String(invent(at));
      const body = invent(answer.body) as NonNullable<Made['body']>;
      const text = JSON.stringify(body);
      if ((await judge.answer(operation, { status, headers, text })).length === 0)
        return { status, headers, body };
    }
    throw new Error(`${operation.id}: nothing that the document permits in ${TRIES} tries`);
  }

  function stored(operation: Operation, old: JsonObject | undefined, data: JsonObject, sent: JsonObject) {
    const action = /\/(pause|resume)$/.exec(operation.path)?.[1];
    const { requestBody } = operation;
    const writable = requestBody && (valueAt(document, requestBody.schema.$ref ?? '') as Schema).properties;
    // What a create leaves out is not invented.
    if (old === undefined) for (const name of Object.keys(writable ?? {})) delete data[name];
    const now = new Date().toISOString();
    return Object.assign({}, old ?? { ...data, is_active: false, created_at: now }, sent, {
      updated_at: now,
      version: Number(old?.version ?? 0) + 1,
      ...(action && { is_active: action === 'resume' }),
    });
  }

  /** What the interface says of a task that runs, and of versions; nobody else writes here. */
  function rulesBroken({ method }: Operation, old: JsonObject | undefined, sent: JsonObject, match?: string) {
    if (old === undefined || method === 'GET') return [];
    const needsPause = method === 'DELETE' || 'config' in sent || 'linked_wallets' in sent;
    return [
      ...(old.is_active === true && needsPause ? [`a change of the running ${String(old.remark)}`] : []),
      ...(match !== undefined && match !== `"v${String(old.version)}"`
        ? [`${match} is not its version`]
        : []),
    ];
  }

  async function answer(operation: Operation, id: string, sent: JsonObject, headers: Record<string, string>) {
    const items = itemsOf(operation.path.replace(/\/\{id\}.*/, ''));
    const old = items.get(id);
    const successes = [...operation.answers.keys()].filter((status) => status < 300);
    const success = operation.method === 'POST' && id === '' ? 201 : Math.max(...successes);
    const made = await invented(operation, id !== '' && old === undefined ? 404 : success);
    problems.push(
      ...rulesBroken(operation, old, sent, headers['if-match']).map((one) => `${operation.id}: ${one}`),
    );
    asked.add(`${operation.id} ${made.status}`);
    if (operation.method === 'DELETE') items.delete(id);
    const data = made.body?.data;
    if (data === undefined) return made;
    if (operation.path === '/me') {
      const used = ['sniper', 'copy-trade', 'transfer-snipe'].flatMap((kind) => [
        ...itemsOf(`/${kind}/configs`),
      ]).length;
      const { scopes } = (valueAt(document, '#/components/schemas/me') as Schema).properties ?? {};
      Object.assign(data, {
        token_prefix: /svc_live_[a-f0-9]{8}/.exec(headers.authorization ?? '')?.[0],
        scopes: scopes?.items?.enum,
        expires_at: null,
        quota: { max: QUOTA, used, remaining: QUOTA - used },
      });
    } else if (operation.id.startsWith('list')) {
      Object.assign(data, { items: [...items.values()], next_cursor: null });
    } else {
      const kept = operation.method === 'GET' && old ? old : stored(operation, old, data, sent);
      items.set(String(kept.id), kept);
      Object.assign(made, { body: { ...made.body, data: kept } });
      if (made.headers.etag !== undefined) made.headers.etag = `"v${String(kept.version)}"`;
    }
    return made;
  }

  const server = createServer(async (request, response) => {
    try {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
      const found = judge.operations.flatMap((operation) => {
        const match = new RegExp(`^${operation.path.replace('{id}', '([^/]+)')}$`).exec(pathname);
        return match === null || operation.method !== request.method
          ? []
          : [{ operation, id: match[1] ?? '' }];
      })[0];
      if (found === undefined) throw new Error(`${request.method} ${pathname} is no operation`);
      const { operation, id } = found;
      const raw = await textOf(request);
      const body = raw === '' ? undefined : JSON.parse(raw);
      const headers = request.headers as Record<string, string>;
      const wrong = await judge.request(operation, {
        id,
        query: Object.fromEntries(searchParams),
        headers,
        body,
      });
      problems.push(...wrong.map((problem) => `${operation.id}: ${problem}: ${raw}`));
      const made = await answer(operation, id, body ?? {}, headers);
      response.writeHead(made.status, made.headers).end(made.body && JSON.stringify(made.body));
    } catch (error) {
      problems.push(String(error));
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => server.close());
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    problems,
    asked,
    kept: (name) => [...itemsOf(name).values()],
  };
}
