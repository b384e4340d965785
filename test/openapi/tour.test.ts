import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/core/model/generated/sandbox.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { copyTradeConfig, sniperConfig, wallet } from '../support/builders.ts';
import { type Call, Coverage, type Service, startService } from './caller.ts';
import { type Operation, readDocument } from './document.ts';
import { makeJudge } from './judge.ts';

/**
 * Over real HTTP: every operation of the document, with every status and every error code that it declares, each brought
 * about by its own cause. Every answer is checked by the document.
 */

const judge = makeJudge(readDocument());
const UNKNOWN = '00000000-0000-4000-8000-0000000000aa';
const OTHER_TOKEN = 'svc_live_00000001.allowlisted-elsewhere';
const POOR_TOKEN = 'svc_live_00000002.without-scopes';
const FULL_TOKEN = 'svc_live_00000003.account-without-room';
const EXPIRED_TOKEN = 'svc_live_00000004.expired';

const SEED: Seed = {
  accounts: [
    {
      login_username: 'whales',
      quota: { max: 1_000 },
      tokens: [
        { token: 'svc_live_00000000.main' },
        { token: OTHER_TOKEN, ip_allowlist: ['10.0.0.0/8'] },
        { token: POOR_TOKEN, scopes: [] },
        { token: EXPIRED_TOKEN, expires_at: '2020-01-01T00:00:00Z' },
      ],
    },
    {
      id: 'full',
      quota: { max: 0 },
      tokens: [{ token: FULL_TOKEN }],
      labels: Array.from({ length: 20 }, (_, n) => ({ name: `label ${n}`, sort_order: n })),
      templates: Array.from({ length: 1_000 }, (_, n) => ({
        kind: 'sniper' as const,
        name: `template ${n}`,
        config: sniperConfig(),
      })),
    },
  ],
};

/** Choices under which every declared code can come about at all. */
const CHOICES: Partial<Choices> = {
  malformed_id: 'invalid_request',
  expired_token_code: 'insufficient_scope',
  target_unique: 'each-kind',
};
const OTHERS: Partial<Choices> = {
  ...CHOICES,
  replay_status: 200,
  replay_etag: 'current',
  label_delete_answer: '200-null',
  label_fields: 'full',
  extra_fields: 'some',
  request_id_header: 'everywhere',
  retry_after_form: 'date',
  timestamp_form: 'microseconds-offset',
  unlabeled_shown: 'absent',
  meta_markers: 'absent',
  date_header: 'absent',
};

let made = 0;

/** A valid call of the operation, and what it acts upon. */
async function validCall(service: Service, operation: Operation, active?: boolean): Promise<Call> {
  made += 1;
  const { method, path, parameters } = operation;
  const headers: Record<string, string> = {};
  if (parameters.some(({ name }) => name === 'Idempotency-Key'))
    headers['idempotency-key'] = `tour-key-${made}`;
  const body = operation.requestBody === undefined ? {} : { body: bodyOf(path, method, made) };
  if (!path.includes('{id}')) return { headers, ...body };
  const collection = path.replace(/\/\{id\}.*/, '');
  const resource = await create(service, collection);
  const runs = active ?? path.endsWith('/pause');
  if (runs) await start(service, collection, resource);
  if (parameters.some(({ name }) => name === 'If-Match')) headers['if-match'] = runs ? '"v2"' : '"v1"';
  return { id: resource, headers, ...body };
}

function bodyOf(path: string, method: string, n: number): Record<string, unknown> {
  const config = path.startsWith('/copy-trade') ? copyTradeConfig() : sniperConfig();
  if (path.startsWith('/labels')) return { name: `tour ${n}`, sort_order: n };
  if (path.includes('templates')) return { name: `tour ${n}`, config };
  if (method === 'PATCH') return { remark: `tour ${n}`, config };
  const linked = path.startsWith('/copy-trade') ? { linked_wallets: [] } : {};
  return { remark: `tour ${n}`, target_wallet: wallet(n), ...linked, config };
}

function operationAt(method: string, path: string): Operation {
  const found = judge.operations.find((operation) => operation.method === method && operation.path === path);
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found;
}

async function create(service: Service, collection: string): Promise<string> {
  const operation = operationAt('POST', collection);
  const reply = await service.call(operation, await validCall(service, operation));
  expect(reply.status).toBe(201);
  return reply.data.id;
}

async function start(service: Service, collection: string, id: string): Promise<void> {
  const operation = operationAt('POST', `${collection}/{id}/resume`);
  const reply = await service.call(operation, { id, headers: { 'if-match': '"v1"' } });
  expect([reply.status, reply.data.is_active]).toEqual([200, true]);
}

/** Room for more: an account has 20 labels at most. */
function removeLabels({ sandbox }: Service): void {
  const own = [...sandbox.state.labels.values()].filter(({ account }) => account !== 'full');
  sandbox.apply(own.map(({ id }) => ({ type: 'label-removed', id })));
}

