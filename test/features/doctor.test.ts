import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommonOptions } from '../../src/core/command/options.ts';
import type { Method } from '../../src/core/ports/transport.ts';
import { runDoctor } from '../../src/kit/doctor/doctor.ts';
import { projectFiles } from '../cmd/run.ts';
import { CANARY, refusal } from '../service/http/fakes.ts';
import { FakeService } from '../service/view/service.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { runInMemory } from './in-memory.ts';

let directory: string;
let service: FakeService;
let baseUrl: string;
let asked: { url: string | undefined; authorization: string | undefined }[];
let stop: () => Promise<unknown>;

beforeEach(async () => {
  directory = temporaryFolder('doctor');
  service = new FakeService(Date.now());
  asked = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, authorization: request.headers.authorization });
    const answer = service.handle({
      method: request.method as Method,
      path: (request.url ?? '').replace(/^\/v1/, ''),
      headers: {},
    });
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
});

afterEach(() => stop());

interface Report {
  ok: boolean;
  exit_code: number;
  command: string;
  format: string;
  checks: { name: string; status: string; text: string; remedy?: string }[];
  diagnostics: { severity: string; code: string; message: string }[];
}

async function run(options: CommonOptions, env: Record<string, string> = {}, columns = 200) {
  const place = { cwd: directory, env: { PATH: process.env.PATH, ...env }, columns };
  const { code, stdout: out } = await runInMemory(place, (io) => runDoctor(options, io));
  expect(out).not.toContain('CANARY');
  return { code, out };
}

async function report(
  options: CommonOptions = {},
  env: Record<string, string> = { TRADEFORM_TOKEN: CANARY },
) {
  const { code, out } = await run({ baseUrl, output: 'json', ...options }, env);
  const document = JSON.parse(out) as Report;
  expect(document).toMatchObject({
    format: 'tradeform.result/1',
    command: 'doctor',
    exit_code: code,
    ok: code === 0,
  });
  const check = (name: string) => document.checks.find((one) => one.name === name);
  return { code, document, check };
}

function project(account: string): void {
  mkdirSync(join(directory, 'manifests'));
  writeFileSync(
    join(directory, 'tradeform.yaml'),
    `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  environments:\n    production:\n      base_url: ${baseUrl}\n${account}`,
  );
  writeFileSync(
    join(directory, 'manifests', 'label.yaml'),
    'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: risky }\nspec: { sort_order: 1 }\n',
  );
}

describe('a healthy set-up', () => {
  it('passes every check with one request, which carries the token', async () => {
    project('      account: { login_username: whales }\n');
    const { code, document, check } = await report({}, { TRADEFORM_TOKEN: CANARY });
    expect(document.checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(code).toBe(0);
    expect(asked).toEqual([{ url: '/v1/me', authorization: `Bearer ${CANARY}` }]);
    for (const name of [
      'project',
      'base URL',
      'token',
      'service',
      'clock',
      'account',
      'scopes label',
      'scopes sniper',
      'scopes for plan',
      'scopes for apply',
      'scopes for pause',
      'TLS',
      'expiry',
      'quota',
    ]) {
      expect(check(name)).toMatchObject({ status: 'ok' });
    }
    expect(check('account')?.text).toContain('whales');
    expect(check('token')?.text).toContain('svc_live_0a1b2c3d');
  });

  it('takes the base URL from the project file', async () => {
    project('');
    const { out, code } = await run({}, { TRADEFORM_TOKEN: CANARY });
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}ok +service +answered on loopback/m);
    expect(out).toMatch(
      /^ {2}warn +account +login_username whales; no account is pinned.*\n +→ Pin it in tradeform.yaml: spec\.environments\.production\.account: \{ login_username: whales \}/m,
    );
    writeFileSync(
      join(directory, 'tradeform.yaml'),
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n',
    );
    expect((await run({ baseUrl }, { TRADEFORM_TOKEN: CANARY })).out).toContain('spec.account: { login');
  });

  it('is shown within the width', async () => {
    project('');
    const { out } = await run({}, { TRADEFORM_TOKEN: CANARY }, 60);
    expect(out.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });
});

