import type { ServerResponse } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import type { HttpResponse } from '../../src/core/ports/transport.ts';
import type { Spoil } from './gateway.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PAGE = '<!doctype html><html><body><h1>Sign in</h1></body></html>';
const MIB = 1024 * 1024;

/** Raw bytes instead of an answer; the connection ends with them. */
function raw(response: ServerResponse, text: string): void {
  response.socket?.end(text);
}

/** The text of a whole answer, so that what is wrong with the others is the one thing that their name says. */
function textOf(answer: HttpResponse | undefined): string {
  return answer?.body || '{"data":{"items":[],"next_cursor":null}}';
}

/** Answers that no client may act upon, by what is wrong with them. `elsewhere`: a server that must never hear of it. */
export function spoils(elsewhere: string): Readonly<Record<string, Spoil>> {
  const answering =
    (act: (response: ServerResponse, answer: HttpResponse | undefined) => void): Spoil =>
    (_request, response, answer) => {
      act(response, answer);
      return true;
    };
  const redirect = (status: number) =>
    answering((response) => response.writeHead(status, { location: `${elsewhere}/v1/sniper/configs` }).end());
  return {
    'a web page with 200': answering((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
    ),
    'a web page with 502': answering((response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end(PAGE),
    ),
    'a web page with 404': answering((response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end(PAGE),
    ),
    'an empty body': answering((response) => response.writeHead(200, JSON_TYPE).end()),
    'half a JSON document': answering((response, answer) =>
      response.writeHead(200, JSON_TYPE).end(textOf(answer).slice(0, -9)),
    ),
    'JSON of another shape': answering((response) =>
      response.writeHead(200, JSON_TYPE).end('{"data":[1,2]}'),
    ),
    'JSON that is no object': answering((response) => response.writeHead(200, JSON_TYPE).end('null')),
    'an error within a 200': answering((response) =>
      response.writeHead(200, JSON_TYPE).end('{"data":{"items":[]},"error":{"code":"internal_error"}}'),
    ),
    'bytes that are no UTF-8': answering((response) =>
      response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    ),
    'a reset connection': answering((response) => response.socket?.resetAndDestroy()),
    'a body that ends early': answering((response, answer) => {
      const body = textOf(answer);
      response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) + 7 });
      response.write(body, () => response.socket?.destroy());
    }),
    'a chunked body that breaks off': answering((response, answer) => {
      response.writeHead(200, JSON_TYPE);
      response.write(textOf(answer).slice(0, 12), () => response.socket?.destroy());
    }),
    'a body compressed as nobody asked for': answering((response, answer) =>
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'deflate' })
        .end(deflateSync(textOf(answer))),
    ),
    'half of a compressed body': answering((response, answer) =>
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(textOf(answer)).subarray(0, -9)),
    ),
    'a compressed body of 64 MiB': answering((response) =>
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    ),
    'a body that does not end': answering((response) => flood(response)),
    'a body of 20 MiB': answering((response) =>
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 20 * MIB }).end(Buffer.alloc(20 * MIB, 32)),
    ),
    'headers of 80 KiB': answering((response) =>
      response.writeHead(200, { ...JSON_TYPE, 'x-long': 'a'.repeat(80 * 1024) }).end('{}'),
    ),
    'something that is not HTTP': answering((response) => raw(response, 'SSH-2.0-OpenSSH_9.6\r\n')),
    'two different lengths': answering((response) =>
      raw(response, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}'),
    ),
    'a redirect with 302': redirect(302),
    'a redirect with 307': redirect(307),
    'a redirect with 308': redirect(308),
  };
}

const BOMB = gzipSync(Buffer.alloc(64 * MIB, 32));

/** Sends until nobody listens any more. In turns: Node 26 calls back before it has looked whether anybody does. */
function flood(response: ServerResponse): void {
  const piece = Buffer.alloc(256 * 1024, 32);
  response.writeHead(200, JSON_TYPE);
  const more = () => {
    if (!response.destroyed) response.write(piece, () => setImmediate(more));
  };
  more();
}
