import { base58 } from '@scure/base';

interface AddressProblem {
  readonly message: string;
  readonly hint?: string;
  /** Index of the wrong letter. */
  readonly index?: number;
}

const ALPHABET = /[^1-9A-HJ-NP-Za-km-z]/u;
const BYTES = 32;
/**
 * The smallest and the largest number that has 32 bytes without a leading zero. The letters of base58 are in the order of their
 * codes, so numbers of one length compare like texts. Nearly all addresses lie in between, and decoding takes much longer.
 */
const LEAST = base58.encode(Uint8Array.from({ length: BYTES }, (_, index) => Number(index === 0)));
const MOST = base58.encode(new Uint8Array(BYTES).fill(255));
/** The form of an Ethereum address. YAML reads it as a number. */
export const ETHEREUM_ADDRESS = /^0x[0-9a-f]{40}$/i;
export const ETHEREUM_HINT =
  '0x and 40 digits is an address of another chain; a Solana address is base58, 32 to 44 characters';

/**
 * Why a text is not a chain address: it must be base58 of exactly 32 bytes, 32 to 44 characters (interface, "Conventions that
 * apply to every write body"). Undefined for a valid one.
 */
export function addressProblem(text: string): AddressProblem | undefined {
  if (text === '') return { message: 'the address is empty' };
  if (ETHEREUM_ADDRESS.test(text)) return { message: 'this is not a Solana address', hint: ETHEREUM_HINT };
  const bad = ALPHABET.exec(text);
  const parts = text.split(/[\s,;]+/);
  if (parts.length > 1 && parts.every((part) => addressProblem(part) === undefined))
    return { message: `${parts.length} addresses in one text`, hint: 'a list has one address an item' };
  if (bad !== null && /[/:]/.test(text))
    return { message: 'this is a link, not an address', hint: linkHint(text) };
  if (bad !== null) return wrongLetter(bad[0], bad.index, text);
  if (text.length < 32 || text.length > 44) {
    return {
      message: `${text.length} characters; a chain address has 32 to 44`,
      hint: 'copy the whole address',
    };
  }
  if ((text.length === 43 && text >= LEAST) || (text.length === 44 && text[0] !== '1' && text <= MOST))
    return undefined;
  const bytes = base58.decode(text).length;
  if (bytes === BYTES) return undefined;
  return {
    message: `base58 of ${bytes} bytes; a chain address is ${BYTES} bytes`,
    hint: 'a character is missing, extra or wrong',
  };
}

/** Links hold the address of a wallet, of a token, a pair or a program, or none: only an account page is of a wallet. */
function linkHint(link: string): string {
  const held = new Set(link.split(/[^0-9A-Za-z]/).filter((part) => addressProblem(part) === undefined));
  return held.size === 1 && /^solana:|[/](?:account|address|profile)[/]/.test(link)
    ? `write ${[...held][0]}`
    : 'write the address of the wallet, without the link';
}

/** The right letter is never guessed: an address that is nearly right belongs to somebody else. */
function wrongLetter(letter: string, index: number, text: string): AddressProblem {
  const shown = letter.trim() === '' ? 'white space' : JSON.stringify(letter);
  return {
    // The text is not repeated: an address with one wrong letter still identifies the wallet.
    message: `${shown} at position ${index + 1} of ${text.length} is not a base58 character`,
    hint: 'base58 uses the digits 1 to 9 and all letters except O, I and l; copy the address again from its source',
    index,
  };
}
