import { beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/core/model/json.ts';
import { Coverage, type Service, startService } from './caller.ts';
import { type Operation, readDocument, valueAt } from './document.ts';
import { makeJudge } from './judge.ts';
import { type Mutation, mutations } from './mutate.ts';

const document = readDocument();
const judge = makeJudge(document);
const UNKNOWN = '00000000-0000-4000-8000-0000000000aa';
/** Values that no parameter of that name permits. */
const MALFORMED: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '101', 'ten', '1.5', '-1', ''],
  status: ['stopped', 'ACTIVE', ''],
  q: ['x'.repeat(65)],
  label_id: ['nothing', '00000000-0000-4000-8000-00000000000'],
  cursor: ['x'.repeat(2_049)],
  'If-Match': ['v1', '"v0"', 'W/"v1"', '"1"', '*'],
  'Idempotency-Key': ['short', 'x'.repeat(129), 'has a space'],
};
let service: Service;

beforeAll(async () => {
  // The body is looked at before it is known whether there is anything to change.
  service = await startService(judge, new Coverage(), { choices: { check_order: 'body-first' } });
});

/** Every mistake at every place of the examples; inside a config, which is the same wherever it stands, only once. */
function mistakes(): { readonly operation: Operation; readonly mutation: Mutation }[] {
  const seen = new Set<string>();
  return judge.operations.flatMap((operation) =>
    examplesOf(operation)
      .flatMap((example) => mutations(document, operation.requestBody?.schema.$ref ?? '', example))
      .filter(({ name }) => {
        const inConfig = name.startsWith('$.config');
        const place = `${inConfig ? operation.path.startsWith('/copy-trade') : operation.id} ${name}`;
        return !seen.has(place) && seen.add(place);
      })
      .map((mutation) => ({ operation, mutation })),
  );
}

function examplesOf({ requestBody }: Operation): readonly Json[] {
  if (requestBody === undefined) return [];
  const media = valueAt(document, requestBody.at.replace(/\/schema$/, '')) as {
    readonly example?: Json;
    readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
  };
  return media.examples === undefined
    ? [media.example ?? null]
    : Object.values(media.examples).map(({ value }) => value);
}

it('every mistake that the document forbids is a validation_error of the sandbox', async () => {
  let wrong = 0;
  for (const { operation, mutation } of mistakes()) {
    const creates = operation.method === 'POST';
    const headers = creates ? { 'idempotency-key': `mistake-${wrong}` } : { 'if-match': '"v1"' };
    const call = { ...(creates ? {} : { id: UNKNOWN }), query: {}, headers, body: mutation.body };
    if ((await judge.request(operation, call)).length === 0) continue;
    wrong += 1;
    const { code } = await service.call(operation, call);
    expect(code, `${operation.id}, ${mutation.name}`).toBe('validation_error');
  }
  expect(wrong).toBeGreaterThan(300);
});

it('every malformed parameter is refused, and every limit is inclusive', async () => {
  const bounds = {
    limit: ['1', '100'],
    status: ['active', 'paused'],
    q: ['x'.repeat(64)],
    label_id: ['unlabeled'],
  };
  let accepted = 0;
  for (const operation of judge.operations) {
    for (const { name, in: place } of operation.parameters) {
      for (const value of place === 'path' ? [] : (MALFORMED[name] ?? [])) {
        const headers = place === 'header' ? { [name.toLowerCase()]: value } : {};
        const call = { id: UNKNOWN, query: place === 'query' ? { [name]: value } : {}, headers };
        const body = operation.requestBody && { body: examplesOf(operation)[0] };
        expect(await judge.request(operation, { ...call, ...body }), `${name} ${value}`).toHaveLength(1);
        const { status } = await service.call(operation, { ...call, ...body });
        expect(status, `${operation.id}, ${name}: ${value}`).toBe(400);
      }
      for (const value of place === 'query' ? (bounds[name as keyof typeof bounds] ?? []) : []) {
        const call = { query: { [name]: value }, headers: {} };
        expect(await judge.request(operation, call), `${name} ${value}`).toEqual([]);
        expect((await service.call(operation, call)).status, `${operation.id}, ${name}: ${value}`).toBe(200);
        accepted += 1;
      }
    }
  }
  expect(accepted).toBe(3 * 6 + 2 * 3);
});
