/** The form of a token (interface, "Authentication"): a public prefix, a dot, and a secret of visible ASCII. */
const TOKEN = /^(svc_live_[a-f0-9]{8})\.([\x21-\x7e]+)$/;
const MAX_LENGTH = 1_024;

type TokenCheck =
  | { readonly ok: true; readonly token: string; readonly prefix: string }
  | { readonly ok: false; readonly problem: string };

/** Checks the form of a token. The problem never repeats the text: it may be the right secret with a typing error. */
export function checkToken(text: string): TokenCheck {
  if (text === '') return { ok: false, problem: 'it is empty' };
  if (text.length > MAX_LENGTH) return { ok: false, problem: `it is longer than ${MAX_LENGTH} characters` };
  if (/\s/.test(text)) return { ok: false, problem: 'it contains white space or a line break' };
  if (/[\0-\x1f\x7f]/.test(text)) return { ok: false, problem: 'it contains control characters' };
  if (/^["'].*["']$/.test(text)) return { ok: false, problem: 'it is enclosed in quotation marks' };
  if (/^bearer/i.test(text)) return { ok: false, problem: 'it begins with “Bearer”: give only the token' };
  const match = TOKEN.exec(text);
  const prefix = match?.[1];
  if (prefix === undefined) {
    return { ok: false, problem: 'a token is svc_live_, eight of 0-9 a-f, a dot and the secret' };
  }
  return { ok: true, token: text, prefix };
}

/** The text of a token file without the one trailing line break that editors and `echo` add. */
export function tokenFromFile(text: string): string {
  return text.replace(/\r?\n$/, '');
}
