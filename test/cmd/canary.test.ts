import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';
import {
  CANARY,
  folder,
  projectFiles,
  type RunningSandbox,
  readText,
  startSandbox,
  tradeform,
} from './run.ts';

const SECRET = 'canary-secret';
const project = folder(projectFiles());
let sandbox: RunningSandbox;
let hostile: Server;
let hostileUrl: string;

/** Answers whatever was asked with the token that it was asked with: redirects, error texts, HTML, ids, cursors. */
function echo(): Server {
  return createServer((request, response) => {
    const token = request.headers.authorization ?? '';
    const kind = new URL(request.url ?? '/', 'http://x').pathname.split('/')[1] ?? '';
    const body = JSON.stringify({
      error: { code: token, message: token, fields: [{ path: token, reason: token }] },
      request_id: token,
    });
    if (kind === 'redirect') response.writeHead(307, { location: `http://127.0.0.1:9/${token}` }).end();
    else if (kind === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${token}`);
    else response.writeHead(kind === 'error' ? 400 : 200, { 'x-request-id': token }).end(body);
  });
}

beforeAll(async () => {
  sandbox = await startSandbox();
  hostile = echo();
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', () => resolve()));
  hostileUrl = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  writeFileSync(join(project.path, 'token'), `${CANARY}\n`, { mode: 0o600 });
  writeFileSync(join(project.path, 'loose-token'), `${CANARY}\nmore\n`, { mode: 0o644 });
});
afterAll(async () => {
  hostile.closeAllConnections();
  hostile.close();
});

const COMMANDS = [
  ['doctor', '-v'],
  ['doctor', '-o', 'json'],
  ['plan', '-v', '--out', 'plan.json'],
  ['plan', '-o', 'json'],
  ['plan', '-o', 'markdown'],
  ['apply', '-v', '--auto-approve', '--first-apply', '-o', 'json'],
  ['pause', '-v', '--all', '--include-unmanaged', '-o', 'json'],
];

/** Settings, right and wrong in every way that comes to mind. */
const SETTINGS: Readonly<Record<string, () => Record<string, string>>> = {
  right: () => ({ TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: CANARY }),
  'a token file': () => ({ TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN_FILE: 'token' }),
  'a token file with more in it': () => ({
    TRADEFORM_BASE_URL: sandbox.baseUrl,
    TRADEFORM_TOKEN_FILE: 'loose-token',
  }),
  'a malformed token': () => ({ TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: `Bearer ${CANARY}` }),
  'a token with a line end': () => ({
    TRADEFORM_BASE_URL: sandbox.baseUrl,
    TRADEFORM_TOKEN: `${CANARY}\n${CANARY}`,
  }),
  'a token that is not accepted': () => ({
    TRADEFORM_BASE_URL: sandbox.baseUrl,
    TRADEFORM_TOKEN: `${CANARY}-not`,
  }),
  'credentials in the URL': () => ({
    TRADEFORM_BASE_URL: `https://user:${CANARY}@127.0.0.1/v1`,
    TRADEFORM_TOKEN: CANARY,
  }),
  'nobody there': () => ({ TRADEFORM_BASE_URL: 'http://127.0.0.1:9/v1', TRADEFORM_TOKEN: CANARY }),
  'errors that repeat it': () => ({ TRADEFORM_BASE_URL: `${hostileUrl}/error`, TRADEFORM_TOKEN: CANARY }),
  'answers that repeat it': () => ({ TRADEFORM_BASE_URL: `${hostileUrl}/odd`, TRADEFORM_TOKEN: CANARY }),
  'redirects that repeat it': () => ({
    TRADEFORM_BASE_URL: `${hostileUrl}/redirect`,
    TRADEFORM_TOKEN: CANARY,
  }),
  'HTML that repeats it': () => ({ TRADEFORM_BASE_URL: `${hostileUrl}/html`, TRADEFORM_TOKEN: CANARY }),
};

describe('the token never appears in output or files', () => {
  it('this test would find it', async () => {
    const leaky = await tradeform(['plan', '-C', `/${SECRET}`]);
    expect(leaky.stderr).toContain(SECRET);
  });

  it.each([
    ['a directory', ['plan', '-C', `/${CANARY}`]],
    ['a token file', ['plan', '--base-url', 'https://x.invalid/v1', '--token-file', CANARY]],
    ['an address', ['plan', '--target', CANARY]],
    ['a command', [CANARY]],
    ['a plan file', ['apply', `${CANARY}.json`]],
    ['an option', ['plan', `--${CANARY}`]],
    ['a choice of the sandbox', ['sandbox', '--choice', CANARY]],
  ])('written where %s belongs', async (_what, args) => {
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: CANARY };
    for (const format of ['text', 'json']) {
      const { code, stdout, stderr } = await tradeform([...args, '-o', format], { cwd: project.path, env });
      expect(code).not.toBe(0);
      // A message that names the folder may be wrapped within the token.
      const said = `${stdout}${stderr}`.replace(/\s+/g, '');
      expect(said).toContain('svc_live_0ca9a21e.…');
      expect(said).not.toContain(SECRET);
      if (format === 'json') expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    }
  });

  it('written into a manifest', async () => {
    const bad = folder(projectFiles());
    writeFileSync(join(bad.path, 'manifests/token.yaml'), `kind: ${CANARY} # ${CANARY}\n`);
    const { code, stdout, stderr } = await tradeform(['validate'], { cwd: bad.path });
    expect({ code, stdout }).toMatchObject({ code: 3 });
    expect(stderr).toContain('svc_live_0ca9a21e.…');
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
  });

  it.each(Object.keys(SETTINGS))('with %s', { timeout: 300_000 }, async (name) => {
    const env = { ...SETTINGS[name]?.(), TRADEFORM_DEBUG: '1' };
    const run = async (args: readonly string[]) => {
      const { stdout, stderr } = await tradeform(args, { cwd: project.path, env });
      expect({ args, text: `${stdout}${stderr}` }).toEqual({
        args,
        text: expect.not.stringContaining(SECRET),
      });
    };
    // `npm test` plays half of them, the other half for the next setting.
    const turn = Object.keys(SETTINGS).indexOf(name);
    const played = COMMANDS.filter((_, index) => FULL || name === 'right' || (index + turn) % 2 === 0);
    await Promise.all(played.map(run));
    await run(['apply', 'plan.json']);
  });

  it('and not in a file', () => {
    const files = readdirSync(project.path, { recursive: true, encoding: 'utf8' });
    expect(files).toContain('plan.json');
    for (const file of files.filter((entry) => /\./.test(entry))) {
      expect(readText(project.path, file)).not.toContain(SECRET);
    }
  });
});
