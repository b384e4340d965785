import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/command/clock.ts';
import { type HttpRequest, type Transport, TransportError } from '../../../src/core/ports/transport.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { createHttpTransport, type HttpTransportOptions } from '../../../src/core/service/http/transport.ts';
import { CANARY } from './fakes.ts';

const GET: HttpRequest = { method: 'GET', path: '/me?x=1', headers: { authorization: `Bearer ${CANARY}` } };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const http = (listener: RequestListener) => listen(createHttpServer(listener));

/** A server that sends these bytes for any request and, if told so, closes. */
const raw = (answer: string, end: 'close' | 'reset' | 'stay') =>
  listen(
    createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(answer, () => {
          if (end === 'close') socket.end();
          if (end === 'reset') socket.resetAndDestroy();
        });
      });
    }),
  );

function transportTo(port: number, options: Partial<HttpTransportOptions> = {}): Transport {
  const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${port}/v1`, ...options });
  cleanUp.push(() => transport.close());
  return transport;
}

async function failure(transport: Transport, request = GET): Promise<TransportError> {
  const error = await transport.send(request).then(
    (response) => new Error(`answered ${response.status}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) throw error;
  expect(`${error.message} ${error.detail} ${error.stack} ${JSON.stringify(error)}`).not.toContain('CANARY');
  return error;
}

