import { describe, expect, it } from 'vitest';
import { CHOICE_NAMES, type Choices, makeChoices } from '../../src/sandbox/choices.ts';
import fc from '../properties.ts';
import { drawChoices } from '../support/choices.ts';
import { runs } from '../support/sample.ts';
import { type Action, MALFORMED, type Session, sessions } from './actions.ts';
import { type Call, Coverage, type Reply, type Service, startService } from './caller.ts';
import { type Operation, readDocument } from './document.ts';
import { makeJudge } from './judge.ts';
import { mutations } from './mutate.ts';

/**
 * Requests made from the document, valid and spoilt, over real HTTP. The document says which of them are valid; the sandbox
 * must agree, and every one of its answers must be as the document says.
 */

const document = readDocument();
const judge = makeJudge(document);
const SESSIONS = Number(process.env.TRADEFORM_OPENAPI_SESSIONS ?? runs(80));
const LENGTH = 10;
/** Little room, so that the quota is met. */
const SEED = { accounts: [{ quota: { max: 2 } }] };

const draws = fc.array(fc.nat(), { minLength: CHOICE_NAMES.length, maxLength: CHOICE_NAMES.length });

/** What a session knows of the resources that it made: id → latest version. */
interface Known {
  readonly versions: Map<string, string>;
  readonly active: Set<string>;
  readonly label: string | undefined;
  calls: number;
}

const UNKNOWN = '00000000-0000-4000-8000-0000000000aa';

