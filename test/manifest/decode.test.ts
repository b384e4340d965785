import { expect, test } from 'vitest';
import { decodeUtf8 } from '../../src/core/manifest/decode.ts';
import fc from '../properties.ts';

test('every text is decoded unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(decodeUtf8(new TextEncoder().encode(text))).toEqual({ text });
    }),
  );
});

test('points at the first wrong byte', () => {
  const good = new TextEncoder().encode('añ世😀x');
  fc.assert(
    fc.property(
      fc.constantFrom(0xff, 0xc0, 0x80, 0xe9),
      fc.constantFrom('', 'a', 'ñ', '世', '😀'),
      fc.constantFrom('', 'abc', '世'),
      (byte, before, after) => {
        const head = [...good, ...new TextEncoder().encode(before)];
        // A lead byte is only wrong together with what follows, and it is still the place.
        const tail = [...new TextEncoder().encode(after === '' ? 'z' : after)];
        expect(decodeUtf8(Uint8Array.from([...head, byte, ...tail]))).toEqual({
          invalidAt: head.length,
          before: `añ世😀x${before}`,
        });
      },
    ),
  );
});

test('an incomplete character at the end', () => {
  expect(decodeUtf8(new TextEncoder().encode('ab世').subarray(0, 4))).toEqual({ invalidAt: 2, before: 'ab' });
});
