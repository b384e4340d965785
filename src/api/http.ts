import { setImmediate } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../ports/transport.ts';
import { checkBaseUrl } from './base-url.ts';
import { transportError } from './http-errors.ts';

export interface HttpTransportOptions {
  /** As {@link checkBaseUrl} accepts it. */
  readonly baseUrl: string;
  /** Connections kept; as many requests as may be in flight. */
  readonly concurrency?: number;
  readonly limits?: Partial<HttpLimits>;
  /** PEM certificates to trust instead of the system’s; users have NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
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
  readonly maxHeaders: number;
}

export const HTTP_LIMITS: HttpLimits = {
  connectTimeout: 10_000,
  headersTimeout: 30_000,
  bodyTimeout: 20_000,
  totalTimeout: 60_000,
  // A page can hold 100 configs of 64 KiB.
  maxBody: 16 * 1024 * 1024,
  maxHeaders: 32 * 1024,
};

/**
 * HTTP over keep-alive connections to one origin. Redirects are answers like others: nothing is followed. Bodies are
 * bounded and never decompressed. Throws at once for a base URL that {@link checkBaseUrl} refuses.
 * The HTTP library is loaded on the first request (it costs 135 ms).
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const base = checkBaseUrl(options.baseUrl);
  if (!base.ok) throw new Error(`base URL: ${base.problem}`);
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  /** Errors of connecting: the request that they end was never sent. */
  const connectErrors = new WeakSet<Error>();
  let pool: Promise<Pool> | undefined;

  const open = async (): Promise<Pool> => {
    // The default export: a bundled CommonJS package has no named ones.
    const { default: undici } = await import('undici');
    const connector = undici.buildConnector({
      timeout: limits.connectTimeout,
      allowH2: false,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    return new undici.Pool(base.origin, {
      connections: Math.max(1, options.concurrency ?? 8),
      pipelining: 1,
      headersTimeout: limits.headersTimeout,
      bodyTimeout: limits.bodyTimeout,
      maxHeaderSize: limits.maxHeaders,
      connect: (target, callback) => {
        connector(target, (...result) => {
          if (result[0] !== null) connectErrors.add(result[0]);
          callback(...result);
        });
      },
    });
  };

  return {
    async send(request) {
      pool ??= open();
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), limits.totalTimeout);
      try {
        const response = await exchange(await pool, base.path, request, limits, timeout.signal);
        // The pool takes the connection for busy until the next turn: whoever follows at once would open another one.
        await setImmediate();
        return response;
      } catch (error) {
        if (timeout.signal.aborted) throw new TransportError('lost', 'the answer took too long');
        throw transportError(error, error instanceof Error && connectErrors.has(error));
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

async function exchange(
  pool: Pool,
  basePath: string,
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const response = await pool.request({
    method: request.method,
    path: `${basePath}${request.path}`,
    headers: { ...request.headers, 'accept-encoding': 'identity' },
    body: request.body ?? null,
    signal,
  });
  const headers = singleHeaders(response.headers);
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    discard(response.body);
    throw new TransportError('lost', 'the answer is compressed although that was not asked for');
  }
  return {
    status: response.statusCode,
    headers,
    body: await readBody(response.body, headers, limits.maxBody),
  };
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  headers: Readonly<Record<string, string>>,
  most: number,
): Promise<string> {
  const tooLarge = () => {
    discard(body);
    return new TransportError('lost', `the answer is larger than ${most} bytes`);
  };
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new TransportError('lost', 'the answer is not UTF-8');
  }
}

/** Ends the connection rather than reading on; the error that this makes on the stream is ours and means nothing. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}

function singleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}