describe('connections', () => {
  const counted = () => {
    let connections = 0;
    const server = createHttpServer((_request, response) => response.end('{}'));
    server.on('connection', () => {
      connections += 1;
    });
    return { server, connections: () => connections };
  };

  it('one request after another uses the same one', async () => {
    const { server, connections } = counted();
    const transport = transportTo(await listen(server));
    for (let requests = 0; requests < 5; requests += 1) await transport.send(GET);
    expect(connections()).toBe(1);
  });

  it('simultaneous requests have their own, up to the concurrency, and none waits for another to be opened', async () => {
    const held: (() => void)[] = [];
    const server = createHttpServer((_request, response) => {
      // Nobody is answered before four are connected and have asked.
      held.push(() => response.end('{}'));
      if (held.length === 4) for (const answer of held.splice(0)) answer();
    });
    const port = await listen(server);
    const transport = transportTo(port, { concurrency: 4 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => transport.send(GET)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  /** Says that it keeps the connection, and closes it after so many answers. */
  const closing = (after: number) =>
    listen(
      createTcpServer((socket) => {
        let answers = 0;
        socket.on('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}');
          answers += 1;
          if (answers === after) socket.end();
        });
      }),
    );

  it.each([1, 3])(
    'that are closed after every answer number %i against the service’s word lose nothing',
    async (after) => {
      const transport = transportTo(await closing(after));
      for (let requests = 0; requests < 20; requests += 1) await transport.send(GET);
    },
  );

  it('are passed to waiting requests, after failures as well', async () => {
    let requests = 0;
    const port = await http((request, response) => {
      requests += 1;
      if (requests % 3 === 1) request.socket.destroy();
      else if (requests % 3 === 2) response.end('{}'.padEnd(200));
      else response.end('{}');
    });
    const transport = transportTo(port, { concurrency: 1, limits: { maxBody: 100 } });
    const ends = await Promise.all(
      Array.from({ length: 9 }, () =>
        transport.send(GET).then(
          ({ status }) => status,
          (error: TransportError) => error.outcome,
        ),
      ),
    );
    expect(ends).toEqual(['lost', 'lost', 200, 'lost', 'lost', 200, 'lost', 'lost', 200]);
  });
});

describe('an exchange', () => {
  it('sends method, path, headers and body below the base path, and reads the whole answer', async () => {
    let seen: unknown;
    const port = await http((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen = { method: request.method, url: request.url, headers: request.headers, body };
        response.writeHead(409, { ETag: '"v3"', 'X-Many': ['a', 'b'] }).end('{"ä":"€"}');
      });
    });
    const answer = await transportTo(port).send({
      method: 'PATCH',
      path: '/sniper/configs/a?b=%2F',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: '{"remark":"ä"}',
    });
    expect(seen).toMatchObject({
      method: 'PATCH',
      url: '/v1/sniper/configs/a?b=%2F',
      headers: {
        authorization: 'Bearer t',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
      body: '{"remark":"ä"}',
    });
    expect(answer).toMatchObject({
      status: 409,
      headers: { etag: '"v3"', 'x-many': 'a, b' },
      body: '{"ä":"€"}',
    });
  });

  it.each([
    ['gzip', gzipSync('{"ä":"€"}')],
    ['br', brotliCompressSync('{"ä":"€"}')],
  ])('reads pages that arrive in %s', async (encoding, bytes) => {
    let asked: unknown;
    const port = await http(({ headers }, response) => {
      asked = headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    });
    expect(await transportTo(port).send(GET)).toMatchObject({ status: 200, body: '{"ä":"€"}' });
    expect(asked).toBe('gzip, br');
  });

  it('keeps connections, no more than the concurrency', async () => {
    const sockets = new Set<unknown>();
    const port = await http((request, response) => {
      sockets.add(request.socket);
      setTimeout(() => response.end('{}'), 5);
    });
    const transport = transportTo(port, { concurrency: 3 });
    await Promise.all(Array.from({ length: 20 }, () => transport.send(GET)));
    expect(sockets.size).toBeLessThanOrEqual(3);
  });

  it('ends with the answer, not with informational answers before it', async () => {
    const port = await raw(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
      'stay',
    );
    const answer = await transportTo(port).send(GET);
    expect(answer).toEqual({ status: 200, headers: { 'content-length': '2' }, body: '{}' });
  });

  it('does not follow a redirect, and sends the token nowhere else', async () => {
    const stolen: unknown[] = [];
    const other = await http((request, response) => {
      stolen.push(request.headers);
      response.end('{}');
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const port = await http((_request, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${other}/v1/me` }).end();
      });
      const transport = transportTo(port);
      expect(await transport.send(GET)).toMatchObject({ status });
      const api = createApi({
        transport,
        token: CANARY,
        clock: SYSTEM_CLOCK,
        random: Math.random,
        userAgent: 't',
      });
      expect(await api.get('/me')).toMatchObject({
        type: 'lost',
        detail: expect.stringMatching(/redirects are refused/),
      });
    }
    expect(stolen).toEqual([]);
  });
});

describe('certainly not sent', () => {
  it('requests that wait for a connection that is refused', async () => {
    const port = await http((_request, response) => response.end());
    await cleanUp.pop()?.();
    const transport = transportTo(port, { concurrency: 1 });
    const failures = await Promise.all([GET, GET, GET].map((request) => failure(transport, request)));
    expect(failures.map(({ outcome }) => outcome)).toEqual(['unsent', 'unsent', 'unsent']);
  });

  it('a refused connection', async () => {
    const port = await http((_request, response) => response.end());
    await cleanUp.pop()?.();
    expect(await failure(transportTo(port))).toMatchObject({
      outcome: 'unsent',
      detail: expect.stringMatching(/refused/),
    });
  });

  it('an unknown host', async () => {
    const transport = createHttpTransport({ baseUrl: 'https://no-such-host.invalid/v1' });
    cleanUp.push(() => transport.close());
    expect(await failure(transport)).toMatchObject({ outcome: 'unsent' });
  });

  it('plain HTTP in place of TLS', async () => {
    const port = await http((_request, response) => response.end('{}'));
    const transport = createHttpTransport({ baseUrl: `https://127.0.0.1:${port}/v1` });
    cleanUp.push(() => transport.close());
    expect(await failure(transport)).toMatchObject({ outcome: 'unsent' });
  });

  it('a header that HTTP does not allow', async () => {
    const port = await http((_request, response) => response.end('{}'));
    const request = { ...GET, headers: { authorization: `Bearer ${CANARY}\nx` } };
    expect(await failure(transportTo(port), request)).toMatchObject({ outcome: 'unsent' });
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  it.skipIf(!openssl)('a TLS certificate that nobody vouches for; one that is trusted is fine', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tradeform-tls-'));
    cleanUp.push(() => rmSync(directory, { recursive: true }));
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...ec, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    let seen = 0;
    const server = createTlsServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (_request, response) => {
        seen += 1;
        response.end('{}');
      },
    );
    const port = await listen(server);
    const to = (host: string, options = {}) => {
      const transport = createHttpTransport({ baseUrl: `https://${host}:${port}/v1`, ...options });
      cleanUp.push(() => transport.close());
      return transport;
    };
    expect(await failure(to('localhost'))).toMatchObject({
      outcome: 'unsent',
      detail: expect.stringMatching(/certificate/),
    });
    const ca = readFileSync(cert, 'utf8');
    const mistaken = to('127.0.0.1', { ca, concurrency: 1 });
    for (let requests = 0; requests < 2; requests += 1) {
      expect(await failure(mistaken)).toMatchObject({
        outcome: 'unsent',
        detail: expect.stringMatching(/another host/),
      });
    }
    expect(seen).toBe(0);
    expect(await to('localhost', { ca }).send(GET)).toMatchObject({ status: 200 });
  });
});

describe('lost', () => {
  const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  it.each([
    ['a reset before the answer', '', 'reset'],
    ['a close before the answer', '', 'close'],
    ['a body shorter than its length', `${JSON_HEAD}Content-Length: 100\r\n\r\n{"data":`, 'close'],
    ['a reset in the body', `${JSON_HEAD}Content-Length: 100\r\n\r\n{"data":`, 'reset'],
    [
      'a chunked body without its end',
      `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"dat\r\n`,
      'close',
    ],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'close'],
    ['a body that is not UTF-8', `${JSON_HEAD}Content-Length: 3\r\n\r\n"\u00ff"`, 'close'],
    [
      'headers beyond bounds',
      `HTTP/1.1 200 OK\r\n${`X-Pad: ${'p'.repeat(1_000)}\r\n`.repeat(100)}\r\n{}`,
      'close',
    ],
    ['thousands of headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}\r\n{}`, 'close'],
  ] as const)('%s', async (_name, answer, end) => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.once('data', () => {
          socket.write(Buffer.from(answer, 'latin1'), () =>
            end === 'reset' ? socket.resetAndDestroy() : socket.end(),
          );
        });
      }),
    );
    expect(await failure(transportTo(port))).toMatchObject({ outcome: 'lost' });
  });

  it('half a JSON that ends with the connection is a complete answer here, and unreadable above', async () => {
    const port = await raw(`${JSON_HEAD}Connection: close\r\n\r\n{"data":{"items":[`, 'close');
    const transport = transportTo(port);
    expect(await transport.send(GET)).toMatchObject({ status: 200 });
    const api = createApi({
      transport,
      token: CANARY,
      clock: { ...SYSTEM_CLOCK, sleep: async () => undefined },
      random: () => 0,
      userAgent: 't',
    });
    expect(await api.get('/me')).toMatchObject({ type: 'lost' });
  });

  const compressed = (encoding: string, bytes: Buffer) =>
    http((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ])('a compression bomb in %s, measured by its decompressed size', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(100_000);
    expect(await failure(transportTo(await compressed(encoding, bomb)))).toMatchObject({
      outcome: 'lost',
      detail: expect.stringMatching(/larger than 16777216 bytes/),
    });
  });

  it.each([
    ['half of a gzip', 'gzip', gzipSync('{"data":{}}').subarray(0, 20)],
    ['a gzip that is none', 'gzip', Buffer.from('{"data":{}}')],
    ['a brotli that is none', 'br', Buffer.from('{"data":{}}')],
  ])('%s', async (_name, encoding, bytes) => {
    expect(await failure(transportTo(await compressed(encoding, bytes)))).toMatchObject({
      outcome: 'lost',
      detail: 'the compressed answer is damaged',
    });
  });

  it('a compressed text that is not UTF-8', async () => {
    const port = await compressed('gzip', gzipSync(Buffer.from([0x7b, 0xff, 0x7d])));
    expect(await failure(transportTo(port))).toMatchObject({ detail: 'the answer is not UTF-8' });
  });

  it('a compressed answer for a single resource, whose ETag counts', async () => {
    const port = await compressed('gzip', gzipSync('{}'));
    for (const request of [
      { ...GET, path: '/me' },
      { ...GET, method: 'POST' as const },
    ])
      expect(await failure(transportTo(port), request)).toMatchObject({
        detail: expect.stringMatching(/compressed, although/),
      });
    expect(await failure(transportTo(await compressed('deflate', gzipSync('{}'))))).toMatchObject({
      detail: expect.stringMatching(/compressed, although/),
    });
  });

  it.each([
    ['announced', true],
    ['not announced', false],
  ])('a body above the limit, %s', async (_name, announced) => {
    let written = 0;
    const port = await http((_request, response) => {
      response.writeHead(200, announced ? { 'content-length': 1e9 } : {});
      const more = () => {
        if (response.destroyed || written > 1e8) return;
        written += 65_536;
        response.write(Buffer.alloc(65_536, 32), () => setImmediate(more));
      };
      response.on('error', () => undefined);
      more();
    });
    const transport = transportTo(port, { limits: { maxBody: 1_000_000 } });
    expect(await failure(transport)).toMatchObject({
      outcome: 'lost',
      detail: expect.stringMatching(/larger/),
    });
    expect(written).toBeLessThan(5e7);
  });

  it('an answer that does not begin', async () => {
    const port = await raw('', 'stay');
    const transport = transportTo(port, { limits: { headersTimeout: 50 } });
    expect(await failure(transport)).toMatchObject({ outcome: 'lost' });
  });

  it('an answer that stops in the middle', async () => {
    const port = await raw(`${JSON_HEAD}Content-Length: 100\r\n\r\n{"data":`, 'stay');
    const transport = transportTo(port, { limits: { bodyTimeout: 50 } });
    expect(await failure(transport)).toMatchObject({ outcome: 'lost' });
  });

  it('an answer that trickles for ever', async () => {
    const port = await http((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const transport = transportTo(port, { limits: { totalTimeout: 200 } });
    const begun = Date.now();
    expect(await failure(transport)).toMatchObject({
      outcome: 'lost',
      detail: expect.stringMatching(/too long/),
    });
    expect(Date.now() - begun).toBeLessThan(5_000);
  });

  it('an answer that arrives too slowly, long before the deadline', async () => {
    const port = await http((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const transport = transportTo(port, { limits: { slowest: { bytes: 1_000, ms: 100 } } });
    expect(await failure(transport)).toMatchObject({
      outcome: 'lost',
      detail: expect.stringMatching(/too slowly/),
    });
  });

  it('an answer to a request that waits for a connection, which is then not sent any more', async () => {
    const seen: string[] = [];
    let heard = () => {};
    const first = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const port = await http((request, response) => {
      seen.push(request.url ?? '');
      heard();
      if (request.url === '/v1/third') response.end('{}');
    });
    const transport = transportTo(port, { concurrency: 1, limits: { totalTimeout: 500 } });
    const to = (path: string) => failure(transport, { ...GET, path });
    // Both limits end in one turn of the event loop: with the clock, a busy machine may put one between them.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const both = Promise.all([to('/first'), to('/second')]);
      await first;
      vi.advanceTimersByTime(500);
      expect((await both).map(({ outcome, detail }) => `${outcome}: ${detail}`)).toEqual([
        'lost: the answer took too long: more than 0.5 s',
        'lost: the answer took too long: more than 0.5 s',
      ]);
    } finally {
      vi.useRealTimers();
    }
    while (!seen.includes('/v1/third'))
      await transport.send({ ...GET, path: '/third' }).catch(() => undefined);
    expect(seen).not.toContain('/v1/second');
  });

  it('later requests still work', async () => {
    let count = 0;
    const port = await http((request, response) => {
      count += 1;
      if (count === 1) request.socket.destroy();
      else response.end('{}');
    });
    const transport = transportTo(port);
    await failure(transport);
    expect(await transport.send(GET)).toMatchObject({ status: 200 });
  });
});

it('close ends what is in flight', async () => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const transport = transportTo(await http(() => arrive()));
  const running = failure(transport);
  await arrived;
  await transport.close();
  expect(await running).toMatchObject({ outcome: 'lost' });
});

it('refuses a bad base URL at once, without repeating it', () => {
  expect(() => createHttpTransport({ baseUrl: `https://user:${CANARY}@host/v1` })).toThrow(/credentials/);
  try {
    createHttpTransport({ baseUrl: `https://user:${CANARY}@host/v1` });
  } catch (error) {
    expect(String(error)).not.toContain('CANARY');
  }
});
