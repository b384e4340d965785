import type { SandboxRequest } from '../../src/sandbox/request.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Calls `hear` before each request that a sandbox serves, until what it returns is called. */
export function onRequest(sandbox: Sandbox, hear: (request: SandboxRequest) => void): () => void {
  const deliver = sandbox.deliver.bind(sandbox);
  sandbox.deliver = (request) => {
    hear(request);
    return deliver(request);
  };
  return () => {
    sandbox.deliver = deliver;
  };
}
