import { expect, test } from 'vitest';
import { measure } from '../../src/core/manifest/source.ts';
import { MOST } from '../../src/core/model/bounds.ts';
import fc from '../properties.ts';

const PIECES = [
  '---',
  '\n---',
  '\n-- ',
  '-',
  '\n',
  '\r\n',
  'key: ',
  '[1, 2]',
  '{ a: "b" }',
  '# text',
  '\u00e9',
  '\u{1f600}',
  ' ',
];

test('a text counts the same alone and at the start of a longer one', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      // Two lines without a sign, short enough to be allowed.
      const rest = `\n${'a'.repeat(MOST.lineLength)}\n${'a'.repeat(MOST.lineLength)}`;
      const short = measure(text);
      expect(measure(text + rest)).toEqual({ ...short, tokens: short.tokens + 2 });
    }),
  );
});

test('a line that is too long is reported in a text of any length', () => {
  expect(measure('a'.repeat(MOST.lineLength)).excess).toBeUndefined();
  expect(measure('a'.repeat(MOST.lineLength + 1)).excess).toMatchObject({ at: 0 });
});
