/** The form of a token (interface, "Authentication"): a public prefix, a dot, and a secret of visible ASCII. */
const TOKEN = /^(svc_live_[a-f0-9]{8})\.([\x21-\x7e]+)$/;
const MAX_LENGTH = 1_024;

/** What people and programs give in place of a token, the first that fits. */
const INSTEAD: readonly (readonly [RegExp, problem: string])[] = [
  [/^$/, 'it is empty'],
  // Its bytes, read as UTF-8.
  [/^\ufffd{2}|^.\0.\0|^\0.\0./, 'it is UTF-16: save the file as UTF-8'],
  [/^(?:authorization:\s*)?bearer\b/i, 'it begins with “Bearer”: give only the token'],
  [/^[{[]/, 'it is JSON: give only the token that it contains'],
  [/^(?:export\s+)?[a-z_]\w*\s*=/i, 'it is a line of an .env file: give only what is behind the ='],
  [/^\$/, 'it is a reference that nothing replaced by its value'],
  [/^["'].*["']$/, 'it is enclosed in quotation marks'],
  [/[\r\n]/, 'it has more than one line'],
  [/\s/, 'it contains white space'],
  [/[^\x21-\x7e]/, 'it contains a character that no token has, perhaps one that is not visible'],
];

type TokenCheck =
  | { readonly ok: true; readonly token: string; readonly prefix: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Checks the form of a token. White space and a byte order mark at its ends, which editors and secret stores add, do not count.
 * The problem never repeats the text: it may be the right secret with a typing error.
 */
export function checkToken(text: string): TokenCheck {
  const token = text.trim();
  if (token.length > MAX_LENGTH) return { ok: false, problem: `it is longer than ${MAX_LENGTH} characters` };
  const prefix = TOKEN.exec(token)?.[1];
  if (prefix !== undefined) return { ok: true, token, prefix };
  const [, problem] = INSTEAD.find(([form]) => form.test(token)) ?? [];
  return { ok: false, problem: problem ?? 'a token is svc_live_, eight of 0-9 a-f, a dot and the secret' };
}

/** Where a project file says that the token is: an environment variable, or a file relative to the project file. */
export type TokenPlace = { readonly env: string } | { readonly file: string };
