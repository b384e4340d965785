import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { configFor } from '../support/builders.ts';
import { taskBody } from './service.ts';

const running: RunningServer[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

async function start(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const errors: unknown[] = [];
  const server = await startServer(sandbox, 0, (error) => errors.push(error));
  running.push(server);
  const root = `http://127.0.0.1:${server.port}`;
  const authorization = `Bearer ${sandbox.tokens()[0]?.token}`;
  const ask = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    const json = init.body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(root + path, {
      ...init,
      headers: { authorization, ...json, ...init.headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return { sandbox, server, root, ask, errors, authorization };
}

const CREATE = {
  method: 'POST',
  headers: { 'idempotency-key': 'key-12345' },
  body: JSON.stringify(taskBody('sniper')),
};

describe('over HTTP', () => {
  it('serves the interface below /v1 on loopback', async () => {
    const { server, ask } = await start();
    expect(server.baseUrl).toBe(`http://127.0.0.1:${server.port}/v1`);
    const made = await ask('/v1/sniper/configs', CREATE);
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"v1"']);
    const path = `/v1/sniper/configs/${made.body.data.id}`;
    const resumed = await ask(`${path}/resume`, { method: 'POST', headers: { 'if-match': '"v1"' } });
    expect(resumed.body.data.is_active).toBe(true);
    await ask(`${path}/pause`, { method: 'POST', headers: { 'if-match': '"v2"' } });
    const deleted = await ask(path, { method: 'DELETE', headers: { 'if-match': '"v3"' } });
    expect([deleted.status, deleted.body, deleted.headers.get('content-length')]).toEqual([
      204,
      undefined,
      null,
    ]);
    expect((await ask('/v1/sniper/configs?limit=1')).body.data).toEqual({ items: [], next_cursor: null });
    expect((await ask('/me')).body.error.code).toBe('not_found');
    expect((await ask('/v2/me')).body.error.code).toBe('not_found');
  });

  it('keeps connections, and sends its own Date and no other', async () => {
    const { server, authorization } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let n = 0; n < 3; n += 1) {
      const dates = await new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          { port: server.port, path: '/v1/me', agent, headers: { authorization } },
          (response) => {
            ports.add(response.socket.localPort);
            response.resume();
            response.on('end', () =>
              resolve(response.rawHeaders.filter((name) => name.toLowerCase() === 'date').length),
            );
          },
        );
        request.on('error', reject).end();
      });
      expect(dates).toBe(1);
    }
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('refuses numbers that would be stored differently than they were sent', async () => {
    const { ask, sandbox } = await start();
    for (const number of ['1e400', '-1e400', '9007199254740993']) {
      const body = `{"name": "a", "sort_order": ${number}}`;
      const reply = await ask('/v1/labels', { ...CREATE, body });
      expect([number, reply.status, reply.body.error.code]).toEqual([number, 400, 'invalid_request']);
    }
    expect(sandbox.state.labels.size).toBe(0);
  });

  it('limits bodies by bytes and refuses text that is not UTF-8', async () => {
    const { ask, server, authorization } = await start();
    for (const size of [64 * 1024 + 1, 1024 * 1024, 6 * 1024 * 1024]) {
      const reply = await ask('/v1/labels', { ...CREATE, body: 'x'.repeat(size) });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_request']);
    }
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'key-12345' };
      const request = httpRequest(
        { port: server.port, path: '/v1/labels', method: 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject).end(Buffer.from([0x22, 0xff, 0x22]));
    });
    expect(status).toBe(400);
    expect((await ask('/v1/me')).status).toBe(200);
  });

  it('breaks, cuts and withholds answers', async () => {
    const { ask, sandbox } = await start();
    sandbox.faults.add({ fault: { type: 'drop', when: 'after-commit' } });
    await expect(ask('/v1/sniper/configs', CREATE)).rejects.toThrow();
    expect(sandbox.state.tasks.size).toBe(1);
    sandbox.faults.add({ fault: { type: 'truncate', bytes: 5 } });
    await expect(ask('/v1/me')).rejects.toThrow();
    sandbox.faults.add({ fault: { type: 'truncate', ended: true } });
    await expect(ask('/v1/me')).rejects.toThrow(SyntaxError);
    sandbox.faults.add({ fault: { type: 'hang' } });
    await expect(ask('/v1/me', { signal: AbortSignal.timeout(100) })).rejects.toThrow(/abort|timeout/i);
    sandbox.faults.add({ fault: { type: 'html' } });
    expect((await ask('/v1/me').catch((error: unknown) => error)) instanceof SyntaxError).toBe(true);
  });

  it('waits for the latency', async () => {
    const { ask } = await start({ latency: 80 });
    const before = performance.now();
    await ask('/v1/me');
    expect(performance.now() - before).toBeGreaterThan(75);
  });

  it('closes every socket, idle, half-open or waiting', async () => {
    const { server, ask, sandbox } = await start();
    running.splice(running.indexOf(server), 1);
    await ask('/v1/me');
    sandbox.faults.add({ fault: { type: 'hang' } });
    const hanging = ask('/v1/me').catch(() => 'ended');
    const idle = connect(server.port, '127.0.0.1');
    const half = connect(server.port, '127.0.0.1');
    half.write('POST /v1/labels HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{');
    const ended = Promise.all(
      [idle, half].map(
        (socket) => new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve)),
      ),
    );
    await Promise.all([idle, half].map((socket) => once(socket, 'connect')));
    await vi.waitUntil(() => sandbox.log.length === 2);
    await server.close();
    expect(await hanging).toBe('ended');
    await ended;
    await expect(ask('/v1/me')).rejects.toThrow();
  });

  it('answers 500 when the store fails, and reports it', async () => {
    const store = {
      append: () => undefined,
      flushed: () => Promise.reject(new Error('disk full')),
      close: () => Promise.resolve(),
    };
    const { ask, errors } = await start({ store });
    expect((await ask('/v1/me')).body.error.code).toBe('internal_error');
    expect(String(errors[0])).toMatch(/disk full/);
  });
});

