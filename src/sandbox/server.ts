import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock, Edit, FaultRule, Rotation } from '../core/model/generated/sandbox.ts';
import type { Json } from '../core/model/json.ts';
import type { HttpResponse } from '../core/ports/transport.ts';
import { bodyField, checkField } from './fields.ts';
import { Refused, statusOf } from './refusal.ts';
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
      else send(response, json(500, { error: BROKEN, request_id: 'none' }), undefined);
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
  if (!isLocal(request)) {
    return send(response, json(403, { error: STRANGER, request_id: 'none' }), undefined);
  }
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

const STRANGER = {
  code: 'invalid_request',
  message: 'The sandbox answers only local programs: use 127.0.0.1 or localhost, and no browser page.',
};
const BROKEN = { code: 'internal_error', message: 'The sandbox failed.' };

/**
 * Control endpoints, below the root and not below the base URL. Loopback only, without a token, JSON in and out:
 *
 * - `GET    /_sandbox/state`            accounts, tokens (without secrets), labels, templates, tasks; choices; time
 * - `GET    /_sandbox/openapi.json`     the OpenAPI document of the interface, with this sandbox as its server
 * - `GET    /_sandbox/log`              `{entries}`: every request with method, path, status, If-Match, key, time
 * - `DELETE /_sandbox/log`
 * - `POST   /_sandbox/faults`           a rule or a list of rules (`faultRule` in the schema): `{"path": "resume$", "method": "POST",
 *                                       "times": 1, "skip": 0, "fault": {"type": "drop", "when": "after-commit"}}`
 * - `GET    /_sandbox/faults`           `{struck}`: how often each rule struck
 * - `DELETE /_sandbox/faults`
 * - `POST   /_sandbox/tasks/{id}/fire`  triggers a trade; with `buy_once` the task is deactivated: `{traded, deactivated}`
 * - `POST   /_sandbox/edit`             `{"id": …, "config" | "merge" | "remark" | "is_active" | … , "bump": true}`: changes
 *                                       what is stored without any check
 * - `POST   /_sandbox/tokens/rotate`    `{"token_prefix": "svc_live_…"}`: returns the new token
 * - `POST   /_sandbox/clock`            `{"advance_ms": 90000000}`: moves the service's clock forward
 */
const CONTROL_PREFIX = '/_sandbox/';

/** Answers a control request; changes are durable before it resolves. */
async function control(sandbox: Sandbox, method: string, path: string, body: string): Promise<HttpResponse> {
  try {
    const answer = await act(sandbox, method, path.slice(CONTROL_PREFIX.length), body);
    await sandbox.flushed();
    return json(200, answer);
  } catch (error) {
    if (error instanceof Refused) {
      const { code, message } = error;
      return json(statusOf(code, sandbox.choices), { error: { code, message } });
    }
    if (error instanceof SyntaxError)
      return json(400, { error: { code: 'invalid_request', message: error.message } });
    throw error;
  }
}

function act(sandbox: Sandbox, method: string, path: string, body: string): object | Promise<object> {
  const fired = /^tasks\/([^/]+)\/fire$/.exec(path);
  if (method === 'POST' && fired !== null) return sandbox.fire(fired[1] ?? '');
  switch (`${method} ${path}`) {
    case 'GET state':
      return describe(sandbox);
    case 'GET openapi.json':
      return openapi();
    case 'GET log':
      return { entries: sandbox.log };
    case 'DELETE log':
      sandbox.clearLog();
      return {};
    case 'GET faults':
      return { struck: sandbox.faults.struck() };
    case 'DELETE faults':
      sandbox.faults.clear();
      return {};
    case 'POST faults': {
      const rules: readonly Json[] = [JSON.parse(body)].flat();
      sandbox.faults.add(...rules.map((rule) => checked<FaultRule>(rule, 'faultRule')));
      return {};
    }
    case 'POST edit': {
      const { id, ...edit } = checked<Edit>(JSON.parse(body), 'edit');
      sandbox.editStored(id, edit);
      return {};
    }
    case 'POST tokens/rotate':
      return { token: sandbox.rotate(checked<Rotation>(JSON.parse(body), 'rotation').token_prefix) };
    case 'POST clock': {
      sandbox.advance(checked<Clock>(JSON.parse(body), 'clock').advance_ms);
      return { now: sandbox.now() };
    }
    default:
      throw new Refused('not_found', 'There is no such control endpoint.');
  }
}

/** Loaded on demand. The server's URL is relative to the address of the document. */
async function openapi(): Promise<object> {
  const { default: document } = await import('../../schemas/service.openapi.json');
  return { ...document, servers: [{ url: '/v1', description: 'This sandbox.' }] };
}

function describe(sandbox: Sandbox): object {
  const { state } = sandbox;
  return {
    now: sandbox.now(),
    choices: sandbox.choices,
    accounts: [...state.accounts.values()],
    tokens: [...state.tokens.values()].map(({ secret: _secret, ...token }) => token),
    labels: [...state.labels.values()],
    templates: [...state.templates.values()],
    tasks: [...state.tasks.values()],
  };
}

/** The checked body of a request. Throws `invalid_request`, which names every problem. */
function checked<Body>(value: Json, name: Parameters<typeof bodyField>[0]): Body {
  const problems: string[] = [];
  checkField(bodyField(name), value, [], (path, message) => {
    problems.push(`${['body', ...path].join('.')} ${message}`);
  });
  if (problems.length > 0) throw new Refused('invalid_request', problems.join(' '));
  return value as unknown as Body;
}

function json(status: number, value: object): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
