import { startService as startSandbox } from '../../http/service.ts';
import { account } from './fixture.ts';
import { canary } from './wallets.ts';

export interface Service {
  readonly baseUrl: string;
  /** Which requests are refused with a message that is full of addresses. */
  refuse: 'none' | 'reads' | 'writes';
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

/** The sandbox, which refuses what it is told to refuse. */
export async function startService(): Promise<Service> {
  const sandbox = await startSandbox();
  sandbox.reset(account());
  const service: Service = { baseUrl: sandbox.baseUrl, refuse: 'none' };
  sandbox.hooks = {
    before: (_index, { method, path }) =>
      service.refuse === (method === 'GET' ? 'reads' : 'writes') && !path.endsWith('/me')
        ? { status: 422, headers: { 'content-type': 'application/json' }, body: JSON.stringify(REFUSAL) }
        : undefined,
  };
  return service;
}
