/** Shared by all files, because creating a decoder takes longer than decoding a short file. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** What stands for bytes that are not UTF-8, and its own bytes. */
const REPLACEMENT = '\ufffd';
const OWN = [0xef, 0xbf, 0xbd];

/** The text of a file, or the byte offset of the first byte that is not UTF-8. A byte order mark is kept. */
export function decodeUtf8(
  bytes: Uint8Array,
): { readonly text: string } | { readonly invalidAt: number; readonly before: string } {
  try {
    return { text: STRICT.decode(bytes) };
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    let offset = 0;
    for (let from = 0; ; ) {
      const at = text.indexOf(REPLACEMENT, from);
      offset += new TextEncoder().encode(text.slice(from, at)).length;
      // The file itself may hold that character.
      if (OWN.some((byte, index) => bytes[offset + index] !== byte))
        return { invalidAt: offset, before: text.slice(0, at) };
      offset += OWN.length;
      from = at + 1;
    }
  }
}
