import { expect, it } from 'vitest';
import type { ErrorCode } from '../../src/core/model/generated/sandbox.ts';
import { configFor } from '../support/builders.ts';
import { ERROR_CODES } from '../support/choices.ts';
import { type Reply, startService, taskBody } from './service.ts';

/** Interface, "Errors": one way to each of the 17 codes, and its default status. */
const WAYS: Record<ErrorCode, { status: number; go: () => Promise<Reply> }> = {
  invalid_request: { status: 400, go: () => startService().ask('POST', '/labels', { raw: '{' }) },
  invalid_api_token: { status: 401, go: () => startService().ask('GET', '/me', { token: false }) },
  insufficient_scope: {
    status: 403,
    go: () => startService({ seed: { accounts: [{ tokens: [{ scopes: [] }] }] } }).ask('GET', '/labels'),
  },
  ip_not_allowed: {
    status: 403,
    go: () =>
      startService({ seed: { accounts: [{ tokens: [{ ip_allowlist: ['10.0.0.1'] }] }] } }).ask('GET', '/me'),
  },
  rate_limit_exceeded: {
    status: 429,
    go: () =>
      startService({ faults: [{ fault: { type: 'rate-limit', max: 0, window_ms: 5000 } }] }).ask(
        'GET',
        '/me',
      ),
  },
  validation_error: { status: 400, go: () => startService().ask('POST', '/labels', { body: { name: 3 } }) },
  not_found: {
    status: 404,
    go: () => startService().ask('GET', '/labels/00000000-0000-4000-8000-ffffffffffff'),
  },
  target_already_exists: {
    status: 409,
    go: async () => {
      const service = startService();
      await service.make('copy-trade');
      return service.ask('POST', '/copy-trade/configs', { body: taskBody('copy-trade') });
    },
  },
  template_name_exists: {
    status: 409,
    go: async () => {
      const service = startService();
      const body = { name: 'a', config: configFor('sniper') };
      await service.ask('POST', '/sniper/templates', { body });
      return service.ask('POST', '/sniper/templates', { body });
    },
  },
  label_name_exists: {
    status: 409,
    go: async () => {
      const service = startService();
      await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 0 } });
      return service.ask('POST', '/labels', { body: { name: 'a', sort_order: 0 } });
    },
  },
  quota_exceeded: {
    status: 409,
    go: () =>
      startService({ seed: { accounts: [{ quota: { max: 0 } }] } }).ask('POST', '/sniper/configs', {
        body: taskBody('sniper'),
      }),
  },
  config_must_be_paused: {
    status: 409,
    go: async () => {
      const service = startService();
      const { id } = await service.make('sniper', 1, {}, true);
      return service.ask('DELETE', `/sniper/configs/${id}`, { ifMatch: 2 });
    },
  },
  version_conflict: {
    status: 409,
    go: async () => {
      const service = startService();
      const { id } = await service.make('sniper');
      return service.ask('DELETE', `/sniper/configs/${id}`, { ifMatch: 2 });
    },
  },
  idempotency_required: {
    status: 400,
    go: () => startService().ask('POST', '/labels', { body: { name: 'a' }, key: false }),
  },
  idempotency_conflict: {
    status: 409,
    go: async () => {
      const service = startService();
      await service.ask('POST', '/labels', { body: { name: 'a' }, key: 'same-key' });
      return service.ask('POST', '/labels', { body: { name: 'b' }, key: 'same-key' });
    },
  },
  service_unavailable: {
    status: 503,
    go: () =>
      startService({ faults: [{ fault: { type: 'error', code: 'service_unavailable' } }] }).ask('GET', '/me'),
  },
  internal_error: {
    status: 500,
    go: () =>
      startService({ faults: [{ fault: { type: 'error', code: 'internal_error' } }] }).ask('GET', '/me'),
  },
};

it('produces every one of the 17 codes', async () => {
  const produced: (string | undefined)[] = [];
  for (const code of ERROR_CODES) {
    const reply = await WAYS[code].go();
    produced.push(reply.code);
    expect([code, reply.status]).toEqual([code, WAYS[code].status]);
    const { error, ...rest } = reply.body;
    expect(
      Object.keys(error)
        .filter((key) => key !== 'fields')
        .sort(),
    ).toEqual(['code', 'message']);
    expect(rest).toEqual({ request_id: expect.any(String) });
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.headers.etag).toBeUndefined();
    const waits = code === 'rate_limit_exceeded' || code === 'service_unavailable';
    expect([code, reply.headers['retry-after'] !== undefined]).toEqual([code, waits]);
  }
  expect(produced).toEqual([...ERROR_CODES]);
  expect(produced).toHaveLength(17);
});
