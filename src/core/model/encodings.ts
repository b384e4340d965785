/** Bits of one base64 character. */
const BITS = 6;

/**
 * The forms in which programs pass a text on: plain, in JSON (also with every character escaped), in a URL (likewise),
 * in hexadecimal, and in base64 (both alphabets). Base64 depends on the text before: for each of the three alignments,
 * these are the characters that depend on this text alone.
 */
export function encodingsOf(text: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(text)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const base64 = [0, 1, 2].map((before) => {
    const whole = btoa(String.fromCharCode(...Array<number>(before).fill(0), ...bytes));
    return whole.slice(Math.ceil((before * 8) / BITS), Math.floor(((before + bytes.length) * 8) / BITS));
  });
  const url = [
    encodeURI(text),
    encodeURIComponent(text),
    strictly(text),
    hex.map((byte) => `%${byte.toUpperCase()}`).join(''),
  ];
  const escaped = Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
  return [
    ...new Set([
      text,
      JSON.stringify(text).slice(1, -1),
      escaped,
      escaped.replace(/[0-9a-f]{4}/g, (code) => code.toUpperCase()),
      ...url,
      ...url.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
      hex.join(''),
      hex.join('').toUpperCase(),
      ...base64,
      ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ];
}

/** Strict RFC 3986: `encodeURIComponent` leaves five of the reserved characters unescaped. */
function strictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
