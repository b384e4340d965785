import type { Socket } from 'node:net';
import type Undici from 'undici';
import type { buildConnector, Pool } from 'undici';
import type { Method, Transport } from '../../ports/transport.ts';
import { checkBaseUrl } from './base-url.ts';
import { type EarlyConnection, earlyConnection } from './early-connection.ts';
import { type ExchangeLimits, exchange } from './exchange.ts';
import { transportError } from './transport-errors.ts';

export interface HttpTransportOptions {
  /** A base URL that {@link checkBaseUrl} accepts. */
  readonly baseUrl: string;
  /** Number of connections, and of requests in flight. */
  readonly concurrency?: number;
  readonly limits?: Partial<HttpLimits>;
  /** PEM certificates to trust instead of the system’s; users have NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
  /** An open connection for the first request. */
  readonly early?: EarlyConnection | undefined;
}

/** Times in milliseconds, sizes in bytes. */
export interface HttpLimits {
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  /** Between two pieces of the body. */
  readonly bodyTimeout: number;
  /** One exchange from the call to the last byte. */
  readonly totalTimeout: number;
  readonly maxBody: number;
  /** The slowest accepted body. */
  readonly slowest: ExchangeLimits['slowest'];
  readonly maxHeaders: number;
}

const HTTP_LIMITS: HttpLimits = {
  connectTimeout: 10_000,
  headersTimeout: 30_000,
  bodyTimeout: 20_000,
  totalTimeout: 60_000,
  // A page can hold 100 configs of 64 KiB.
  maxBody: 16 * 1024 * 1024,
  slowest: { bytes: 1024, ms: 10_000 },
  maxHeaders: 32 * 1024,
};

/**
 * HTTP over keep-alive connections to one origin. Redirects are returned, never followed. Bodies are bounded,
 * compressed ones by their decompressed size. Throws at once for a base URL that {@link checkBaseUrl} refuses. The HTTP
 * library (half a megabyte) is loaded on the first request.
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const checked = checkBaseUrl(options.baseUrl);
  if (!checked.ok) throw new Error(`base URL: ${checked.problem}`);
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  /** Errors of connecting: their request was never sent. */
  const connectErrors = new WeakSet<Error>();
  let pool: Promise<Pool> | undefined;

  const open = async (): Promise<Pool> => {
    // The default export: a bundled CommonJS package has no named ones.
    const { default: undici } = await import('undici');
    const connector = connectorOf(undici, { timeout: limits.connectTimeout, ca: options.ca });
    let early = options.early?.origin === checked.origin ? options.early : undefined;
    return new undici.Pool(checked.origin, {
      connections: Math.max(1, options.concurrency ?? 8),
      pipelining: 1,
      // It begins anew with each header. The exchange has its own.
      headersTimeout: 0,
      bodyTimeout: limits.bodyTimeout,
      maxHeaderSize: limits.maxHeaders,
      connect: (target, callback) => {
        const connect = () =>
          connector(target, (...result) => {
            if (result[0] !== null) connectErrors.add(result[0]);
            callback(...result);
          });
        const opened = early?.take();
        early = undefined;
        if (opened === undefined) connect();
        else void opened.then((socket) => (socket === undefined ? connect() : callback(null, socket)));
      },
    });
  };

  return {
    async send({ method, path, headers, body = null }) {
      pool ??= open();
      const request = {
        method,
        path: `${checked.path}${path}`,
        headers: { ...headers, 'accept-encoding': isPage(method, path) ? 'gzip, br' : 'identity' },
        body,
      };
      try {
        return await exchange(await pool, request, limits);
      } catch (error) {
        throw transportError(error, error instanceof Error && connectErrors.has(error));
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

/** Begins to connect, and resolves then; undefined for a base URL that {@link checkBaseUrl} refuses. Sends nothing. */
export async function connectEarly(baseUrl: string): Promise<EarlyConnection | undefined> {
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return undefined;
  const { default: undici } = await import('undici');
  const { protocol, hostname, host, port } = new URL(checked.origin);
  // Like the pool: the system does not look up names in brackets.
  const target = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port };
  const ending = new AbortController();
  const opened = new Promise<Socket | undefined>((resolve) => {
    const { signal } = ending;
    const connector = connectorOf(undici, { timeout: HTTP_LIMITS.connectTimeout, signal });
    // Until it is taken, nothing waits for it.
    connector(target, (_error, socket) => resolve(socket?.unref()));
  });
  return earlyConnection(checked.origin, opened, () => ending.abort());
}

function connectorOf(
  undici: typeof Undici,
  {
    ca,
    ...options
  }: { readonly timeout: number; readonly ca?: string | undefined; readonly signal?: AbortSignal },
): buildConnector.connector {
  return undici.buildConnector({
    ...options,
    allowH2: false,
    // Set here, these options override NODE_TLS_REJECT_UNAUTHORIZED=0 and Node's options for older TLS versions.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  });
}

/**
 * True for pages of lists, which are large and carry no version. For a single resource the ETag matters, and a gateway
 * that compresses changes it.
 */
function isPage(method: Method, path: string): boolean {
  return method === 'GET' && path.includes('?');
}
