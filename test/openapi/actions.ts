import type { Json } from '../../src/core/model/json.ts';
import fc from '../properties.ts';
import type { OpenApi, Operation } from './document.ts';
import { type Generate, generator } from './generate.ts';

/** One request to be made, before it is known what the account holds. */
export interface Action {
  readonly id: string;
  /** Permitted by the document. */
  readonly body: Json | undefined;
  readonly query: Readonly<Record<string, string>>;
  /** What is spoilt, if anything. */
  readonly spoil: 'nothing' | 'body' | 'header' | 'query' | 'version' | 'id';
  /** Picks resources, mutations and malformed values. */
  readonly pick: number;
}

/** A collection of the service, and what is done to it. */
export interface Session {
  /** Nothing spoilt: every operation once, in an order in which each can succeed, then more creates than the quota has room for. */
  readonly calm: readonly Action[];
  readonly more: readonly Action[];
}

const CALM = [
  'POST ',
  'GET ',
  'GET {id}',
  'PATCH {id}',
  'POST {id}/resume',
  'POST {id}/pause',
  'DELETE {id}',
];

export function sessions(
  document: OpenApi,
  operations: readonly Operation[],
  length: number,
): fc.Arbitrary<Session> {
  const generate = generator(document);
  const paths = operations.filter(({ method, path }) => method === 'POST' && !path.includes('{id}'));
  return fc.constantFrom(...paths).chain((create) => {
    const own = operations.filter(
      ({ path }) => path === create.path || path.startsWith(`${create.path}/`) || path === '/me',
    );
    const action = fc.constantFrom(...own).chain((operation) => actions(operation, generate));
    const calm = CALM.flatMap((place) => {
      const [method, rest = ''] = place.split(' ');
      const path = rest === '' ? create.path : `${create.path}/${rest}`;
      return own.filter((operation) => operation.method === method && operation.path === path);
    });
    return fc.record({
      calm: fc
        .tuple(...[...calm, create, create, create].map((operation) => actions(operation, generate)))
        .map((list) => list.map((one): Action => ({ ...one, spoil: 'nothing' }))),
      more: fc.array(action, { minLength: 3, maxLength: length, size: 'max' }),
    });
  });
}

function actions(operation: Operation, generate: Generate): fc.Arbitrary<Action> {
  const { requestBody, parameters } = operation;
  const spoils: Action['spoil'][] = ['nothing', 'nothing', 'nothing'];
  if (requestBody !== undefined) spoils.push('body', 'body', 'body');
  if (parameters.some((parameter) => parameter.in === 'header')) spoils.push('header');
  if (parameters.some((parameter) => parameter.in === 'query')) spoils.push('query');
  if (parameters.some(({ name }) => name === 'If-Match')) spoils.push('version');
  if (parameters.some((parameter) => parameter.in === 'path')) spoils.push('id');
  // A cursor is not made up: it comes from an answer.
  const queries = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor');
  const query = Object.fromEntries(queries.map(({ name, schema }) => [name, generate(schema).map(String)]));
  return fc.record({
    id: fc.constant(operation.id),
    body: requestBody === undefined ? fc.constant(undefined) : generate(requestBody.schema),
    query: fc.record(query, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<
      Record<string, string>
    >,
    spoil: fc.constantFrom(...spoils),
    pick: fc.nat(1_000_000),
  });
}

/** Values that no parameter of that name permits. */
export const MALFORMED: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '101', 'ten', '1.5', '-1', ''],
  status: ['stopped', 'ACTIVE', ''],
  q: ['x'.repeat(65)],
  label_id: ['nothing', '00000000-0000-4000-8000-00000000000'],
  cursor: ['x'.repeat(2_049)],
  'If-Match': ['v1', '"v0"', 'W/"v1"', '"1"', '*'],
  'Idempotency-Key': ['short', 'x'.repeat(129), 'has a space'],
};
