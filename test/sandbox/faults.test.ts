import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/core/model/generated/sandbox.ts';
import { TransportError } from '../../src/core/ports/transport.ts';
import { createSandboxTransport } from '../support/sandbox-transport.ts';
import { startService, taskBody } from './service.ts';

const body = taskBody('sniper');

function faulty(...faults: FaultRule[]) {
  return startService({ faults });
}

describe('faults', () => {
  it('strike the next matching requests only', async () => {
    const service = faulty({
      method: 'GET',
      path: '^/labels',
      times: 2,
      skip: 1,
      fault: { type: 'error', code: 'internal_error' },
    });
    const codes: (string | undefined)[] = [];
    for (const path of ['/labels', '/me', '/labels', '/labels', '/labels'])
      codes.push((await service.ask('GET', path)).code);
    expect(codes).toEqual([undefined, undefined, 'internal_error', 'internal_error', undefined]);
    expect(service.sandbox.faults.struck()).toEqual([2]);
    service.sandbox.faults.add({ times: 0, fault: { type: 'error', code: 'service_unavailable' } });
    for (let n = 0; n < 5; n += 1) expect((await service.ask('GET', '/me')).status).toBe(503);
    service.sandbox.faults.clear();
    expect((await service.ask('GET', '/me')).status).toBe(200);
  });

  it.each([
    ['before', 0],
    ['after-commit', 1],
  ] as const)('break the connection %s', async (when, tasks) => {
    const service = faulty({ fault: { type: 'drop', when } });
    expect(await service.deliver('POST', '/sniper/configs', { body })).toEqual({
      type: 'dropped',
      committed: tasks === 1,
    });
    expect(service.sandbox.state.tasks.size).toBe(tasks);
  });

  it.each([
    ['before', 0],
    ['after-commit', 1],
  ] as const)('answer an error, HTML or anything %s', async (when, tasks) => {
    for (const fault of [
      { type: 'error', code: 'internal_error', when },
      { type: 'html', when },
      { type: 'status', status: 418, body: '{}', when },
      { type: 'hang', when },
    ] as const) {
      const service = faulty({ fault });
      const delivery = await service.deliver('POST', '/sniper/configs', { body });
      const seen = delivery.type === 'answer' ? delivery.response.status : delivery.type;
      expect(seen).toBe({ error: 500, html: 502, status: 418, hang: 'hung' }[fault.type]);
      expect(service.sandbox.state.tasks.size).toBe(tasks);
    }
  });

  it('limit the rate within a window', async () => {
    const service = faulty({ fault: { type: 'rate-limit', max: 2, window_ms: 1000 } });
    const statuses: number[] = [];
    for (const wait of [0, 0, 0, 500, 500]) {
      service.pass(wait);
      statuses.push((await service.ask('GET', '/me')).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200]);
  });

  it('deliver twice, at once or later', async () => {
    const now = faulty({ fault: { type: 'duplicate' } });
    const { id } = await now.make('sniper');
    now.sandbox.faults.add({ method: 'POST', fault: { type: 'duplicate' } });
    expect((await now.ask('POST', `/sniper/configs/${id}/resume`, { ifMatch: 1 })).code).toBe(
      'version_conflict',
    );
    expect((await now.get('sniper', id)).version).toBe(2);
    now.sandbox.faults.add({ method: 'POST', fault: { type: 'duplicate', answer: 'first' } });
    expect((await now.ask('POST', `/sniper/configs/${id}/pause`, { ifMatch: 2 })).data.version).toBe(3);

    const later = faulty({ method: 'POST', path: 'templates', fault: { type: 'duplicate', after: 2 } });
    const made = await later.ask('POST', '/sniper/templates', { body: { name: 'a', config: body.config } });
    await later.ask('DELETE', `/sniper/templates/${made.data.id}`, { ifMatch: 1 });
    expect(later.sandbox.state.templates.size).toBe(0);
    await later.ask('GET', '/me');
    expect(later.sandbox.state.templates.size).toBe(0);
  });

  it('serve the answer to an earlier GET', async () => {
    const service = faulty({ method: 'GET', skip: 1, fault: { type: 'stale' } });
    const before = await service.ask('GET', '/sniper/configs');
    await service.make('sniper');
    expect((await service.ask('GET', '/sniper/configs')).body).toEqual(before.body);
    expect((await service.ask('GET', '/sniper/configs')).data.items).toHaveLength(1);
  });

  it('change headers, add delays, and combine', async () => {
    const service = faulty(
      { fault: { type: 'headers', set: { etag: 'W/"v1"' }, remove: ['x-request-id'] } },
      { fault: { type: 'delay', ms: 5000 } },
    );
    const before = service.sandbox.now();
    const reply = await service.ask('POST', '/sniper/configs', { body });
    expect([reply.headers.etag, reply.headers['x-request-id']]).toEqual(['W/"v1"', undefined]);
    expect(service.sandbox.now() - before).toBe(5000);
  });
});

describe('the log', () => {
  it('contains requests, answers and faults, and no secret', async () => {
    const service = faulty({ path: '^/labels', fault: { type: 'drop' } });
    const { id } = await service.make('sniper');
    await service.ask('DELETE', `/sniper/configs/${id}`, { ifMatch: 7 });
    await service.deliver('GET', '/labels');
    expect(service.sandbox.log.map(({ at: _at, ...entry }) => entry)).toEqual([
      expect.objectContaining({
        method: 'POST',
        status: 201,
        idempotency_key: 'key-00000001',
        code: null,
        token_prefix: 'svc_live_5a4d0b0c',
      }),
      expect.objectContaining({ method: 'DELETE', status: 409, if_match: '"v7"', code: 'version_conflict' }),
      expect.objectContaining({ method: 'GET', path: '/labels', status: null, faults: ['drop'] }),
    ]);
    const [, secret = 'none'] = service.sandbox.tokens()[0]?.token.split('.') ?? [];
    expect(JSON.stringify(service.sandbox.log)).not.toContain(secret);
    service.sandbox.clearLog();
    expect(service.sandbox.log).toEqual([]);
  });
});

describe('the transport in process', () => {
  it('answers with the token, and turns broken connections into lost outcomes', async () => {
    const service = faulty({ skip: 1, fault: { type: 'drop' } }, { skip: 1, fault: { type: 'truncate' } });
    const transport = createSandboxTransport(service.sandbox);
    const me = { method: 'GET', path: '/me', headers: {} } as const;
    expect((await transport.send(me)).status).toBe(200);
    for (let n = 0; n < 2; n += 1) {
      const failure = await transport.send(me).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TransportError);
      expect((failure as TransportError).outcome).toBe('lost');
    }
    const sent = await transport.send({
      method: 'POST',
      path: '/sniper/configs',
      headers: { 'Idempotency-Key': 'key-12345' },
      body: JSON.stringify(body),
    });
    expect(sent.status).toBe(201);
    expect((await transport.send({ ...me, headers: { Authorization: 'Bearer x' } })).status).toBe(401);
    await transport.close();
  });

  it('never settles for a hanging answer', async () => {
    const { sandbox } = faulty({ path: '^/me', fault: { type: 'hang' } });
    const transport = createSandboxTransport(sandbox);
    const headers = {};
    const hanging = transport.send({ method: 'GET', path: '/me', headers }).then(() => 'settled');
    const later = transport.send({ method: 'GET', path: '/labels', headers }).then(() => 'still waiting');
    expect(await Promise.race([hanging, later])).toBe('still waiting');
  });
});
