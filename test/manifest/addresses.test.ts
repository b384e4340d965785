import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { addressProblem } from '../../src/core/manifest/addresses.ts';
import fc from '../properties.ts';
import { WALLETS } from './samples.ts';

test('every 32 bytes are an address, and no other number of bytes is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 40 }), (bytes) => {
      expect(addressProblem(base58.encode(bytes)) === undefined).toBe(bytes.length === 32);
    }),
  );
});

test.each(['0', 'O', 'I', 'l', 'é'])(
  'names the letter %s and its position, repeats nothing and guesses nothing',
  (letter) => {
    const wallet = `${WALLETS[0].slice(0, 9)}${letter}${WALLETS[0].slice(10)}`;
    const problem = addressProblem(wallet);
    expect(problem).toMatchObject({
      index: 9,
      message: `"${letter}" at position 10 of ${wallet.length} is not a base58 character`,
    });
    expect(problem?.hint).not.toMatch(/perhaps|mean/);
  },
);

test.each([
  `https://solscan.io/account/${WALLETS[0]}`,
  `https://explorer.solana.com/address/${WALLETS[0]}?cluster=mainnet-beta`,
  `solscan.io/account/${WALLETS[0]}#portfolio`,
  `https://gmgn.ai/sol/address/me_${WALLETS[0]}`,
  `solana:${WALLETS[0]}`,
])('takes the address from the link %s', (link) => {
  expect(addressProblem(link)).toEqual({
    message: 'this is a link, not an address',
    hint: `write ${WALLETS[0]}`,
  });
});

test.each([
  ['of a token', `https://solscan.io/token/${WALLETS[0]}`],
  ['of a coin', `https://pump.fun/coin/${WALLETS[0]}`],
  ['of a pair', `https://dexscreener.com/solana/${WALLETS[0]}`],
  ['with two addresses', `https://example.com/${WALLETS[0]}/${WALLETS[1]}`],
  ['with a wrong address', `https://solscan.io/account/${WALLETS[0]}x`],
  ['without any', 'https://solscan.io/account/'],
])('takes no address from a link %s', (_, link) => {
  expect(addressProblem(link)?.hint).toBe('write the address of the wallet, without the link');
});

test('counts characters and bytes', () => {
  expect(addressProblem(WALLETS[0].slice(0, 31))?.message).toBe(
    '31 characters; a chain address has 32 to 44',
  );
  expect(addressProblem('z'.repeat(44))?.message).toBe('base58 of 33 bytes; a chain address is 32 bytes');
  expect(addressProblem('')?.message).toBe('the address is empty');
});

test('is case-sensitive', () => {
  expect(addressProblem(WALLETS[0])).toBeUndefined();
  expect(addressProblem(WALLETS[0].toUpperCase())?.message).toBe(
    '"O" at position 10 of 44 is not a base58 character',
  );
});

test('the smallest and the largest number of 32 bytes are addresses, their neighbours of 31 and 33 bytes are not', () => {
  const bytes = (length: number, first: number, rest: number) =>
    base58.encode(Uint8Array.from({ length }, (_, index) => (index === 0 ? first : rest)));
  for (const good of [bytes(32, 1, 0), bytes(32, 255, 255), bytes(32, 0, 255), bytes(32, 0, 0)])
    expect(addressProblem(good)).toBeUndefined();
  for (const bad of [bytes(31, 255, 255), bytes(33, 1, 0)])
    expect(addressProblem(bad)?.message).toMatch(/a chain address is 32 bytes$/);
});
