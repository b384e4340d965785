const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

type BaseUrlCheck =
  | { readonly ok: true; readonly url: string; readonly origin: string; readonly path: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Checks a base URL: https, or http on loopback; no credentials, query or fragment. `url` is normalised, without a
 * trailing slash. The problem never repeats the text, which may contain credentials.
 */
export function checkBaseUrl(text: string): BaseUrlCheck {
  if (/[\s\0-\x1f\x7f\\]/.test(text)) {
    return { ok: false, problem: 'it contains white space, a backslash or control characters' };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { ok: false, problem: 'it is not an absolute URL' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { ok: false, problem: 'it is not https' };
  // `https:host` parses too, but is never intended.
  if (!/^https?:\/\/[^/]/i.test(text)) return { ok: false, problem: 'it is not an absolute URL' };
  const [authority] = text.replace(/^[^/]*\/\//, '').split(/[/?#]/);
  if (url.username !== '' || url.password !== '' || authority?.includes('@') === true) {
    return { ok: false, problem: 'it contains credentials; the token has its own settings' };
  }
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) {
    return { ok: false, problem: 'it is http; only 127.0.0.1, localhost and [::1] need no https' };
  }
  if (text.includes('?') || text.includes('#')) return { ok: false, problem: 'it has a query or a fragment' };
  const path = url.pathname.replace(/\/+$/, '');
  return { ok: true, url: `${url.origin}${path}`, origin: url.origin, path };
}

/** True for this machine, which is never reached through a proxy. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
