import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
import { errorCode } from '../../diagnostics/system-words.ts';
import { type HttpResponse, TransportError } from '../../ports/transport.ts';

export interface ExchangeLimits {
  /** Milliseconds from the request to the last header, however many arrive on the way. */
  readonly headersTimeout: number;
  /** Milliseconds from the call to the last byte. */
  readonly totalTimeout: number;
  readonly maxBody: number;
  /** The slowest accepted body: so many bytes in each such time, unless it ends. */
  readonly slowest: { readonly bytes: number; readonly ms: number };
}

/** The sender of requests: a pool of connections. */
type Pool = Pick<Dispatcher, 'dispatch'>;

/**
 * Sends one request and resolves with its answer. Rejects with a {@link TransportError} if a bound is exceeded,
 * otherwise with the error of the HTTP library.
 */
export function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    pool.dispatch(request, collector(request, limits, resolve, reject));
  });
}

/** Collects the answer as it arrives: a stream for each body would cost more than everything else. */
function collector(
  request: Dispatcher.DispatchOptions,
  { headersTimeout, totalTimeout, maxBody, slowest }: ExchangeLimits,
  resolve: (response: HttpResponse) => void,
  reject: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let begin: NodeJS.Timeout | undefined;
  let pace: NodeJS.Timeout | undefined;
  /** Why it was given up. */
  let reason: TransportError | undefined;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  let encoding = 'identity';
  let chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => giveUp(tooLong('the answer took too long', totalTimeout)), totalTimeout);
  const stopTimers = () => {
    clearTimeout(timer);
    clearTimeout(begin);
    clearInterval(pace);
  };
  /** Closes the connection instead of reading on. */
  const giveUp = (why: string) => {
    stopTimers();
    reason ??= new TransportError('lost', why);
    chunks = [];
    controller?.abort(reason);
    reject(reason);
  };
  const tooLarge = () => giveUp(`the answer is larger than ${maxBody} bytes`);
  /**
   * Limits the pace: a body of one byte per second would never exceed a timeout between bytes, and would block a run
   * until the total timeout.
   */
  const watchPace = () => {
    let before = 0;
    return setInterval(() => {
      if (size - before < slowest.bytes) giveUp('the answer came too slowly');
      before = size;
    }, slowest.ms);
  };
  const asksFor = (wanted: string) => {
    const { 'accept-encoding': asked = '' } = request.headers as Readonly<Record<string, string>>;
    return asked.split(', ').includes(wanted);
  };
  const settle = async () => {
    try {
      const bytes = await decompressed(oneOf(chunks), encoding, maxBody);
      const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      resolve({ status, headers, body });
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ERR_BUFFER_TOO_LARGE') tooLarge();
      else reject(new TransportError('lost', NO_TEXT[code ?? ''] ?? 'the compressed answer is damaged'));
    }
  };
  return {
    onRequestStart(started) {
      controller = started;
      // Aborted while it waited for a connection: then nothing is written.
      if (reason !== undefined) {
        started.abort(reason);
        return;
      }
      const late = () => giveUp(tooLong('the answer took too long to begin', headersTimeout));
      begin ??= setTimeout(late, headersTimeout);
    },
    onResponseStart(_controller, answered, came) {
      // A preliminary answer (1xx) is followed by the final one.
      status = answered;
      headers = singleHeaders(came);
      encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
      // A preliminary answer has no end of its own, so the time for the final one runs on.
      if (status >= 200) clearTimeout(begin);
      pace ??= watchPace();
      if (encoding !== 'identity' && !asksFor(encoding))
        giveUp('the answer is compressed, although this was not requested');
      else if (Number(headers['content-length'] ?? 0) > maxBody) tooLarge();
    },
    onResponseData(_controller, chunk) {
      size += chunk.length;
      if (size > maxBody) tooLarge();
      else chunks.push(chunk);
    },
    onResponseEnd() {
      stopTimers();
      // The pool takes the connection for busy until the next turn, which it asks for after this: whoever follows at once would
      // open another one.
      queueMicrotask(() => setImmediate(() => void settle()));
    },
    onResponseError(_controller, error) {
      stopTimers();
      reject(reason ?? error);
    },
  };
}

/** Which bound struck. */
function tooLong(what: string, ms: number): string {
  return `${what}: more than ${ms / 1_000} s`;
}

const NO_TEXT: Readonly<Record<string, string>> = {
  ERR_ENCODING_INVALID_ENCODED_DATA: 'the answer is not UTF-8',
};

/** Rejects with ERR_BUFFER_TOO_LARGE as soon as more than `most` bytes come out: a small answer can hold gigabytes. */
async function decompressed(bytes: Buffer, encoding: string, most: number): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  const { brotliDecompress, gunzip } = await import('node:zlib');
  const options = { maxOutputLength: most };
  return encoding === 'br' ? promisify(brotliDecompress)(bytes, options) : promisify(gunzip)(bytes, options);
}

function oneOf(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
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
