import type { Io } from '../../core/command/io.ts';
import { proxyIn } from '../../core/command/proxy.ts';
import { VERSION } from '../../core/command/version.ts';
import { type Diagnostic, usage, warning } from '../../core/diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import type { HttpProxy, HttpRequest } from '../../core/ports/transport.ts';
import { createHttpTransport } from '../../core/service/http/transport.ts';

/** A URL of a monitor or a chat: https, or http on loopback. It may be a secret, so only the host is ever shown. */
export interface OutsideUrl {
  readonly host: string;
  readonly baseUrl: string;
  /** With its question mark; empty without a query. */
  readonly query: string;
  readonly proxy: HttpProxy | undefined;
}

const LIMITS = { connectTimeout: 5_000, headersTimeout: 10_000, totalTimeout: 15_000, maxBody: 64 * 1024 };

/** The URL, or the problem with it. The problem does not repeat the URL. */
export function outsideUrl(text: string, env: Io['env']): OutsideUrl | { readonly problem: string } {
  const [base = '', ...rest] = text.split('?');
  const checked = checkBaseUrl(base);
  if (!checked.ok) return { problem: checked.problem };
  const query = rest.length === 0 ? '' : `?${rest.join('?')}`;
  if (/[\s#]/.test(query)) return { problem: 'its query has a fragment or white space' };
  return { baseUrl: checked.url, query, host: new URL(checked.origin).host, proxy: proxyIn(env) };
}

/**
 * Sends one request to `path` below the URL. Returns undefined after a 2xx answer, else the reason. Redirects are not followed.
 */
export async function sendOutside(
  { baseUrl, query, proxy }: OutsideUrl,
  { method, path = '', headers = {}, body }: Partial<HttpRequest> & Pick<HttpRequest, 'method'>,
): Promise<string | undefined> {
  const transport = createHttpTransport({ baseUrl, concurrency: 1, limits: LIMITS, proxy });
  const sent = {
    method,
    path: `${path}${query}`,
    headers: { 'user-agent': `tradeform/${VERSION}`, ...headers },
  };
  try {
    const { status } = await transport.send({ ...sent, ...(body === undefined ? {} : { body }) });
    return status >= 200 && status < 300 ? undefined : `it answered with HTTP ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'it did not answer';
  } finally {
    await transport.close();
  }
}

/** Fails (exit 3) for an unusable URL. The error does not repeat the URL, which may be a secret. */
export function requireHeartbeat(text: string, env: Io['env']): OutsideUrl {
  const url = outsideUrl(text, env);
  if (!('problem' in url)) return url;
  const hint = 'Use the https URL that your monitor shows, for example https://monitor.example/ping/ID.';
  throw usage(`the heartbeat URL cannot be used: ${url.problem}`, hint);
}

/** Sends one GET to the monitor. Any answer other than 2xx becomes a warning, which names the host but never the path. */
export async function sendHeartbeat(text: string, env: Io['env']): Promise<readonly Diagnostic[]> {
  const url = requireHeartbeat(text, env);
  const why = await sendOutside(url, { method: 'GET' });
  if (why === undefined) return [];
  const message = `the heartbeat did not reach ${url.host}: ${why}`;
  const hint = 'The result of the command does not change. The monitor will report a missed run.';
  return [warning('heartbeat-failed', message, hint)];
}
