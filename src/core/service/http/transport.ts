import type { buildConnector, Dispatcher } from 'undici';
import { errorCode } from '../../diagnostics/system-words.ts';
import { checkBaseUrl, isLoopback } from '../../model/base-url.ts';
import { given } from '../../model/given.ts';
import type { HttpProxy } from '../../ports/transport.ts';
import { type Remedy, type Transport, TransportError } from '../../ports/transport.ts';
import { type ExchangeLimits, exchange } from './exchange.ts';

export interface HttpTransportOptions {
  /** A base URL that {@link checkBaseUrl} accepts. */
  readonly baseUrl: string;
  /** Number of connections, and of requests in flight. */
  readonly concurrency?: number;
  readonly limits?: Partial<HttpLimits>;
  /** PEM certificates to trust instead of the system’s; users have NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
  /** For https to a host that is not this machine. */
  readonly proxy?: HttpProxy | undefined;
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
  let pool: Promise<Dispatcher> | undefined;
  const { hostname, protocol } = new URL(checked.origin);
  const proxy = protocol === 'https:' && !isLoopback(hostname) ? options.proxy : undefined;
  /** The host of the proxy, once it was asked for a tunnel. */
  let through: string | undefined;

  const open = async (): Promise<Dispatcher> => {
    // The default export: a bundled CommonJS package has no named ones.
    const { default: undici } = (await import('undici')) as unknown as { default: typeof import('undici') };
    const tls = {
      timeout: limits.connectTimeout,
      allowH2: false,
      // Set here, these options override NODE_TLS_REJECT_UNAUTHORIZED=0 and Node's options for older TLS versions.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...given({ ca: options.ca }),
    } as const;
    const poolOf = (origin: string | URL, connector: buildConnector.connector) =>
      new undici.Pool(origin, {
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
    if (proxy === undefined) return poolOf(checked.origin, undici.buildConnector(tls));
    return new undici.EnvHttpProxyAgent({
      httpProxy: '',
      httpsProxy: proxy.url,
      noProxy: proxy.except,
      connect: undici.buildConnector(tls),
      requestTls: tls,
      proxyTls: tls,
      factory: (origin, { connect }: { connect: buildConnector.connector }) => poolOf(origin, connect),
      clientFactory: (url, more) => {
        const client = new undici.Pool(url, { ...more, headersTimeout: limits.connectTimeout });
        // undici's own `connect` is not in the bundle, and does not tell why there is no tunnel.
        const connect = (request: Dispatcher.ConnectOptions) => {
          through = url.host;
          return tunnel(client, request, url.host);
        };
        return Object.assign(client, { connect });
      },
    });
  };

  return {
    async send({ method, path, headers, body = null }) {
      pool ??= open();
      const request = {
        origin: checked.origin,
        method,
        // A URL without a path means its root.
        path: `${checked.path}${path}`.replace(/^(?!\/)/, '/'),
        headers: { ...headers, 'accept-encoding': isPage(method, path) ? 'gzip, br' : 'identity' },
        body,
      };
      try {
        return await exchange(await pool, request, limits);
      } catch (error) {
        const connecting = error instanceof Error && connectErrors.has(error);
        throw transportError(
          error,
          connecting,
          through === undefined ? '' : `through the proxy ${through}: `,
        );
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
  UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped part-way',
  UND_ERR_HEADERS_OVERFLOW: 'the answer’s headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the answer differs from its header',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_ABORTED: 'the answer was not complete',
  UND_ERR_DESTROYED: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_INVALID_ARG: 'the request could not be formed',
};

const AUTHORITY =
  'If the host, or a proxy on the way, has an authority of its own: name its root certificate in NODE_EXTRA_CA_CERTS=FILE.pem. If that is set, it is another one, or Node ignored the file: it cannot be read, or is not PEM. Never turn certificate checks off.';
const CLOCK =
  'Compare the clock of this machine with the time: `date -u`. If it is right, whoever runs the host has to renew the certificate.';
const UNKNOWN_ISSUER = 'the TLS certificate’s issuer is unknown';
/** Codes of a TLS connection that cannot be made, the first that fits: what they mean, and what to do. */
const TLS: readonly (readonly [RegExp, words: string, hint: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'the TLS certificate is self-signed', AUTHORITY],
  [
    /^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|^CERT_UNTRUSTED$/,
    UNKNOWN_ISSUER,
    AUTHORITY,
  ],
  [/^CERT_HAS_EXPIRED$/, 'the TLS certificate has expired', CLOCK],
  [/^CERT_NOT_YET_VALID$/, 'the TLS certificate is not valid yet', CLOCK],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/,
    'the TLS certificate is for another host',
    'Check the URL.',
  ],
  [
    /^ERR_(?:SSL|TLS)_|^EPROTO$/,
    'no TLS connection could be made',
    'Check the URL: the host must speak TLS 1.2 or later on this port.',
  ],
  [
    /^C(?:ERT|RL|A)_|^INVALID_|^UNABLE_TO_|^ERROR_IN_|^EE_|^PATH_LENGTH/,
    'the TLS certificate cannot be used',
    'Whoever runs the host has to replace the certificate.',
  ],
];

/** Refused before anything is written to a socket. */
const NEVER_SENT: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG']);

/**
 * The error of one exchange in tradeform's own words. Texts of the HTTP library and the system may contain header
 * values and URLs, so only their codes are used. `unsent` needs certainty: the connection itself failed.
 */
function transportError(error: unknown, connecting: boolean, through: string): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  if (connecting) return unconnected(through, code);
  const outcome = code !== undefined && NEVER_SENT.has(code) ? 'unsent' : 'lost';
  return new TransportError(outcome, `${through}${words(code, 'the connection failed')}`);
}

function unconnected(through: string, code: string | undefined): TransportError {
  const [, said, hint] = TLS.find(([form]) => code !== undefined && form.test(code)) ?? [];
  if (said === undefined || hint === undefined)
    return new TransportError('unsent', `${through}${words(code, 'no connection could be made')}`);
  // The code helps where it has no row of its own.
  const detail = `${through}${said} (${code})`;
  return new TransportError('unsent', detail, { code: 'tls-failed', hint });
}

const LOGIN = 'Write the login of the proxy into HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT.';
const TUNNEL =
  'Ask whoever runs the proxy to let the host through; hosts that need no proxy belong into NO_PROXY.';

/** Asks a proxy for a connection to a host. */
function tunnel(client: Dispatcher, request: Dispatcher.ConnectOptions, proxy: string) {
  return new Promise<Dispatcher.ConnectData>((resolve, reject) => {
    client.dispatch(
      { ...request, method: 'CONNECT' },
      {
        onRequestStart: () => undefined,
        onRequestUpgrade(_controller, statusCode, headers, socket) {
          if (statusCode === 200) return resolve({ statusCode, headers, socket, opaque: null });
          socket.on('error', () => undefined).destroy();
          reject(refusedBy(proxy, statusCode));
        },
        onResponseError: (_controller, error) => reject(unconnected(`the proxy ${proxy}: `, codeOf(error))),
      },
    );
  });
}

/** The proxy answered in place of the host, and nothing was sent to the host. */
function refusedBy(proxy: string, status: number): TransportError {
  const remedy: Remedy = { code: 'service-unreachable', hint: status === 407 ? LOGIN : TUNNEL };
  const asks = status === 407 ? ': it asks for a login' : '';
  return new TransportError('unsent', `the proxy ${proxy} itself answered ${status}${asks}`, remedy);
}

function words(code: string | undefined, otherwise: string): string {
  const known = code === undefined ? undefined : WORDS[code];
  if (known !== undefined) return known;
  if (code?.startsWith('HPE_') === true) return `the answer is not HTTP (${code})`;
  return code === undefined ? otherwise : `${otherwise} (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = errorCode(error) ?? '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