function callOf({ id: name, body, query, spoil, pick }: Action, known: Known): Call {
  const operation = judge.operation(name);
  known.calls += 1;
  const ids = [...known.versions.keys()];
  const id = operation.path.includes('{id}')
    ? spoil === 'id'
      ? [UNKNOWN, 'no-uuid'][pick % 2]
      : (ids[pick % Math.max(1, ids.length)] ?? UNKNOWN)
    : undefined;
  const headers: Record<string, string> = {};
  const queries: Record<string, string> = { ...query };
  for (const { name, in: place } of operation.parameters) {
    if (place !== 'header') continue;
    const value =
      name === 'If-Match' ? (known.versions.get(id ?? '') ?? '"v1"') : `generated-key-${known.calls}`;
    const stale = name === 'If-Match' && spoil === 'version';
    headers[name.toLowerCase()] = stale ? '"v999999"' : value;
    const wrong = [undefined, ...(MALFORMED[name] ?? [])][pick % 5];
    if (spoil !== 'header') continue;
    if (wrong === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = wrong;
  }
  if (spoil === 'query') {
    const names = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    const name = names[pick % names.length] ?? '';
    const values = MALFORMED[name] ?? [];
    queries[name] = values[pick % values.length] ?? '';
  }
  const valid = labelled(body, known);
  const sent = spoil === 'body' ? spoilt(operation.requestBody?.schema.$ref ?? '', valid, pick) : valid;
  return {
    ...(id === undefined ? {} : { id }),
    headers,
    query: queries,
    ...(sent === undefined ? {} : { body: sent }),
  };
}

function spoilt(reference: string, body: Action['body'], pick: number): unknown {
  const all = mutations(document, reference, body ?? null);
  return all[pick % all.length]?.body;
}

/** Labels are taken from the account; made-up ids would all be unknown. */
function labelled(body: Action['body'], { label }: Known): Action['body'] {
  const labelId = body instanceof Object && 'risk_label_id' in body ? body.risk_label_id : null;
  return labelId === null ? body : { ...(body as object), risk_label_id: label ?? null };
}

/** Codes with which the state of the account may refuse a request that the document permits. */
function refusals({ id, spoil }: Action, call: Call, known: Known, choices: Choices): string[] {
  const { path, method } = judge.operation(id);
  // Whether a label needs both fields is not shown.
  const needsBoth =
    (id === 'patchLabel' && choices.label_patch_fields === 'both') ||
    (id === 'createLabel' && choices.label_create_fields === 'both');
  const codes = needsBoth && Object.keys(call.body as object).length < 2 ? ['validation_error'] : [];
  if (path.includes('{id}') && !known.versions.has(call.id ?? '')) return [...codes, 'not_found'];
  if (spoil === 'version') codes.push('version_conflict');
  if (call.query?.label_id !== undefined) codes.push('not_found');
  if (call.body !== undefined) {
    if (path.includes('templates')) codes.push('template_name_exists');
    if (path.startsWith('/labels')) codes.push('label_name_exists');
    if (path === '/copy-trade/configs') codes.push('target_already_exists');
    if (path.endsWith('/configs')) codes.push('quota_exceeded');
  }
  const active = known.active.has(call.id ?? '');
  if (active && (method === 'PATCH' || method === 'DELETE')) codes.push('config_must_be_paused');
  if (path.endsWith('/pause') && !active) codes.push(choices.pause_paused);
  if (path.endsWith('/resume') && active) codes.push(choices.resume_active);
  return codes;
}

function learn({ method }: Operation, call: Call, reply: Reply, known: Known): void {
  if (reply.status >= 300) return;
  const id: string = call.id ?? reply.data?.id;
  if (method === 'DELETE') known.versions.delete(id);
  else if (id !== undefined) known.versions.set(id, reply.headers.etag ?? '');
  if (reply.data?.is_active === true) known.active.add(id);
  else known.active.delete(id);
}

interface Tally {
  accepted: number;
  refused: number;
  readonly succeeded: Set<string>;
}

async function act(service: Service, action: Action, known: Known, tally: Tally): Promise<void> {
  const operation = judge.operation(action.id);
  const { choices } = service.sandbox;
  const call = callOf(action, known);
  const sent = { query: {}, headers: {}, ...call };
  const problems = await judge.request(operation, sent);
  const reply = await service.call(operation, call);
  const told = `${operation.id} ${JSON.stringify(call)} answered ${reply.text}`;
  if (problems.length > 0) {
    expect(reply.status, `${problems.join(', ')}: ${told}`).toBeGreaterThanOrEqual(400);
    expect(reply.status, told).toBeLessThan(500);
    tally.refused += 1;
  } else if (reply.status >= 400) {
    expect(refusals(action, call, known, choices), told).toContain(reply.code);
  } else {
    tally.accepted += 1;
    tally.succeeded.add(operation.id);
  }
  learn(operation, call, reply, known);
  const cursor: unknown = reply.data?.next_cursor;
  if (typeof cursor === 'string') {
    expect((await service.call(operation, { query: { ...sent.query, cursor } })).status).toBe(200);
  }
}

async function run(service: Service, session: Session, tally: Tally): Promise<void> {
  const labels = judge.operation('createLabel');
  const headers = { 'idempotency-key': 'label-of-session' };
  const label = await service.call(labels, { headers, body: { name: 'of the session', sort_order: 5 } });
  expect(label.status).toBe(201);
  const known: Known = { versions: new Map(), active: new Set(), label: label.data.id, calls: 0 };
  for (const action of [...session.calm, ...session.more]) await act(service, action, known, tally);
}

describe('requests made from the document', () => {
  for (const [title, random] of [
    ['by the default choices', false],
    ['by random choices for all that the interface does not show', true],
  ] as const) {
    it(`are accepted and refused as documented, ${title}`, async () => {
      const coverage = new Coverage();
      const tally: Tally = { accepted: 0, refused: 0, succeeded: new Set() };
      await fc.assert(
        fc.asyncProperty(draws, sessions(document, judge.operations, LENGTH), async (numbers, session) => {
          let next = 0;
          const choices = random ? drawChoices((count) => (numbers[next++] ?? 0) % count) : makeChoices();
          const service = await startService(judge, coverage, { choices, seed: SEED });
          await run(service, session, tally);
        }),
        { numRuns: SESSIONS },
      );
      expect(judge.operations.map(({ id }) => id).filter((id) => !tally.succeeded.has(id))).toEqual([]);
      expect([...coverage.codes].some((code) => code.endsWith(' quota_exceeded'))).toBe(true);
      expect(tally.accepted).toBeGreaterThan(SESSIONS * 3);
      expect(tally.refused).toBeGreaterThan(SESSIONS);
    });
  }
});
