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
    new Exchange(request, limits, resolve, reject).start(pool);
  });
}

/** Collects the answer as it arrives: a stream for each body would cost more than everything else. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly request: Dispatcher.DispatchOptions;
  private readonly limits: ExchangeLimits;
  private readonly resolve: (response: HttpResponse) => void;
  private readonly reject: (error: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begin: NodeJS.Timeout | undefined;
  private pace: NodeJS.Timeout | undefined;
  /** Why it was given up. */
  private reason: TransportError | undefined;
  private status = 0;
  private headers: Readonly<Record<string, string>> = {};
  private chunks: Buffer[] = [];
  private size = 0;

  constructor(
    request: Dispatcher.DispatchOptions,
    limits: ExchangeLimits,
    resolve: (response: HttpResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request;
    this.limits = limits;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(pool: Pool): void {
    const { totalTimeout } = this.limits;
    this.timer = setTimeout(
      () => this.giveUp(tooLong('the answer took too long', totalTimeout)),
      totalTimeout,
    );
    pool.dispatch(this.request, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // Aborted while it waited for a connection: then nothing is written.
    if (this.reason !== undefined) {
      controller.abort(this.reason);
      return;
    }
    const { headersTimeout } = this.limits;
    const late = () => this.giveUp(tooLong('the answer took too long to begin', headersTimeout));
    this.begin ??= setTimeout(late, headersTimeout);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // A preliminary answer (1xx) is followed by the final one.
    this.status = status;
    this.headers = singleHeaders(headers);
    // A preliminary answer has no end of its own, so the time for the final one runs on.
    if (status >= 200) clearTimeout(this.begin);
    this.pace ??= this.watchPace();
    if (this.encoding !== 'identity' && !this.asksFor(this.encoding)) {
      this.giveUp('the answer is compressed, although this was not requested');
    } else if (Number(this.headers['content-length'] ?? 0) > this.limits.maxBody) {
      this.tooLarge();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.limits.maxBody) this.tooLarge();
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.stopTimers();
    // The pool takes the connection for busy until the next turn, which it asks for after this: whoever follows at once would
    // open another one.
    queueMicrotask(() => setImmediate(() => void this.settle()));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.stopTimers();
    this.reject(this.reason ?? error);
  }

  /**
   * Limits the pace: a body of one byte per second would never exceed a timeout between bytes, and would block a run
   * until the total timeout.
   */
  private watchPace(): NodeJS.Timeout {
    const { bytes, ms } = this.limits.slowest;
    let before = 0;
    return setInterval(() => {
      if (this.size - before < bytes) this.giveUp('the answer came too slowly');
      before = this.size;
    }, ms);
  }

  private stopTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.begin);
    clearInterval(this.pace);
  }

  private get encoding(): string {
    return this.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  }

  private asksFor(encoding: string): boolean {
    const { 'accept-encoding': asked = '' } = this.request.headers as Readonly<Record<string, string>>;
    return asked.split(', ').includes(encoding);
  }

  private async settle(): Promise<void> {
    try {
      const bytes = await decompressed(oneOf(this.chunks), this.encoding, this.limits.maxBody);
      const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      this.resolve({ status: this.status, headers: this.headers, body });
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ERR_BUFFER_TOO_LARGE') this.tooLarge();
      else this.reject(new TransportError('lost', NO_TEXT[code ?? ''] ?? 'the compressed answer is damaged'));
    }
  }

  private tooLarge(): void {
    this.giveUp(`the answer is larger than ${this.limits.maxBody} bytes`);
  }

  /** Closes the connection instead of reading on. */
  private giveUp(why: string): void {
    this.stopTimers();
    this.reason ??= new TransportError('lost', why);
    this.chunks = [];
    this.controller?.abort(this.reason);
    this.reject(this.reason);
  }
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
