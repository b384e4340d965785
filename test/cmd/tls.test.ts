import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { openForge } from '../../src/kit/forge/open.ts';
import { outsideUrl, sendOutside } from '../../src/kit/notify/outside.ts';
import { issued, selfSigned } from '../http/certificate.ts';
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

async function portOf(one: NetServer): Promise<number> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  return (one.address() as AddressInfo).port;
}

async function listen(one: Server): Promise<string> {
  return `https://127.0.0.1:${await portOf(one)}`;
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
    const forge = openForge(env, { masking: new Masking(), clock, random: () => 0 });
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

const DAY = 24 * 3_600_000;
it.each([
  ['that has expired', selfSigned('127.0.0.1', Date.now() - DAY), 'has expired', '`date -u`'],
  ['of the future', selfSigned('127.0.0.1', Date.now() + 900 * DAY), 'is not valid yet', '`date -u`'],
  ['for another host', selfSigned('127.0.0.2'), 'is for another host', 'Check the URL'],
  ['of an unknown authority', issued('127.0.0.1'), 'issuer is unknown', 'NODE_EXTRA_CA_CERTS=FILE'],
])('a certificate %s: what it means, under TLS, and what to do', async (_of, one, means, remedy) => {
  const other = serve(one);
  // What stands alone is trusted, so that nothing else is wrong with it.
  const own = folder({ 'ca.pem': one.cert.split('BEGIN').length === 2 ? one.cert : certificate.cert });
  const at = service({ NODE_EXTRA_CA_CERTS: join(own.path, 'ca.pem') }, await listen(other));
  seen.length = 0;
  const { stdout } = await executable(['doctor', '-o', 'json'], at);
  other.close();
  const { diagnostics, checks } = JSON.parse(stdout) as {
    diagnostics: { code: string; message: string; hint: string }[];
    checks: { name: string; status: string }[];
  };
  expect(diagnostics.find(({ code }) => code === 'tls-failed')).toMatchObject({
    message: expect.stringContaining(means),
    hint: expect.stringContaining(remedy),
  });
  expect(checks.filter(({ status }) => status === 'fail').map(({ name }) => name)).toEqual(['TLS']);
  expect(seen).toEqual([]);
});

describe('a network whose only way out is a proxy', () => {
  const HOST = '192.0.2.1';
  const behind = selfSigned(HOST);
  const own = folder({ ...projectFiles(), 'ca.pem': behind.cert });
  const asked: string[] = [];
  /** The port that CONNECT leads to. */
  let leadsTo: () => number | 'refuse';
  let way: string;
  let host: Server;
  const proxy = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end();
  }).on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const port = leadsTo();
    if (port === 'refuse') {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  let port: number;
  beforeAll(async () => {
    host = serve(behind);
    port = await portOf(host);
    way = `http://127.0.0.1:${await portOf(proxy)}`;
  });
  afterAll(() => [host.close(), proxy.close()]);
  const through = (more: Record<string, string> = {}, base = `https://${HOST}`) => {
    seen.length = 0;
    asked.length = 0;
    leadsTo = () => port;
    const env = { HTTPS_PROXY: way, NODE_EXTRA_CA_CERTS: join(own.path, 'ca.pem'), ...more };
    return service(env, base);
  };

  it('gets there in a tunnel, with the token for the host alone, and a login for the proxy alone', async () => {
    const { stderr } = await executable(
      ['plan'],
      through({ HTTPS_PROXY: way.replace('//', '//who:s%40y@') }),
    );
    expect(stderr).toContain('invalid_api_token');
    expect(new Set(seen)).toEqual(new Set([`Bearer ${CANARY}`]));
    expect(new Set(asked)).toEqual(new Set([`CONNECT ${HOST}:443 Basic ${btoa('who:s@y')}`]));
  });

  it.each<[string, Record<string, string>?]>([
    ['https://api.no-such-host.invalid', { NO_PROXY: 'example.com,.invalid' }],
    ['https://api.no-such-host.invalid', { HTTPS_PROXY: '', http_proxy: 'http://127.0.0.1:9' }],
    ['https://127.0.0.1:9'],
    ['https://localhost:9'],
    ['https://[::1]:9'],
    ['http://127.0.0.1:9', { http_proxy: 'http://127.0.0.1:9' }],
  ])('is not used for %s with %j', async (base, more) => {
    const { stdout } = await tradeform(['doctor'], through(more, base));
    expect(stdout).toMatch(/fail +service/);
    expect(stdout).not.toContain('proxy');
    expect(asked).toEqual([]);
  });

  it('that answers itself is named, and gets nothing', async () => {
    const at = through();
    leadsTo = () => 'refuse';
    const { stdout, code } = await tradeform(['doctor'], at);
    const said = stdout.replace(/\s+/g, ' ');
    expect(said).toContain(
      `fail service ${HOST}: reading the account: the proxy ${way.slice(7)} itself answered 407`,
    );
    expect(said).toContain('into HTTPS_PROXY');
    expect(code).toBe(1);
    expect(seen).toEqual([]);
  });

  it('that opens TLS gets nothing until its authority is named', async () => {
    const at = through();
    const opened = serve(selfSigned(HOST));
    const there = await portOf(opened);
    leadsTo = () => there;
    const { stderr } = await unchecked(() => executable(['plan'], at));
    opened.close();
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `error[tls-failed]: ${HOST}: reading the account: through the proxy ${way.slice(7)}: the TLS certificate is self-signed`,
    );
    expect(seen).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });

  it('that is not there, or is none, is named without its login', async () => {
    const gone = await tradeform(['doctor'], through({ HTTPS_PROXY: 'http://who:s3cret@127.0.0.1:9' }));
    expect(gone.stdout.replace(/\s+/g, ' ')).toContain('the proxy 127.0.0.1:9: the connection was refused');
    const none = await tradeform(['plan'], through({ HTTPS_PROXY: 'socks5://who:s3cret@127.0.0.1:9' }));
    expect(none.stderr).toContain('HTTPS_PROXY does not name a proxy');
    expect(none.code).toBe(3);
    expect(JSON.stringify([gone, none])).not.toContain('s3cret');
  });

  it('is the way to the forge and to the monitors', async () => {
    const { env } = through({
      GITHUB_TOKEN: 'ghs_canary',
      GITHUB_REPOSITORY: 'a/b',
      GITHUB_API_URL: `https://${HOST}`,
    });
    const around = {
      masking: new Masking(),
      clock: { now: () => 0, sleep: async () => {} },
      random: () => 0,
    };
    const forge = openForge(env, around);
    await expect(forge.head('main')).rejects.toThrow(/through the proxy .* self-signed/);
    await forge.close();
    expect(new Set(asked)).toEqual(new Set([`CONNECT ${HOST}:443`]));
    const url = outsideUrl(`https://${HOST}/ping`, env);
    if ('problem' in url) throw new Error(url.problem);
    expect(await sendOutside(url, { method: 'GET' })).toMatch(/through the proxy .* self-signed/);
    expect(seen).toEqual([]);
  });
});
