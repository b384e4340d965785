import { expect, test } from 'vitest';
import { matchesWildcard } from '../../src/core/model/wildcard.ts';
import fc from '../properties.ts';

/** The definition: every way to divide the text is tried. */
function matches(pattern: readonly string[], text: readonly string[], one: string | undefined): boolean {
  const [sign, ...signs] = pattern;
  const [character, ...characters] = text;
  if (sign === undefined) return character === undefined;
  if (sign === '*')
    return matches(signs, text, one) || (character !== undefined && matches(pattern, characters, one));
  return character !== undefined && (sign === character || sign === one) && matches(signs, characters, one);
}

/** Few letters, so that much of it matches; the last is two units, of which the first begins another one, too. */
const letters = fc.constantFrom('a', 'b', '*', '?', '.', '😀', '😁');

test('every pattern matches what its definition says', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 8 }),
      fc.array(letters, { maxLength: 9 }),
      fc.option(fc.constant('?'), { nil: undefined }),
      (pattern, text, one) => {
        expect(matchesWildcard(pattern.join(''), text.join(''), one)).toBe(matches(pattern, text, one));
      },
    ),
    { numRuns: 5_000 },
  );
});
