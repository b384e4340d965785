import { validate } from '@hyperjump/json-schema/openapi-3-1';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, describe, expect, it } from 'vitest';
import service from '../../schemas/service.schema.json' with { type: 'json' };
import type { JsonObject } from '../../src/core/model/json.ts';
import { KINDS, LIMITS } from '../../src/core/model/kind.ts';
import { matchRoute } from '../../src/sandbox/handle.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { ALL_SCOPES } from '../../src/sandbox/seed.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { ERROR_CODES } from '../support/choices.ts';
import { DOCUMENT_TEXT, operationsOf, readDocument, valueAt } from './document.ts';
import { OFFICIAL_SCHEMA } from './judge.ts';

const document = readDocument();
const operations = operationsOf(document);
const ID = '00000000-0000-4000-8000-000000000009';

describe('the OpenAPI document', () => {
  it('satisfies the official schema of OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(await validate(OFFICIAL_SCHEMA, document as never, 'BASIC')).toMatchObject({ valid: true });
    const broken = { ...document, paths: { me: {} } };
    expect((await validate(OFFICIAL_SCHEMA, broken as never)).valid).toBe(false);
  });

  it('passes an independent linter: references, examples, unused parts, unique ids, ambiguous paths', async () => {
    const examples = { severity: 'error', allowAdditionalProperties: true } as const;
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-invalid-media-type-examples': examples,
        'no-invalid-parameter-examples': examples,
        'no-invalid-schema-examples': examples,
        'no-unused-components': 'error',
        'operation-description': 'off',
      },
    });
    const lint = (source: string) => lintFromString({ source, absoluteRef: 'service.openapi.json', config });
    const problems = await lint(DOCUMENT_TEXT);
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
    expect(
      (await lint(DOCUMENT_TEXT.replaceAll('"buy_amount": "0.5"', '"buy_amount": 0.5'))).length,
    ).toBeGreaterThan(0);
  });

  it('has every operation of the service, and no other, each with the required scopes', () => {
    expect(operations).toHaveLength(1 + 3 * 7 + 2 * 5 + 5);
    for (const operation of operations) {
      const route = matchRoute(operation.method, operation.path.replace('{id}', ID));
      expect(route, operation.id).toBeDefined();
      expect(operation.scopes).toEqual(route?.scopes);
    }
    const paths = new Set(operations.map(({ path }) => path.replace(/\/\{id\}.*/, '')));
    expect([...paths].sort()).toEqual(['/me', ...KINDS.map(({ path }) => path)].sort());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it('names the scopes in security, each of them sufficient', () => {
    for (const { path, method, scopes } of operations) {
      const { security } = valueAt(
        document,
        `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`,
      ) as { security: unknown };
      expect(security).toEqual(
        scopes.length === 0 ? [{ apiToken: [] }] : scopes.map((scope) => ({ apiToken: [scope] })),
      );
    }
    const { securitySchemes } = document.components;
    expect(Object.keys(securitySchemes?.apiToken?.['x-scopes'] as object).sort()).toEqual(
      [...ALL_SCOPES].sort(),
    );
  });

  it('requires If-Match, Idempotency-Key and ETag where the interface does', () => {
    for (const { id, method, path, parameters, answers } of operations) {
      const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      const versioned = !/^\/(?:me|labels)/.test(path);
      const onItem = path.includes('{id}');
      const creates = method === 'POST' && !onItem;
      const matches = versioned && onItem && method !== 'GET';
      expect(headers, id).toEqual(creates ? ['Idempotency-Key'] : matches ? ['If-Match'] : []);
      for (const [status, { headers: answered }] of answers) {
        const single = status < 300 && (onItem || creates || path === '/me');
        const tagged = versioned && single && status !== 204 && path !== '/me';
        expect(
          answered.some(({ name, required }) => name === 'etag' && required),
          `${id} ${status}`,
        ).toBe(tagged);
        expect(answered.some(({ name, required }) => name === 'retry-after' && required)).toBe(
          status === 429 || status === 503,
        );
        expect(answered.find(({ name }) => name === 'x-request-id')?.required, `${id} ${status}`).toBe(
          single,
        );
      }
      expect([...answers.keys()].filter((status) => status >= 400)).toEqual([
        400, 401, 403, 404, 409, 429, 500, 503,
      ]);
    }
  });

  it('has all 17 error codes, each at one operation at least', () => {
    const error = valueAt(document, '#/components/schemas/error/properties/error/properties/code');
    expect((error as { enum: string[] }).enum).toEqual(ERROR_CODES);
    expect(new Set(operations.flatMap(({ codes }) => codes))).toEqual(new Set(ERROR_CODES));
  });

  it('contains every definition of the service schema, rule by rule', () => {
    const moved = JSON.parse(
      JSON.stringify(service.definitions).replaceAll('#/definitions/', '#/components/schemas/'),
    ) as Record<string, JsonObject>;
    for (const [name, definition] of Object.entries(moved)) {
      expect(document.components.schemas?.[name], name).toMatchObject(withoutLists(definition));
    }
    for (const { requestBody } of operations) {
      if (requestBody === undefined) continue;
      const name = requestBody.schema.$ref?.split('/').at(-1) ?? '';
      // Write bodies are the same to the letter.
      expect(document.components.schemas?.[name]).toEqual(moved[name]);
    }
  });

  it('documents the limits', () => {
    const text = JSON.stringify(document.components.parameters);
    expect(text).toContain(`"maximum":${LIMITS.page},"default":20`);
    const bodies = DOCUMENT_TEXT.match(/"x-max-bytes": (\d+)/g) ?? [];
    expect(bodies).toHaveLength(12);
    expect(new Set(bodies)).toEqual(new Set([`"x-max-bytes": ${LIMITS.bodyBytes}`]));
  });
});

/** Resources gain descriptions, `required` and enumerations; what they had must still be there. */
function withoutLists(node: JsonObject): JsonObject {
  const entries = Object.entries(node).flatMap(([key, value]): [string, JsonObject[string]][] => {
    if (key === 'required' || key === 'description') return [];
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [[key, nested ? withoutLists(value as JsonObject) : value]];
  });
  return Object.fromEntries(entries);
}

describe('the sandbox', async () => {
  const server = await startServer(createSandbox());
  afterAll(() => server.close());

  it('serves the document, with itself as the server', async () => {
    const url = `http://127.0.0.1:${server.port}/_sandbox/openapi.json`;
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const served = (await response.json()) as { servers: { url: string }[] };
    expect(served).toEqual({ ...document, servers: [{ url: '/v1', description: 'This sandbox.' }] });
    expect(new URL(served.servers[0]?.url ?? '', url).href).toBe(server.baseUrl);
  });
});
