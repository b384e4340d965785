import { describe, expect, it } from 'vitest';
import { configFor, wallet } from '../support/builders.ts';
import { START, startService } from './service.ts';

const TOKEN = 'svc_live_0a0b0c0d.secret-part';

function withToken(token: object) {
  return startService({ seed: { accounts: [{ id: 'a', tokens: [{ token: TOKEN, ...token }] }] } });
}

/** Interface, "Credential metadata" and `GET /me`. */
describe('GET /me', () => {
  it('describes the credential and the quota', async () => {
    const service = startService({
      seed: {
        accounts: [
          {
            login_username: 'whales',
            family_role: 'member',
            quota: { max: 10, elsewhere: 4 },
            tokens: [
              { token: TOKEN, token_version: 3, scopes: ['sniper:read'], expires_at: '2027-01-01T00:00:00Z' },
            ],
            tasks: [{ kind: 'sniper', target_wallet: wallet(1), config: configFor('sniper') }],
          },
        ],
      },
    });
    const reply = await service.ask('GET', '/me');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      data: {
        token_prefix: 'svc_live_0a0b0c0d',
        token_version: 3,
        scopes: ['sniper:read'],
        expires_at: '2027-01-01T00:00:00.000Z',
        quota: { max: 10, used: 5, remaining: 5 },
        login_username: 'whales',
        family_role: 'member',
      },
      meta: { request_id: reply.headers['x-request-id'] },
    });
  });

  it('has defaults, and needs no scope at all', async () => {
    const reply = await withToken({ scopes: [] }).ask('GET', '/me');
    expect(reply.data).toMatchObject({
      expires_at: null,
      login_username: null,
      family_role: 'none',
      scopes: [],
    });
  });
});

/** Interface, "Authentication". */
describe('tokens', () => {
  it.each([
    ['no header', undefined],
    ['no scheme', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
    ['no secret', 'Bearer svc_live_0a0b0c0d'],
    ['an empty secret', 'Bearer svc_live_0a0b0c0d.'],
    ['a wrong secret', 'Bearer svc_live_0a0b0c0d.secret-parT'],
    ['another prefix', 'Bearer svc_test_0a0b0c0d.secret-part'],
    ['an unknown id', 'Bearer svc_live_0a0b0c0e.secret-part'],
    ['upper-case hex', 'Bearer svc_live_0A0B0C0D.secret-part'],
  ])('is refused: %s', async (_what, header) => {
    const headers = header === undefined ? {} : { authorization: header };
    const reply = await withToken({}).ask('GET', '/me', { token: false, headers });
    expect([reply.status, reply.code]).toEqual([401, 'invalid_api_token']);
  });

  it('is checked before anything else', async () => {
    const reply = await withToken({}).ask('PUT', '/nowhere', { token: false });
    expect(reply.code).toBe('invalid_api_token');
  });

  it('expires', async () => {
    const service = withToken({ expires_at: new Date(START + 1000).toISOString() });
    service.pass(999);
    expect((await service.ask('GET', '/me')).status).toBe(200);
    service.pass(1);
    expect((await service.ask('GET', '/me')).code).toBe('invalid_api_token');
  });

  it('is invalid at once after a rotation', async () => {
    const service = withToken({});
    const token = service.sandbox.rotate('svc_live_0a0b0c0d');
    expect((await service.ask('GET', '/me', { token: TOKEN })).code).toBe('invalid_api_token');
    expect((await service.ask('GET', '/me', { token })).data).toMatchObject({
      token_version: 2,
      token_prefix: 'svc_live_0a0b0c0d',
    });
  });

  it.each([
    [['10.1.2.3'], '10.1.2.3', true],
    [['10.1.2.3'], '::ffff:10.1.2.3', true],
    [['10.1.2.3'], '10.1.2.4', false],
    [['192.168.0.0/16', '10.0.0.0/30'], '10.0.0.3', true],
    [['192.168.0.0/16', '10.0.0.0/30'], '10.0.0.4', false],
    [['0.0.0.0/0'], '8.8.8.8', true],
    [['::1'], '::1', true],
    [[], '127.0.0.1', false],
  ])('with allowlist %j accepts %s in: %s', async (ip_allowlist, callerIp, allowed) => {
    const reply = await withToken({ ip_allowlist }).ask('GET', '/me', { callerIp });
    expect(reply.code).toBe(allowed ? undefined : 'ip_not_allowed');
  });
});

describe('paths and methods outside the interface', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/me/'],
    ['POST', '/me'],
    ['PUT', '/labels'],
    ['DELETE', '/sniper/configs'],
    ['PATCH', '/sniper/configs'],
    ['GET', '/copytrade/configs'],
    ['POST', '/sniper/configs/00000000-0000-4000-8000-ffffffffffff/start'],
    ['GET', '/sniper/configs/00000000-0000-4000-8000-ffffffffffff/pause'],
    ['POST', '/labels/00000000-0000-4000-8000-ffffffffffff/pause'],
    ['GET', '/sniper/configsx'],
  ])('%s %s', async (method, path) => {
    const reply = await startService().ask(method, path);
    expect([reply.status, reply.code]).toEqual([404, 'not_found']);
  });
});
