import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { startServer } from '../../../src/sandbox/server.ts';
import { seed } from './fixture.ts';
import { canary } from './wallets.ts';

export interface Service {
  readonly baseUrl: string;
  /** Which requests are refused with a message that is full of addresses. */
  refuse: 'none' | 'reads' | 'writes';
  close(): Promise<void>;
}

const REFUSAL = {
  error: {
    code: 'validation_error',
    message: `wallet ${canary('message')} of/${canary('path')}/refused, ${'more '.repeat(94)}${canary('cut message')}`,
    fields: [
      { path: `config.${canary('field path')}`, reason: `not_${canary('field reason')}` },
      { path: '$', reason: `glued${canary('glued reason')}` },
    ],
  },
  request_id: canary('request id'),
};

/** A sandbox with a refusing gateway before it. */
export async function startService(token: string): Promise<Service> {
  const sandbox = await startServer(createSandbox({ seed: seed(token) }));
  const gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '', headers } = request;
    const read = method === 'GET';
    if (service.refuse === (read ? 'reads' : 'writes') && !url.endsWith('/me')) {
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSAL));
      return;
    }
    const { host: _host, connection: _connection, ...passed } = headers;
    const answer = await fetch(sandbox.baseUrl.replace('/v1', url), {
      method,
      headers: passed as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-encoding')),
    );
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', () => resolve()));
  const service: Service = {
    baseUrl: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`,
    refuse: 'none',
    async close() {
      gateway.closeAllConnections();
      gateway.close();
      await sandbox.close();
    },
  };
  return service;
}
