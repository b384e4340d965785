import { base58, base64url } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { mayHoldAddress, Redactor } from '../../src/render/masking/wallets.ts';
import fc from '../properties.ts';

const A = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const B = '9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E';
const SYSTEM = '1'.repeat(32);

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));
/** Without the digit that base58 does not have, and with the ones that make it long: as near to an address as a commit gets. */
const unluckyHex = (length: number) =>
  fc
    .tuple(
      fc.nat(length),
      fc.array(fc.constantFrom(...'123456789abcdef'), { minLength: length, maxLength: length }),
    )
    .map(([ones, digits]) => '1'.repeat(ones) + digits.slice(ones).join(''));
const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes));

describe('addresses', () => {
  it('become the names of the wallet book, or numbers in order of first appearance', () => {
    const redactor = new Redactor();
    redactor.learn(new Map([['whale-7', A]]));
    expect(redactor.text(`${B} follows ${A}, and ${B} ${SYSTEM}`)).toBe(
      'wallet-1 follows whale-7, and wallet-1 wallet-2',
    );
  });

  it('with two names have the first in the alphabet, and no number that is a name', () => {
    const redactor = new Redactor();
    redactor.learn(
      new Map([
        ['zulu', A],
        ['alpha', A],
        ['wallet-1', SYSTEM],
      ]),
    );
    expect(redactor.text(`${A} ${B} ${SYSTEM}`)).toBe('alpha wallet-2 wallet-1');
  });

  it('are found wherever 32 bytes of base58 are between other characters', () => {
    fc.assert(
      fc.property(
        address,
        fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[0-9A-Za-z]/g, '-')),
        fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[0-9A-Za-z…]/g, '_')),
        (wallet, before, after) => {
          expect(new Redactor().text(before + wallet + after)).toBe(`${before}wallet-1${after}`);
        },
      ),
    );
  });

  it('are found behind escapes, colours and in URLs', () => {
    const texts = [
      `\\n${A}`,
      `\\u000a${A}`,
      `\x1b[31m${A}\x1b[0m`,
      `%0A${A}`,
      `/x/${A}?cursor=`,
      `${A}.yaml`,
    ];
    for (const text of texts) expect(new Redactor().text(text)).toBe(text.replace(A, 'wallet-1'));
  });

  it('are found between other letters if they are known', () => {
    const redactor = new Redactor();
    redactor.know([{ deep: `target: ${A}` }]);
    expect(redactor.text(`copyOf${A}AndMore${A}`)).toBe('copyOfwallet-1AndMorewallet-1');
    expect(redactor.text(`twice${A}${A}`)).toBe('twicewallet-1wallet-1');
  });

  it('are found in a document that contains them in another place as well', () => {
    const document = { remark: `0of${A}`, target_wallet: A, [B]: null, list: [B, 1, true, null] };
    const text = JSON.stringify(new Redactor().document(document));
    expect(text).not.toContain(A.slice(0, 8));
    expect(text).not.toContain(B.slice(0, 8));
    expect(JSON.parse(text)).toEqual({
      remark: '0ofwallet-1',
      target_wallet: 'wallet-1',
      'wallet-2': null,
      list: ['wallet-2', 1, true, null],
    });
  });

  it('that are known are hidden in part as well, because a remark has no room for a whole one', () => {
    const redactor = new Redactor();
    redactor.learn(new Map([['whale', A]]));
    redactor.know(SYSTEM);
    for (const part of [
      A.slice(0, 30),
      A.slice(5, 13),
      A.slice(-8),
      `x${A.slice(1, 31)}`,
      `${A.slice(0, 12)}Etc`,
    ])
      expect(redactor.text(`copies ${part}`)).toBe('copies whale');
    expect(redactor.text(`${A.slice(0, 12)}…${A.slice(-8)}`)).toBe('whale…whale');
    for (const other of [A.slice(0, 7), '11111111', A.slice(0, 12).toLowerCase(), B.slice(0, 31)])
      expect(redactor.text(`copies ${other}`)).toBe(`copies ${other}`);
  });

  it('that are damaged are hidden as well, and so is the beginning of a cut one', () => {
    const redactor = new Redactor();
    for (const damaged of [
      `${A.slice(0, 20)}0${A.slice(21)}`,
      `${A}xx`,
      A.slice(0, 40),
      `${A.slice(0, 40)}…`,
    ]) {
      expect(redactor.text(damaged)).toMatch(/^wallet-\d…?$/);
    }
    redactor.learn(new Map([['whale', A]]));
    expect(redactor.text(`["${B}","${A.slice(0, 9)}…`)).toMatch(/^\["wallet-\d","whale…$/);
    expect(redactor.text('7xKXu…, high-risk…')).toBe('7xKXu…, high-risk…');
  });

  it('leave nothing in the text, and the same text gives the same result', () => {
    const piece = fc.oneof(address, hex(40), fc.string(), fc.constantFrom(' ', '\\n', '…', 'name', '%2F'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const redactor = new Redactor();
        redactor.know(pieces);
        const once = redactor.text(text);
        for (const wallet of pieces.filter((item) => base58Bytes(item) === 32))
          expect(once).not.toContain(wallet);
        expect(redactor.text(text)).toBe(once);
      }),
    );
  });
});

describe('what only looks like an address stays', () => {
  const stays = (text: string): void => {
    expect(new Redactor().text(text)).toBe(text);
  };

  it.each([
    ['a commit', hex(40)],
    ['a commit that base58 could read', unluckyHex(40)],
    ['a SHA-256 digest, an idempotency key', hex(64)],
    ['a digest that base58 could read', unluckyHex(64)],
    ['the beginning of a digest', hex(12)],
    ['an id', fc.uuid()],
    ['a transaction', fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => base58.encode(bytes))],
    ['an amount', fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String)],
    ['a name', fc.stringMatching(/^[a-z0-9-]{1,24}$/)],
    ['a field', fc.stringMatching(/^[a-z]{1,20}(_[a-z]{1,20}){0,4}(\[[0-9]{1,2}\])?$/)],
  ])('%s', (_what, texts) => {
    fc.assert(fc.property(texts, stays), { numRuns: 500 });
  });

  it('a cursor, which is longer', () => {
    const cursor = fc
      .uint8Array({ minLength: 60, maxLength: 90 })
      .map((bytes) => base64url.encode(bytes).replace(/[-_]/g, 'x'));
    fc.assert(fc.property(cursor, stays), { numRuns: 500 });
  });

  it('values that are no text', () => {
    const document = { a: 1, b: [true, null, 1.5], c: {} };
    expect(new Redactor().document(document)).toEqual(document);
  });
});

it('a source line with a long word of more than small letters may contain an address', () => {
  for (const line of [`  target_wallet: ${A}`, `x,${A.slice(0, 22)} ${A.slice(22)}`, `- ${A.slice(0, 30)}`])
    expect(mayHoldAddress(line)).toBe(true);
  for (const line of [
    '  buy_config_universal: { tip_amount: "0.0001" }',
    'id: 5e0c9a1e-3b2f-4c1d-9e8f-0a1b2c3d4e5f',
    '',
  ])
    expect(mayHoldAddress(line)).toBe(false);
});

function base58Bytes(text: string): number | undefined {
  try {
    return base58.decode(text).length;
  } catch {
    return undefined;
  }
}
