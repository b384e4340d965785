import { describe, expect, it } from 'vitest';
import { checkBaseUrl } from '../../../src/core/model/base-url.ts';
import { checkToken } from '../../../src/core/model/token.ts';
import { CANARY } from './fakes.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://API.example.com:8443', 'https://api.example.com:8443'],
    ['https://api.example.com:443/v1', 'https://api.example.com/v1'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://localhost:1/v1', 'http://localhost:1/v1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ])('%s is accepted', (text, url) => {
    expect(checkBaseUrl(text)).toMatchObject({ ok: true, url });
  });

  it.each([
    'http://api.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://127.0.0.2/v1',
    'http://localhost.example.com/',
    `https://user:${CANARY}@example.com/v1`,
    'https://user@example.com/v1',
    'https://@example.com/v1',
    'https://example.com/v1?key=CANARY',
    'https://example.com/v1?',
    'https://example.com/v1#CANARY',
    'ftp://example.com/v1',
    'https:example.com/v1',
    'example.com/v1',
    '/v1',
    '',
    'https://',
    'https://exa mple.com/v1',
    'https://example.com/v1\n',
    'https:\\\\example.com\\v1',
  ])('%s is refused, and not repeated', (text) => {
    const check = checkBaseUrl(text);
    expect(check.ok).toBe(false);
    expect(JSON.stringify(check)).not.toContain('CANARY');
  });
});

describe('a token', () => {
  it('of the documented form is accepted', () => {
    expect(checkToken(CANARY)).toEqual({ ok: true, token: CANARY, prefix: 'svc_live_0a1b2c3d' });
  });

  it.each([
    '',
    'CANARY',
    `${CANARY} x`,
    `${CANARY}\u0000`,
    `${CANARY}\u200b`,
    `${CANARY}ä`,
    `"${CANARY}"`,
    `Bearer${CANARY}`,
    'svc_live_0A1B2C3D.CANARY',
    'svc_live_0a1b2c3.CANARY',
    'svc_live_0a1b2c3d.',
    'svc_live_0a1b2c3d',
    'svc_test_0a1b2c3d.CANARY',
    `${CANARY}${'x'.repeat(2_000)}`,
  ])('%j is refused, and not repeated', (text) => {
    const check = checkToken(text);
    expect(check.ok).toBe(false);
    expect(JSON.stringify(check)).not.toContain('CANARY');
  });

  it.each([`${CANARY}\n`, `${CANARY}\r\n\r\n`, ` \t${CANARY} `, `\ufeff${CANARY}\n`])(
    '%j loses what editors and secret stores add at its ends',
    (text) => {
      expect(checkToken(text)).toMatchObject({ ok: true, token: CANARY });
    },
  );

  const utf16 = (bom: readonly number[]) => Buffer.concat([Buffer.from(bom), Buffer.from(CANARY, 'utf16le')]);
  it.each([
    [`Bearer ${CANARY}`, 'Bearer'],
    [`Authorization: Bearer ${CANARY}`, 'Bearer'],
    [`TRADEFORM_TOKEN=${CANARY}\n`, '.env file'],
    [`export TOKEN="${CANARY}"`, '.env file'],
    [`{"token":"${CANARY}"}\n`, 'JSON'],
    [utf16([0xff, 0xfe]).toString('utf8'), 'UTF-16'],
    [utf16([]).toString('utf8'), 'UTF-16'],
    [utf16([0xff, 0xfe]).swap16().toString('utf8'), 'UTF-16'],
    [`# rotated\n${CANARY}\n`, 'more than one line'],
    [`'${CANARY}'`, 'quotation marks'],
    ['${{ secrets.TOKEN }}', 'a reference'],
    [' \n', 'empty'],
  ])('%j is named as what it is', (text, as) => {
    const check = checkToken(text);
    expect(check).toMatchObject({ ok: false, problem: expect.stringContaining(as) });
    expect(JSON.stringify(check)).not.toContain('CANARY');
  });
});
