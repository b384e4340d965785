import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { HttpResponse, Method } from '../../src/core/ports/transport.ts';
import type { Certificate } from './certificate.ts';
import type { Service } from './service.ts';

/** What stands between a client and the service: lets through, or answers itself and returns true. */
export type Spoil = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse | undefined,
) => boolean;

export interface Gateway {
  readonly port: number;
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * A gateway before a service. `before` may answer without the service; `after` gets what the service answered to a request
 * that it has carried out. Any bytes at all may be written to the socket.
 */
export async function openGateway(
  service: Service,
  { before, after, tls }: { before?: Spoil; after?: Spoil; tls?: Partial<Certificate> },
): Promise<Gateway> {
  const listener: RequestListener = (request, response) => {
    void forward(service, request, response, before, after);
  };
  return listen(tls === undefined ? createPlain(listener) : createSecure(tls, listener), tls !== undefined);
}

/** Any server on a free port of loopback. */
export async function listen(server: Server, secure = false): Promise<Gateway> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http${secure ? 's' : ''}://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function forward(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  before: Spoil | undefined,
  after: Spoil | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (before?.(request, response, undefined) === true) return;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const method = (request.method ?? 'GET') as Method;
  const path = (request.url ?? '/').replace(/^\/v1/, '');
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString() };
  const delivery = await service.deliver({ method, path, headers, ...body, callerIp: '127.0.0.1' });
  if (delivery.type !== 'answer') {
    response.socket?.resetAndDestroy();
    return;
  }
  const answer = delivery.response;
  if (after?.(request, response, answer) === true) return;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
