import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { HttpResponse } from '../ports/transport.ts';
import { CONTROL_PREFIX, control } from './control.ts';
import { BODY_LIMIT } from './request.ts';
import type { Sandbox } from './sandbox.ts';

const LOOPBACK = '127.0.0.1';
const VERSION_SEGMENT = '/v1';
/** Longer than any client keeps an idle connection. Otherwise the server could close a connection that is about to be used. */
const KEEP_ALIVE = 75_000;
/** How long unfinished answers may take after a stop. */
const GRACE = 2_000;

export interface RunningServer {
  readonly port: number;
  /** With the version segment. */
  readonly baseUrl: string;
  /** Stops listening, gives unfinished answers a moment, ends every socket, and closes the sandbox's store. */
  close(): Promise<void>;
}

/**
 * The sandbox over HTTP on 127.0.0.1. Port 0 takes a free port. Rejects with the error of `listen`. `onError` receives bugs and
 * errors of the store; the caller gets a 500.
 */
export async function startServer(
  sandbox: Sandbox,
  port = 0,
  onError: (error: unknown) => void = () => undefined,
): Promise<RunningServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
    serve(sandbox, request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else send(response, internalError(), undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: bound,
    baseUrl: `http://${LOOPBACK}:${bound}${VERSION_SEGMENT}`,
    close: async () => {
      await stop(server);
      await sandbox.close();
    },
  };
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), GRACE);
  await closed;
  clearTimeout(late);
}

async function serve(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { body, bytes, valid } = await readBody(request);
  if (!isLocal(request)) return send(response, forbidden(), undefined);
  const method = request.method ?? 'GET';
  const url = request.url ?? '/';
  if (url.startsWith(CONTROL_PREFIX)) {
    return send(response, await control(sandbox, method, url, body), undefined);
  }
  const below = url.startsWith(`${VERSION_SEGMENT}/`) ? url.slice(VERSION_SEGMENT.length) : `/_${url}`;
  const delivery = await sandbox.deliver({
    method,
    path: below,
    headers: headersOf(request),
    // Text that is not UTF-8 is not JSON either.
    body: valid ? body : '\u0000',
    bodyBytes: bytes,
    callerIp: request.socket.remoteAddress ?? LOOPBACK,
  });
  if (delivery.type === 'dropped') response.socket?.resetAndDestroy();
  if (delivery.type === 'answer') send(response, delivery.response, delivery.breaksAfter);
}

function send(response: ServerResponse, answer: HttpResponse, breaksAfter: number | undefined): void {
  response.sendDate = false;
  const body = Buffer.from(answer.body);
  const length = answer.status === 204 ? {} : { 'content-length': body.length };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (breaksAfter === undefined) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, breaksAfter), () => response.socket?.destroy());
}

/**
 * Reads beyond the limit to the end without keeping anything, because a client that is still sending would not see the answer.
 */
async function readBody(request: IncomingMessage): Promise<{ body: string; bytes: number; valid: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes <= BODY_LIMIT) chunks.push(part);
  }
  if (bytes > BODY_LIMIT) return { body: '', bytes, valid: true };
  try {
    const body = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { body, bytes, valid: true };
  } catch {
    return { body: '', bytes, valid: false };
  }
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/**
 * A page in a browser must not reach the sandbox, neither across origins nor through its own host name that resolves to this
 * machine.
 */
function isLocal({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '');
}

function forbidden(): HttpResponse {
  return {
    status: 403,
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"code":"invalid_request","message":"The sandbox answers only local programs: use 127.0.0.1 or localhost, and no browser page."},"request_id":"none"}',
  };
}

function internalError(): HttpResponse {
  return {
    status: 500,
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"code":"internal_error","message":"The sandbox failed."},"request_id":"none"}',
  };
}