describe('control endpoints', () => {
  const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) });

  it('fire, edit, rotate, move the clock, inject faults, show log and state, without a token', async () => {
    const { ask, sandbox } = await start();
    const body = JSON.stringify(taskBody('sniper', 1, { config: configFor('sniper', { buy_once: true }) }));
    const { id } = (await ask('/v1/sniper/configs', { ...CREATE, body })).body.data;
    await ask(`/v1/sniper/configs/${id}/resume`, { method: 'POST', headers: { 'if-match': '"v1"' } });
    const control = (path: string, init = {}) =>
      ask(`/_sandbox/${path}`, { ...init, headers: { authorization: '' } });
    expect((await control(`tasks/${id}/fire`, { method: 'POST' })).body).toEqual({
      traded: true,
      deactivated: true,
    });
    await control('edit', post({ id, merge: { legacy: 1, dex_source: null }, remark: 'hand' }));
    const edited = (await ask(`/v1/sniper/configs/${id}`)).body.data;
    expect(edited).toMatchObject({ remark: 'hand', version: 4, is_active: false, config: { legacy: 1 } });
    expect(edited.config).not.toHaveProperty('dex_source');
    const before = sandbox.now();
    await control('clock', post({ advance_ms: 90_000_000 }));
    expect(sandbox.now() - before).toBeGreaterThanOrEqual(90_000_000);
    await control('faults', post([{ path: '/me$', fault: { type: 'error', code: 'service_unavailable' } }]));
    expect((await ask('/v1/me')).status).toBe(503);
    expect((await control('faults')).body).toEqual({ struck: [1] });
    await control('faults', { method: 'DELETE' });
    const { entries } = (await control('log')).body;
    expect(
      entries.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`),
    ).toEqual(['POST 201', 'POST 200', 'GET 200', 'GET 503']);
    await control('log', { method: 'DELETE' });
    expect((await control('log')).body).toEqual({ entries: [] });
    const state = (await control('state')).body;
    expect(Object.keys(state)).toEqual([
      'now',
      'choices',
      'accounts',
      'tokens',
      'labels',
      'templates',
      'tasks',
    ]);
    expect(JSON.stringify(state)).not.toContain(sandbox.tokens()[0]?.token.split('.')[1]);
    const rotated = (await control('tokens/rotate', post({ token_prefix: 'svc_live_5a4d0b0c' }))).body.token;
    expect((await ask('/v1/me')).status).toBe(401);
    expect(
      (await ask('/v1/me', { headers: { authorization: `Bearer ${rotated}` } })).body.data.token_version,
    ).toBe(2);
  });

  it('refuse what they do not know', async () => {
    const { ask } = await start();
    const status = async (path: string, init = {}) => (await ask(`/_sandbox/${path}`, init)).status;
    expect(await status('nothing')).toBe(404);
    expect(await status('tasks/x/fire', { method: 'POST' })).toBe(404);
    expect(await status('tokens/rotate', post({ token_prefix: 'svc_live_00000000' }))).toBe(404);
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await status('edit', post({ id }))).toBe(404);
    for (const [path, body] of [
      ['faults', {}],
      ['faults', { fault: { type: 'x' } }],
      ['faults', { path: '(', fault: { type: 'drop' } }],
      ['faults', { fault: { type: 'status', status: 1000 } }],
      ['faults', { fault: { type: 'status', status: 502, headers: { 'x-a': 'b\r\nc: d' } } }],
      ['faults', { fault: { type: 'delay', ms: 'long' } }],
      ['faults', { fault: { type: 'drop', wen: 'before' } }],
      ['faults', { times: -1, fault: { type: 'drop' } }],
      ['faults', [{ fault: { type: 'drop' } }, 5]],
      ['clock', {}],
      ['clock', { advance_ms: 1e300 }],
      ['clock', { advance_ms: -1 }],
      ['tokens/rotate', { token_prefix: 7 }],
      ['edit', []],
      ['edit', { id: 'x' }],
      ['edit', { id, is_active: 'yes' }],
      ['edit', { id, remark: 7 }],
      ['edit', { id, linked_wallets: 'a' }],
      ['edit', { id, isActive: true }],
    ] as const) {
      expect([path, await status(path, post(body))]).toEqual([path, 400]);
    }
    expect(await status('edit', { method: 'POST', body: '{' })).toBe(400);
    expect(await status('clock', { method: 'POST', body: '{"advance_ms": 1e400}' })).toBe(400);
  });

  it.each(['/_sandbox/state', '/v1/me'])('answer no page in a browser: %s', async (path) => {
    const { ask, server } = await start();
    expect((await ask(path)).status).not.toBe(403);
    expect((await ask(path, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        { port: server.port, path, headers: { host: 'evil.example' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject).end();
    });
    expect(status).toBe(403);
  });
});
