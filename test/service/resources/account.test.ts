import { describe, expect, it } from 'vitest';
import { checkExpiry, checkPin, parseAccount } from '../../../src/core/service/resources/account.ts';
import { liveState } from '../../support/builders.ts';

const DATA = {
  token_prefix: 'svc_live_0a1b2c3d',
  scopes: ['sniper:read'],
  // Less than the rest: somebody else of the family has some of it.
  quota: { max: 10, used: 4, remaining: 5 },
  expires_at: null,
  login_username: 'whales',
  family_role: 'none',
};

describe('the account of an answer', () => {
  it('contains the known fields', () => {
    expect(parseAccount({ ...DATA, expires_at: '2026-12-01T00:00:00Z', family_role: 'member' })).toEqual({
      ...DATA,
      expires_at: '2026-12-01T00:00:00Z',
      family_role: 'member',
    });
  });

  it('tolerates missing or odd fields: no name, no family, no expiry, the rest of the quota counted', () => {
    const { token_prefix } = DATA;
    const bare = { token_prefix, scopes: ['sniper:read', 7, null], quota: { max: 10, used: 4 } };
    expect(parseAccount({ ...bare, login_username: 5, family_role: {}, expires_at: 0 })).toEqual({
      token_prefix,
      login_username: null,
      family_role: 'none',
      scopes: ['sniper:read'],
      expires_at: null,
      quota: { max: 10, used: 4, remaining: 6 },
    });
    expect(parseAccount({ ...bare, quota: { max: 4, used: 9, remaining: '3' } })).toMatchObject({
      quota: { remaining: 0 },
    });
  });

  it.each([
    ['token_prefix', { token_prefix: 7 }],
    ['scopes', { scopes: 'sniper:read' }],
    ['quota', { quota: 10 }],
    ['quota.max', { quota: { max: '10', used: 4 } }],
    ['quota.used', { quota: { max: 10 } }],
  ])('is none without %s', (what, over) => {
    expect(parseAccount({ ...DATA, ...over })).toContain(what);
  });
});

describe('the account pin', () => {
  const account = { ...liveState([]).account, login_username: 'whales', token_prefix: 'svc_live_0a1b2c3d' };

  it.each([
    ['none', undefined],
    ['an empty one', {}],
    ['this user', { login_username: 'whales' }],
    ['this token', { token_prefix: 'svc_live_0a1b2c3d' }],
  ])('%s accepts the token', (_name, pin) => {
    expect(checkPin(account, pin)).toEqual([]);
  });

  it('another user or another token is an error, each named with what was found', () => {
    const found = checkPin(account, { login_username: 'minnows', token_prefix: 'svc_live_ffffffff' });
    expect(found.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'account-mismatch'],
      ['error', 'account-mismatch'],
    ]);
    expect(found.map(({ message }) => message)).toEqual([
      'the project file pins login_username minnows, but the token belongs to whales',
      'the project file pins token_prefix svc_live_ffffffff, but the token belongs to svc_live_0a1b2c3d',
    ]);
  });

  it('an account without a user name does not match a user, and one pin does not match the other', () => {
    const nameless = { ...account, login_username: null };
    expect(checkPin(nameless, { login_username: 'whales' })[0]?.message).toContain('an account without one');
    expect(checkPin(account, { login_username: 'minnows', token_prefix: account.token_prefix })).toHaveLength(
      1,
    );
    expect(checkPin(account, { login_username: 'whales', token_prefix: 'svc_live_ffffffff' })).toHaveLength(
      1,
    );
  });
});

it.each([
  ['2026-11-21T12:00:00Z', 'the token has expired'],
  ['2026-11-21T12:00:01Z', 'the token expires within a day'],
  ['2026-11-22T11:59:59Z', 'the token expires within a day'],
  ['2026-11-22T12:00:00Z', 'the token expires in 1 days'],
  ['2026-11-28T11:59:59Z', 'the token expires in 6 days'],
  ['2026-11-28T12:00:00Z', undefined],
])('a token that ends at %s: %s', (expires_at, text) => {
  const account = { ...liveState([]).account, expires_at };
  const messages = checkExpiry(account, Date.parse('2026-11-21T12:00:00Z')).map(({ message }) => message);
  expect(messages).toEqual(text === undefined ? [] : [`${text} (${expires_at})`]);
});