describe('settings', () => {
  it('that are missing are named all at once, exit 3, and nothing is sent', async () => {
    const { out, code } = await run({ output: 'json' });
    const document = JSON.parse(out) as Report;
    expect(code).toBe(3);
    expect(document.diagnostics.map((one) => one.code)).toEqual(
      expect.arrayContaining(['base-url-missing', 'token-missing']),
    );
    expect(document.checks.find(({ name }) => name === 'service')?.status).toBe('skip');
  });

  it.each([
    ['a malformed token', {}, { TRADEFORM_TOKEN: `${CANARY} x` }, 'token-malformed'],
    [
      'a base URL without https',
      { baseUrl: 'http://example.com/v1' },
      { TRADEFORM_TOKEN: CANARY },
      'base-url-invalid',
    ],
    [
      'a base URL with credentials',
      { baseUrl: `https://x:${CANARY}@example.com/v1` },
      { TRADEFORM_TOKEN: CANARY },
      'base-url-invalid',
    ],
    [
      'a token file that is not there',
      { tokenFile: 'nowhere' },
      { TRADEFORM_TOKEN: CANARY },
      'file-unreadable',
    ],
    [
      'a project file that is not there',
      { project: 'nowhere.yaml' },
      { TRADEFORM_TOKEN: CANARY },
      'file-unreadable',
    ],
  ])('%s: exit 3, nothing sent', async (_name, options, env, code) => {
    const result = await report(options as CommonOptions, env);
    expect(result.code).toBe(3);
    expect(result.document.diagnostics.map((one) => one.code)).toContain(code);
    expect(asked).toEqual([]);
  });

  it('a missing token file is reported with the path that was tried', async () => {
    const { document } = await report({}, { TRADEFORM_TOKEN_FILE: 'secrets/token' });
    const said = document.diagnostics.find((one) => one.code === 'file-unreadable');
    expect(said?.message).toContain(`the token file ${join(directory, 'secrets', 'token')} cannot be read`);
  });

  it('a broken manifest: exit 3, nothing sent', async () => {
    project('');
    writeFileSync(join(directory, 'manifests', 'bad.yaml'), 'kind: [');
    const { code, check } = await report();
    expect(code).toBe(3);
    expect(check('project')).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('tradeform validate'),
    });
    expect(asked).toEqual([]);
  });

  it('options override variables, and a token file named by an option overrides TRADEFORM_TOKEN', async () => {
    const other = 'svc_live_99999999.CANARYother';
    writeFileSync(join(directory, 'token'), `${other}\n`, { mode: 0o600 });
    const env = {
      TRADEFORM_TOKEN: CANARY,
      TRADEFORM_BASE_URL: 'https://nowhere.invalid/v1',
      TRADEFORM_TOKEN_FILE: 'gone',
    };
    expect((await report({ tokenFile: 'token' }, env)).code).toBe(0);
    expect((await report({}, env)).code).toBe(0);
    expect((await report({}, { TRADEFORM_TOKEN: '', TRADEFORM_TOKEN_FILE: 'token' })).code).toBe(0);
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${other}`,
      `Bearer ${CANARY}`,
      `Bearer ${other}`,
    ]);
  });

  it.each([
    ['no token at all', {}, 'none is used'],
    ['the token of a variable', { TRADEFORM_TOKEN: CANARY, TRADEFORM_TOKEN_FILE: 'gone' }, 'none is used'],
    [
      'a file that is not there',
      { TRADEFORM_TOKEN_FILE: 'gone' },
      'not checked because of the failure above',
    ],
  ])('with %s no token file is reported as correct', async (_name, env, text) => {
    const { check } = await report({}, env);
    expect(check('token file')).toEqual({ name: 'token file', status: 'skip', text });
  });

  it.skipIf(process.platform === 'win32')('warns of a token file that others can read', async () => {
    writeFileSync(join(directory, 'token'), CANARY);
    for (const [mode, status] of [
      [0o600, 'ok'],
      [0o644, 'warn'],
      [0o640, 'warn'],
    ] as const) {
      chmodSync(join(directory, 'token'), mode);
      const { code, check } = await report({ tokenFile: 'token' }, {});
      expect(code).toBe(0);
      expect(check('token file')).toMatchObject({ status });
    }
  });
});

describe('the service', () => {
  it('that is unreachable: exit 1', async () => {
    await stop();
    const { code, check, document } = await report();
    expect(code).toBe(1);
    expect(check('service')).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/^127\.0\.0\.1:\d+: .*refused/),
    });
    expect(check('service')?.remedy).not.toContain('doctor');
    expect(check('quota')).toMatchObject({ status: 'skip' });
    expect(
      document.diagnostics.filter(({ severity }) => severity === 'error').map(({ code: of }) => of),
    ).toEqual(['service-unreachable']);
    stop = async () => undefined;
  });

  it('that refuses the token: exit 1, with what to do', async () => {
    service.instead = () => refusal(401, 'invalid_api_token');
    const { code, check } = await report();
    expect(code).toBe(1);
    expect(check('service')).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/invalid_api_token.*req-9/),
      remedy: expect.stringMatching(/rotated/),
    });
  });

  const PAGE = { headers: { 'content-type': 'text/html' }, body: '<html></html>' };
  it.each([
    ['not found', refusal(404, 'not_found')],
    ['a page that is not there', { ...PAGE, status: 404 }],
    ['a page', { ...PAGE, status: 200 }],
    ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }],
  ])('that answers elsewhere (%s): the version segment may be missing', async (_what, answer) => {
    service.instead = () => answer;
    const { code, check } = await report();
    expect(code).toBe(1);
    expect(check('service')?.remedy).toContain('it ends in the version segment');
  });

  it('behind a gateway that answers: no hint about the version segment', async () => {
    service.instead = () => ({ ...PAGE, status: 502 });
    expect((await report()).check('service')?.remedy).toBe('Check the base URL and the network.');
  });

  it('of an account other than the pinned one: exit 4', async () => {
    project('      account: { login_username: sharks }\n');
    const { code, check } = await report();
    expect(code).toBe(4);
    expect(check('account')).toMatchObject({ status: 'fail', text: expect.stringMatching(/sharks.*whales/) });
  });

  it('whose clock is far from ours', async () => {
    service.dateAhead = 120_000;
    expect((await report()).check('clock')).toMatchObject({
      status: 'warn',
      text: expect.stringMatching(/1[12]\d s behind/),
    });
    service.dateAhead = -120_000;
    expect((await report()).check('clock')).toMatchObject({
      status: 'warn',
      text: expect.stringMatching(/1[12]\d s ahead/),
    });
  });

  it('whose token has few scopes: reported by collection and by command, no failure', async () => {
    service.scopes = ['sniper:read', 'sniper:write', 'transfersnipe:read'];
    const { code, check } = await report();
    expect(code).toBe(0);
    expect(check('scopes sniper')).toMatchObject({ status: 'warn', text: 'read, write; without delete' });
    expect(check('scopes copy-trade')).toMatchObject({
      status: 'warn',
      text: 'none; without read, write, delete',
    });
    expect(check('scopes label')).toMatchObject({ status: 'ok' });
    expect(check('scopes for plan')?.text).toBe('insufficient for copy-trade, copy-trade-template');
    expect(check('scopes for apply')?.text).toContain('transfer-snipe');
    expect(check('scopes for pause')).toMatchObject({
      status: 'warn',
      text: 'insufficient for copy-trade, transfer-snipe',
      remedy:
        'To allow it, create a token with copytrade:read, copytrade:write, transfersnipe:read, transfersnipe:write.',
    });
  });

  it('whose token cannot read what the manifests describe: plan would fail, and so does doctor', async () => {
    project('');
    service.scopes = ['none:read'];
    const { code, check } = await report({}, { TRADEFORM_TOKEN: CANARY });
    expect(code).toBe(1);
    expect(check('scopes label')).toMatchObject({ status: 'fail' });
    expect(check('scopes sniper')).toMatchObject({ status: 'warn' });
  });

  it('whose quota or token ends soon', async () => {
    service.me = {
      quota: { max: 50, used: 46, remaining: 4 },
      expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    };
    const { code, check } = await report();
    expect(code).toBe(0);
    expect(check('quota')).toMatchObject({ status: 'warn', text: '46 of 50 tasks, 4 left' });
    expect(check('expiry')).toMatchObject({ status: 'warn' });
  });

  it('whose quota is smaller than the manifests need', async () => {
    project('');
    writeFileSync(
      join(directory, 'manifests', 'task.yaml'),
      projectFiles()['manifests/alpha.yaml']?.replace('high-risk', 'risky') ?? '',
    );
    service.me = { quota: { max: 0, used: 0, remaining: 0 } };
    const { check } = await report({}, { TRADEFORM_TOKEN: CANARY });
    expect(check('quota')).toMatchObject({
      status: 'warn',
      text: '0 of 0 tasks, 0 left; the manifests describe 1, more than the quota allows',
    });
  });

  it('says what to do for every check that warns or fails', async () => {
    service.scopes = [];
    service.me = {
      quota: { max: 50, used: 46, remaining: 4 },
      expires_at: new Date(Date.now() + 1000).toISOString(),
    };
    const { document } = await report();
    const open = document.checks.filter(({ status }) => status === 'warn' || status === 'fail');
    expect(open.length).toBeGreaterThan(8);
    for (const { name, remedy } of open) expect(remedy, name).toMatch(/^\S.*\.$/);
  });

  it('whose words could harm a terminal', async () => {
    service.me = { login_username: '\u001b[2Jwhale\r\u202e' };
    const { out } = await run({ baseUrl }, { TRADEFORM_TOKEN: CANARY });
    expect(out).toContain('\\x1b[2Jwhale');
    expect(out).not.toMatch(/[\u001b\r\u202e]/);
  });
});