/** The call with which the operation answers a code. */
async function provoke(service: Service, operation: Operation, code: string): Promise<Call> {
  const { path, method } = operation;
  const collection = path.replace(/\/\{id\}.*/, '');
  removeLabels(service);
  const call = await validCall(service, operation);
  const body = call.body as Record<string, unknown>;
  switch (code) {
    case 'invalid_request':
      if (call.body !== undefined) return { ...call, raw: '{"name": ' };
      return path.includes('{id}') ? { ...call, id: 'no-uuid' } : { ...call, rawQuery: 'q=a&q=b' };
    case 'invalid_api_token':
      return { ...call, token: false };
    case 'insufficient_scope':
      return { ...call, token: operation.scopes.length === 0 ? EXPIRED_TOKEN : POOR_TOKEN };
    case 'ip_not_allowed':
      return { ...call, token: OTHER_TOKEN };
    case 'validation_error':
      if (call.body !== undefined) return { ...call, body: { ...body, user_id: 'me' } };
      service.sandbox.editStored(call.id ?? '', { merge: { retired: true }, bump: false });
      return call;
    case 'not_found':
      if (path.includes('{id}')) return { ...call, id: UNKNOWN };
      if (method === 'GET') return { ...call, query: { label_id: UNKNOWN } };
      return { ...call, body: { ...body, risk_label_id: UNKNOWN } };
    case 'target_already_exists':
    case 'template_name_exists':
    case 'label_name_exists': {
      const operation = operationAt('POST', collection);
      const other = await validCall(service, operation);
      expect((await service.call(operation, other)).status).toBe(201);
      const { name, target_wallet } = other.body as Record<string, unknown>;
      return { ...call, body: { ...body, ...(name === undefined ? { target_wallet } : { name }) } };
    }
    case 'quota_exceeded':
      return { ...call, token: FULL_TOKEN };
    case 'config_must_be_paused':
      return validCall(service, operation, true);
    case 'version_conflict':
      return { ...call, headers: { ...call.headers, 'if-match': '"v99"' } };
    case 'idempotency_required':
      return { ...call, headers: {} };
    case 'idempotency_conflict':
      expect((await service.call(operation, call)).status).toBe(201);
      return { ...call, body: { ...body, ...bodyOf(path, method, made + 500) } };
    default:
      service.sandbox.faults.add({ times: 1, fault: { type: 'error', code: code as 'internal_error' } });
      return call;
  }
}

/** Codes that stand for the statuses which an operation declares without a cause of its own. */
const STAND_INS = { 403: 'insufficient_scope', 404: 'not_found', 409: 'version_conflict' } as const;

async function tour(coverage: Coverage, options: SandboxOptions): Promise<void> {
  const service = await startService(judge, coverage, { seed: SEED, ...options });
  for (const operation of judge.operations) {
    const { id, answers } = operation;
    removeLabels(service);
    const call = await validCall(service, operation);
    expect(await judge.request(operation, { query: {}, headers: {}, ...call }), id).toEqual([]);
    const reply = await service.call(operation, call);
    const creates = operation.requestBody !== undefined && operation.method === 'POST';
    expect(reply.status, id).toBe(
      creates ? 201 : operation.method === 'DELETE' && reply.text === '' ? 204 : 200,
    );
    if (creates) expect((await service.call(operation, call)).data.id).toBe(reply.data.id);
    for (const code of operation.codes) {
      const refused = await service.call(operation, await provoke(service, operation, code));
      expect(refused.code, `${id} ${code}`).toBe(code);
    }
    for (const [status, code] of Object.entries(STAND_INS)) {
      if (!answers.has(Number(status)) || coverage.statuses.has(`${id} ${status}`)) continue;
      service.sandbox.faults.add({ times: 1, fault: { type: 'error', code } });
      const reply = await service.send(operation, {});
      expect(await judge.answer(operation, reply)).toEqual([]);
      coverage.add(operation, reply);
    }
  }
}

describe('every operation, status and code of the document', () => {
  it('occur in the answers of the sandbox', async () => {
    const coverage = new Coverage();
    await tour(coverage, { choices: CHOICES });
    await tour(coverage, { choices: OTHERS });
    const declared = judge.operations.flatMap(({ id, answers }) =>
      [...answers.keys()].map((status) => `${id} ${status}`),
    );
    expect(declared.filter((entry) => !coverage.statuses.has(entry))).toEqual([]);
    const codes = judge.operations.flatMap(({ id, codes }) => codes.map((code) => `${id} ${code}`));
    expect(codes.filter((entry) => !coverage.codes.has(entry))).toEqual([]);
    expect(coverage.answers).toBeGreaterThan(declared.length);
  });
});
