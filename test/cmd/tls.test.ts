import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openForge } from '../../src/forge/open.ts';
import { Masking } from '../../src/render/masking/masking.ts';
import { selfSigned } from '../http/certificate.ts';
import { CANARY, executable, folder, projectFiles, tradeform } from './run.ts';

const OFF = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const certificate = selfSigned('127.0.0.1');
const project = folder({ ...projectFiles(), 'ca.pem': certificate.cert });
/** `authorization` of every request that reached the server. */
const seen: (string | undefined)[] = [];
let server: Server;
let origin: string;

function serve(options: object): Server {
  return createServer({ ...certificate, ...options }, (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"invalid_api_token","message":"no"},"request_id":"r"}');
  }).on('tlsClientError', () => undefined);
}

async function listen(one: Server): Promise<string> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(one.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  server = serve({});
  origin = await listen(server);
});
afterAll(() => server.close());

function service(more: Record<string, string>, base = origin) {
  const env = { TRADEFORM_BASE_URL: `${base}/v1`, TRADEFORM_TOKEN: CANARY, ...more };
  return { cwd: project.path, env };
}

/** Node looks at the variable for each connection: with it, it would trust every server that this process asks. */
async function unchecked<Result>(work: () => Promise<Result>): Promise<Result> {
  Object.assign(process.env, OFF);
  try {
    return await work();
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
}

describe('a server that nobody vouches for gets no request, with NODE_TLS_REJECT_UNAUTHORIZED=0 too', () => {
  it.each([
    ['plan'],
    ['doctor'],
    ['status'],
    ['drift'],
    ['export'],
    ['apply', '--auto-approve', '--first-apply'],
  ])('%s', async (...args) => {
    seen.length = 0;
    const { stdout, stderr } = await unchecked(() => tradeform(args, service(OFF)));
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain('the TLS certificate is self-signed');
    expect(seen).toEqual([]);
  });

  it('a forge, which gets a token of its own', async () => {
    seen.length = 0;
    const env = { GITHUB_TOKEN: 'ghs_canary', GITHUB_REPOSITORY: 'whales/desk', GITHUB_API_URL: origin };
    const clock = { now: () => 0, sleep: async () => {} };
    const forge = openForge(env, '0.0.0', { masking: new Masking(), clock, random: () => 0 });
    const asked = unchecked(() => forge.head('main'));
    await expect(asked).rejects.toThrow(/^GitHub cannot be reached: .* the TLS certificate is self-signed/);
    expect(seen).toEqual([]);
    await forge.close();
  });

  it('an authority that NODE_EXTRA_CA_CERTS names is trusted', async () => {
    seen.length = 0;
    await executable(['plan'], service({ ...OFF, NODE_EXTRA_CA_CERTS: join(project.path, 'ca.pem') }));
    expect(new Set(seen)).toEqual(new Set([`Bearer ${CANARY}`]));
  });

  it('doctor warns that it is set', async () => {
    const { stdout } = await executable(['doctor'], service(OFF));
    expect(stdout).toMatch(/^ {2}warn +TLS setting +NODE_TLS_REJECT_UNAUTHORIZED is 0/m);
    const { stdout: json } = await tradeform(['doctor', '-o', 'json'], service(OFF));
    const { diagnostics } = JSON.parse(json) as { diagnostics: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toContain('tls-setting-ignored');
    expect((await tradeform(['doctor'], service({}))).stdout).not.toContain('TLS setting');
  });
});

it('TLS before 1.2 is refused, whatever Node is told', async () => {
  const old = serve({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  const at = await listen(old);
  seen.length = 0;
  const lower = {
    NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0',
    NODE_EXTRA_CA_CERTS: join(project.path, 'ca.pem'),
  };
  const { code } = await executable(['doctor'], service(lower, at));
  old.close();
  expect(code).toBe(1);
  expect(seen).toEqual([]);
});
