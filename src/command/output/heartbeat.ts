import { type Diagnostic, usage, warning } from '../../diagnostics/diagnostic.ts';
import { type OutsideUrl, outsideUrl, sendOutside } from './outside.ts';

/** Fails (exit 3) for an unusable URL. The error does not repeat the URL, which may be a secret. */
export function requireHeartbeat(text: string): OutsideUrl {
  const url = outsideUrl(text);
  if (!('problem' in url)) return url;
  const hint = 'Use the https URL that your monitor shows, for example https://monitor.example/ping/ID.';
  throw usage(`the heartbeat URL cannot be used: ${url.problem}`, hint);
}

/** Sends one GET to the monitor. Any answer other than 2xx becomes a warning, which names the host but never the path. */
export async function sendHeartbeat(text: string): Promise<readonly Diagnostic[]> {
  const url = requireHeartbeat(text);
  const why = await sendOutside(url, { method: 'GET' });
  if (why === undefined) return [];
  const message = `the heartbeat did not reach ${url.host}: ${why}`;
  const hint = 'The result of the command does not change. The monitor will report a missed run.';
  return [warning('heartbeat-failed', message, hint)];
}
