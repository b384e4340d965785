import { describe, expect, it } from 'vitest';
import { maxBytesOf } from '../../../src/core/render/format.ts';
import {
  type Fitted,
  fitDocument,
  type MarkdownDocument,
  wholeDocument,
} from '../../../src/core/render/markdown/fit.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';

const DOCUMENT: MarkdownDocument = {
  head: '# Head',
  seeAll: 'See all.',
  sections: [
    { least: 'must', forms: [{ weight: 90, head: 'must, in many more words' }] },
    { name: 'the rest', forms: [{ weight: 10, head: 'rest '.repeat(30).trim() }] },
    {
      name: '9 rows',
      forms: [
        { weight: 80, head: 'names of 9' },
        {
          weight: 60,
          head: 'rows:',
          items: Array.from({ length: 9 }, (_item, index) => `- row ${index} ${'é'.repeat(20)}`),
          foot: 'end',
          rest: (left) => `- … and ${left} more`,
          misses: (left) => (left === 0 ? undefined : `${left} rows`),
        },
      ],
    },
  ],
};

const byteLength = (text: string) => Buffer.byteLength(text);
const textOf = (fitted: Fitted) => ('text' in fitted ? fitted.text : `needs ${fitted.needs}`);

describe('fitDocument', () => {
  it('is the whole document if there is room', () => {
    const all = wholeDocument(DOCUMENT);
    expect(textOf(fitDocument(DOCUMENT, byteLength(all)))).toBe(all);
    expect(all).not.toContain('Shortened');
    expect(textOf(fitDocument(DOCUMENT, byteLength(all) - 1))).toContain('Shortened');
  });

  it('is never longer than the limit, and assigns room by weight', () => {
    const vacuous = new Vacuous();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (maxBytes) => {
        const fitted = fitDocument(DOCUMENT, maxBytes);
        if (!('text' in fitted)) {
          expect(fitted.needs).toBeGreaterThan(maxBytes);
          return vacuous.add();
        }
        const { text } = fitted;
        expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
        expect(text).toMatch(/^# Head\n/);
        expect(text).toContain('must');
        // What weighs less has nothing while what weighs more is not there at all.
        if (text.includes('rest rest')) expect(text).toContain('- row 8');
        if (text.includes('rows:')) expect(text).toContain('in many more words');
        // A cut form counts what it lacks, at the place and in the note.
        const rows = text.match(/- row /g)?.length ?? 0;
        if (rows > 0 && rows < 9) {
          expect(text).toContain(`- … and ${9 - rows} more\nend`);
          expect(text).toContain(`${9 - rows} rows`);
        }
      }),
    );
    vacuous.expectAtMost(0.45, 100);
  });

  it('says how many bytes it takes at least, and they are enough', () => {
    const fitted = fitDocument(DOCUMENT, 20);
    const needs = 'needs' in fitted ? fitted.needs : 0;
    expect(needs).toBeGreaterThan(20);
    expect(textOf(fitDocument(DOCUMENT, needs))).toContain('must');
    expect(fitDocument(DOCUMENT, needs - 1)).toMatchObject({ needs: expect.any(Number) });
  });

  it('says what is left out and where to see it', () => {
    const fitted = fitDocument(DOCUMENT, 1);
    const needs = 'needs' in fitted ? fitted.needs : 0;
    expect(textOf(fitDocument(DOCUMENT, needs))).toBe(
      `# Head\n\n> **Shortened to ${needs} bytes**, left out: the rest; 9 rows. See all.\n\nmust\n`,
    );
  });
});

describe('maxBytesOf', () => {
  it.each([
    ['github-comment', 65_536],
    ['step-summary', 1_048_576],
    ['gitlab-note', 1_000_000],
    ['5000', 5_000],
    ['0', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['', undefined],
    ['toString', undefined],
  ])('%s', (text, bytes) => {
    expect(maxBytesOf(text)).toBe(bytes);
  });
});
