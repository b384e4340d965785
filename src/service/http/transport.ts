import type { Pool } from 'undici';
import { given } from '../../model/given.ts';
import { type Transport, TransportError } from '../../ports/transport.ts';
import { checkBaseUrl } from './base-url.ts';
import { type ExchangeLimits, exchange } from './exchange.ts';

export interface HttpTransportOptions {
  /** A base URL that {@link checkBaseUrl} accepts. */
  readonly baseUrl: string;
  /** Number of connections, and of requests in flight. */
  readonly concurrency?: number;
  readonly limits?: Partial<HttpLimits>;
  /** PEM certificates to trust instead of the system’s; users have NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
}

/** Times in milliseconds, sizes in bytes. */
export interface HttpLimits extends ExchangeLimits {
  readonly connectTimeout: number;
  /** Between two pieces of the body. */
  readonly bodyTimeout: number;
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
export function createHttpTransport(options: HttpTransportOptions): Transport<'PUT'> {
  const checked = checkBaseUrl(options.baseUrl);
  if (!checked.ok) throw new Error(`base URL: ${checked.problem}`);
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  /** Errors of connecting: their request was never sent. */
  const connectErrors = new WeakSet<Error>();
  let pool: Promise<Pool> | undefined;

  const open = async (): Promise<Pool> => {
    // The default export: a bundled CommonJS package has no named ones.
    const { default: undici } = await import('undici');
    const connector = undici.buildConnector({
      timeout: limits.connectTimeout,
      allowH2: false,
      // Set here, these options override NODE_TLS_REJECT_UNAUTHORIZED=0 and Node's options for older TLS versions.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...given({ ca: options.ca }),
    });
    return new undici.Pool(checked.origin, {
      connections: Math.max(1, options.concurrency ?? 8),
      pipelining: 1,
      // It begins anew with each header. The exchange has its own.
      headersTimeout: 0,
      bodyTimeout: limits.bodyTimeout,
      maxHeaderSize: limits.maxHeaders,
      connect: (target, callback) =>
        connector(target, (...result) => {
          if (result[0] !== null) connectErrors.add(result[0]);
          callback(...result);
        }),
    });
  };

  return {
    async send({ method, path, headers, body = null }) {
      pool ??= open();
      const request = {
        method,
        // A URL without a path means its root.
        path: `${checked.path}${path}`.replace(/^(?!\/)/, '/'),
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

/**
 * True for pages of lists, which are large and carry no version. For a single resource the ETag matters, and a gateway
 * that compresses changes it.
 */
function isPage(method: string, path: string): boolean {
  return method === 'GET' && path.includes('?');
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host’s name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the request was sent',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped part-way',
  UND_ERR_HEADERS_OVERFLOW: 'the answer’s headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the answer differs from its header',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_ABORTED: 'the answer was not complete',
  UND_ERR_DESTROYED: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_INVALID_ARG: 'the request could not be formed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate’s chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate’s issuer is unknown',
};

/** Refused before anything is written to a socket. */
const NEVER_SENT: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG']);

/**
 * The error of one exchange in tradeform's own words. Texts of the HTTP library and the system may contain header
 * values and URLs, so only their codes are used. `unsent` needs certainty: the connection itself failed.
 */
function transportError(error: unknown, connecting: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  const outcome = connecting || (code !== undefined && NEVER_SENT.has(code)) ? 'unsent' : 'lost';
  return new TransportError(outcome, words(code, connecting));
}

function words(code: string | undefined, connecting: boolean): string {
  const known = code === undefined ? undefined : WORDS[code];
  if (known !== undefined) return known;
  if (code?.startsWith('HPE_') === true) return `the answer is not HTTP (${code})`;
  const suffix = code === undefined ? '' : ` (${code})`;
  return connecting ? `no connection could be made${suffix}` : `the connection failed${suffix}`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = error.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
