/** Shared by all files, because creating a decoder takes longer than decoding a short file. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file, or the byte offset of the first byte that is not UTF-8. A byte order mark is kept. */
export function decodeUtf8(
  bytes: Uint8Array,
): { readonly text: string } | { readonly invalidAt: number; readonly before: string } {
  try {
    return { text: STRICT.decode(bytes) };
  } catch {
    const invalidAt = firstInvalid(bytes);
    return {
      invalidAt,
      before: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, invalidAt)),
    };
  }
}

/** Bisects: every prefix before the bad byte decodes if an unfinished last character is ignored. */
function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isPrefixValid(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return startOfCharacter(bytes, good);
}

function isPrefixValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Goes back over the continuation bytes of an unfinished character. */
function startOfCharacter(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at > 0 && offset - at < 3 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at -= 1;
  const lead = bytes[at - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > 1 && at - 1 + length > offset ? at - 1 : offset;
}
