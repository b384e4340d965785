import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from '../../src/core/ports/transport.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/**
 * The transport port on a sandbox in process, including faults. Requests without an `Authorization` header carry `token`, by
 * default the first one. A `hang` fault never ends, like a network without timeouts.
 */
export function createSandboxTransport(
  sandbox: Sandbox,
  token: string | undefined = sandbox.tokens()[0]?.token,
): Transport {
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const named = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
      const authorization = named || token === undefined ? {} : { authorization: `Bearer ${token}` };
      const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
      const delivery = await sandbox.deliver({
        ...request,
        headers: { ...type, ...authorization, ...request.headers },
      });
      switch (delivery.type) {
        case 'dropped':
          throw new TransportError('lost', 'the connection was reset');
        case 'hung':
          return new Promise<never>(() => undefined);
        case 'answer':
          if (delivery.breaksAfter !== undefined) throw new TransportError('lost', 'the answer ended early');
          return delivery.response;
      }
    },
    close: () => Promise.resolve(),
  };
}
