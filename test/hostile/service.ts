import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import type { SandboxRequest } from '../../src/sandbox/request.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { CANARY } from '../cmd/run.ts';
import { sniperConfig, WALLETS } from '../support/builders.ts';
import { afterwards } from '../support/cleanup.ts';
import { onRequest } from '../support/requests.ts';

export const ALPHA = '5e0c1d2a-0000-4000-8000-0000000000aa';

/** What stands on the service before each command: the project's task as it once was, and somebody's own. */
const ACCOUNT: SeedAccount = {
  login_username: 'whales',
  tokens: [{ token: CANARY }],
  labels: [{ name: 'High risk', sort_order: 1 }],
  tasks: [
    {
      kind: 'sniper',
      id: ALPHA,
      remark: 'Early launches [git:core/alpha@1]',
      target_wallet: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
      is_active: true,
      config: sniperConfig(),
    },
    { kind: 'sniper', remark: 'by hand', target_wallet: WALLETS[1], is_active: true, config: sniperConfig() },
  ],
};

export interface RecordedService {
  readonly baseUrl: string;
  /** Host and port. */
  readonly origin: string;
  readonly requests: readonly SandboxRequest[];
}

/** The service on a port of its own, which writes down what it was asked. */
export async function recordedService(): Promise<RecordedService> {
  const requests: SandboxRequest[] = [];
  const sandbox = createSandbox({ seed: { accounts: [ACCOUNT] } });
  onRequest(sandbox, (request) => requests.push(request));
  const server = await startServer(sandbox);
  afterwards(() => server.close());
  return { baseUrl: server.baseUrl, origin: `127.0.0.1:${server.port}`, requests };
}
