/** Base58 of 64 bytes: a private key, or a signature. */
const BASE58 = /\b[1-9A-HJ-NP-Za-km-z]{85,90}\b/g;
const HEX = /\b(?:0x)?(?:[0-9A-Fa-f]{64}){1,2}\b/;
const bytes = (least: number) => `(?:\\b\\d{1,3}\\s*,\\s*){${least - 1},}\\d{1,3}\\b`;
const WHOLE = new RegExp(`${BASE58.source}|${HEX.source}|${bytes(32)}`, 'g');
/** A line can have a part of the bytes. */
const PART = new RegExp(`${BASE58.source}|${HEX.source}|${bytes(8)}`, 'g');
/** Far enough to see a whole list of bytes. */
const AROUND = 400;

/** True if a range of the text is in, or holds, what looks like a private key. */
export function holdsPrivateKey(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - AROUND);
  return [...text.slice(from, end + AROUND).matchAll(WHOLE)].some(
    ({ 0: { length }, index }) => from + index < Math.max(end, start + 1) && start < from + index + length,
  );
}

/** The text with stars in place of private keys: as many, so that columns stay aligned. */
export function starKeys(text: string): string {
  return text.replace(PART, (key) => '*'.repeat(key.length));
}

/** A finished text without private keys. Digests are hexadecimal as well, so only base58 is hidden. */
export function maskKeys(text: string): string {
  return text.length < 85 ? text : text.replace(BASE58, '(key)');
}
