import { bareName, matchesAddress } from '../model/address.ts';
import { refuseWords, unmatched } from './meant.ts';

/** True if a word names it: by its address or its name alone, with `*` for any text, or by its id. */
export function isNamedBy(word: string, address: string, id: string | null = null): boolean {
  return [address, bareName(address)].some((name) => matchesAddress(word, name)) || word.toLowerCase() === id;
}

/** What the words name; all, without words. Fails (exit 3) for a word that names nothing of what is known. */
export function chooseNamed(
  words: readonly string[],
  known: readonly { readonly address: string; readonly id?: string }[],
  where: string,
): (address: string, id?: string) => boolean {
  refuseWords(
    words.filter((word) => !known.some(({ address, id }) => isNamedBy(word, address, id))),
    (word) =>
      unmatched(
        word,
        `nothing ${where}`,
        known.map(({ address }) => address),
      ),
  );
  return (...one) => words.length === 0 || words.some((word) => isNamedBy(word, ...one));
}
