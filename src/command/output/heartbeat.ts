import { type Diagnostic, problem, usage } from '../../diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../../service/http/base-url.ts';
import { createHttpTransport } from '../../service/http/transport.ts';

const HINT = 'Use the https URL that your monitor shows, for example https://monitor.example/ping/ID.';
const LIMITS = { connectTimeout: 5_000, headersTimeout: 10_000, totalTimeout: 15_000, maxBody: 64 * 1024 };

interface Heartbeat {
  readonly baseUrl: string;
  /** Below the base URL: the query. */
  readonly query: string;
  readonly host: string;
}

/** Fails (exit 3) for a URL that cannot be used; the URL is not repeated, since it may be a secret. */
export function requireHeartbeat(text: string): Heartbeat {
  const [base = '', ...query] = text.split('?');
  const checked = checkBaseUrl(base);
  if (!checked.ok || query.length > 1 || /[\s#]/.test(query[0] ?? ''))
    throw usage(
      `the heartbeat URL cannot be used: ${checked.ok ? 'its query has a fragment or white space' : checked.problem}`,
      HINT,
    );
  return {
    baseUrl: checked.url,
    query: query.length === 0 ? '' : `?${query[0]}`,
    host: new URL(checked.origin).host,
  };
}

/** One GET to the monitor; a warning where it does not answer with 2xx. The host is named, never the path. */
export async function sendHeartbeat(text: string, userAgent: string): Promise<readonly Diagnostic[]> {
  const { baseUrl, query, host } = requireHeartbeat(text);
  const transport = createHttpTransport({ baseUrl, concurrency: 1, limits: LIMITS });
  try {
    const { status } = await transport.send({
      method: 'GET',
      path: query,
      headers: { 'user-agent': userAgent },
    });
    return status >= 200 && status < 300 ? [] : [missed(host, `it answered with HTTP ${status}`)];
  } catch (error) {
    return [missed(host, error instanceof Error ? error.message : 'it did not answer')];
  } finally {
    await transport.close();
  }
}

function missed(host: string, why: string): Diagnostic {
  const said = problem(
    'heartbeat-failed',
    `the heartbeat did not reach ${host}: ${why}`,
    'The result of the command does not change. The monitor will report a missed run.',
  );
  return { ...said, severity: 'warning' };
}
