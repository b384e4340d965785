import { type HttpResponse, type Transport, TransportError } from '../ports/transport.ts';

/** The traffic of one run with the service, for `--metrics`. */
export class Tally {
  /** Milliseconds since the epoch. */
  readonly begun: number = Date.now();
  /** Number of requests by the HTTP status of their answer. Without an answer: `lost` or `unsent`. */
  readonly requests = new Map<string, number>();
  /** When the first token expires (`GET /me`), in seconds since the epoch. Undefined if no token expires or nobody asked. */
  tokenExpires: number | undefined;

  count(code: string): void {
    this.requests.set(code, (this.requests.get(code) ?? 0) + 1);
  }

  /** Reads an answer to `GET /me`. An unreadable answer is ignored here; its own reader reports it. */
  expiry(answer: HttpResponse): void {
    const at = expiryIn(answer);
    if (at !== undefined) this.tokenExpires = Math.min(at, this.tokenExpires ?? at);
  }
}

/** The same transport, with its exchanges counted. */
export function tallied(transport: Transport, tally: Tally | undefined): Transport {
  if (tally === undefined) return transport;
  return {
    close: () => transport.close(),
    async send(request) {
      try {
        const answer = await transport.send(request);
        tally.count(String(answer.status));
        if (request.path === '/me') tally.expiry(answer);
        return answer;
      } catch (error) {
        tally.count(error instanceof TransportError ? error.outcome : 'lost');
        throw error;
      }
    },
  };
}

function expiryIn({ status, body }: HttpResponse): number | undefined {
  if (status !== 200) return undefined;
  try {
    const { data } = JSON.parse(body);
    const at = Date.parse(data.expires_at);
    return Number.isFinite(at) ? at / 1_000 : undefined;
  } catch {
    return undefined;
  }
}
