import { usage } from '../diagnostics/diagnostic.ts';
import type { HttpProxy } from '../ports/transport.ts';

/** The proxy that the environment names. Fails (exit 3) for one that cannot be used, without repeating it. */
export function proxyIn(env: Readonly<Record<string, string | undefined>>): HttpProxy | undefined {
  const text = (env.https_proxy ?? env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;
  const url = text.includes('://') ? text : `http://${text}`;
  if (!isProxy(url))
    throw usage(
      'HTTPS_PROXY does not name a proxy',
      'Write http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT.',
    );
  return { url, except: env.no_proxy ?? env.NO_PROXY ?? '' };
}

function isProxy(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    decodeURIComponent(username + password);
    return protocol === 'http:' || protocol === 'https:';
  } catch {
    return false;
  }
}
