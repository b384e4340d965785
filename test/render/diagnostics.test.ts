import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { renderDiagnostic, renderDiagnostics } from '../../src/core/render/diagnostics.ts';
import { cells, painter } from '../../src/core/render/layout.ts';
import fc from '../properties.ts';

function at(line: number, column: number, length = 1): Diagnostic {
  return {
    severity: 'error',
    code: 'unknown-field',
    message: 'spec has no field colour',
    location: { file: 'a.yaml', line, column },
    length,
  };
}

function render(text: string, diagnostic: Diagnostic, { width = 80, color = false } = {}): string {
  return renderDiagnostic(diagnostic, { sources: new Map([['a.yaml', text]]), paint: painter(color), width });
}

test('code, place, line, caret and hint', () => {
  const diagnostic = { ...at(2, 3, 6), hint: 'did you mean color?', address: 'sniper/alpha' };
  expect(
    render('a: 1\n  colour: red\nb: 2\n', diagnostic),
  ).toBe(`error[unknown-field]: spec has no field colour
 --> a.yaml:2:3  sniper/alpha
2 |   colour: red
  |   ^^^^^^
   hint: did you mean color?`);
});

test('several diagnostics and their count', () => {
  const view = { sources: new Map([['a.yaml', 'x\n']]), paint: painter(false), width: 80 };
  const text = renderDiagnostics(
    [
      at(1, 1),
      { severity: 'warning', code: 'may-buy-again', message: 'it may buy again', address: 'sniper/a' },
      { severity: 'info', code: 'kind-not-visible', message: 'not read' },
    ],
    view,
  );
  expect(text).toBe(`error[unknown-field]: spec has no field colour
 --> a.yaml:1:1
1 | x
  | ^

warning[may-buy-again]: it may buy again
sniper/a

note[kind-not-visible]: not read

1 error, 1 warning, 1 note
`);
  expect(renderDiagnostics([], view)).toBe('');
});

test('a reason that many addresses share, at one place or at none, is said once', () => {
  const view = { sources: new Map(), paint: painter(false), width: 80 };
  const many = Array.from({ length: 48 }, (_, index) => ({
    ...at(1, 1),
    address: `sniper/t${index}`,
    message: `sniper/t${index}: config.tiers[${index}] is 90`,
  }));
  const text = renderDiagnostics(many, view);
  expect(text.match(/is 90/g)).toHaveLength(1);
  expect(text.replace(/\s+/g, ' ')).toContain(
    'and 47 more of these: sniper/t1, sniper/t2, sniper/t3, sniper/t4, sniper/t5 and 42 more; -o json names all',
  );
});

test('of those that differ only in their places five are shown, and all are counted', () => {
  const view = { sources: new Map(), paint: painter(false), width: 80 };
  const lines = (number: number) => Array.from({ length: number }, (_, index) => at(index + 1, 1));
  expect(renderDiagnostics(lines(5), view)).not.toContain('more');
  expect(
    renderDiagnostics([...lines(6), { ...at(7, 1), hint: 'another' }], view)
      .split('\n')
      .slice(-12),
  ).toEqual(
    [
      'error[unknown-field]: spec has no field colour',
      ' --> a.yaml:4:1',
      '',
      'error[unknown-field]: spec has no field colour',
      ' --> a.yaml:5:1',
      'and 1 more of these; -o json names all',
      '',
      'error[unknown-field]: spec has no field colour',
      ' --> a.yaml:7:1',
      '   hint: another',
      '',
      '7 errors',
      '',
    ].slice(-12),
  );
});

test('a file whose text is not available', () => {
  const view = { sources: new Map(), paint: painter(false), width: 80 };
  expect(renderDiagnostic(at(4, 2), view)).toBe(
    'error[unknown-field]: spec has no field colour\n --> a.yaml:4:2',
  );
});

describe('the caret is below the marked place', () => {
  /** The piece of the source line above the carets. */
  function marked(text: string, diagnostic: Diagnostic, width = 80): string {
    const [line = '', carets = ''] = render(text, diagnostic, { width }).split('\n').slice(-2);
    const from = carets.indexOf('^');
    const width_ = carets.length - from;
    let column = 0;
    let piece = '';
    for (const character of line) {
      if (column >= from && column < from + width_) piece += character;
      column += cells(character);
    }
    return piece;
  }

  test.each([
    ['tabs', '\t\tkey: value', 3, 3, 'key'],
    ['wide characters before it', '世界: value', 5, 5, 'value'],
    ['wide characters in it', 'a: 世界 b', 4, 2, '世界'],
    ['emoji', '\u{1f600}: x', 5, 1, 'x'],
    ['an escape before it', '\u001b[31m: x', 8, 1, 'x'],
    ['a bidi mark in it', 'a: x\u202ey', 4, 3, 'x\\u{202e}y'],
    ['combining marks', 'e\u0301e\u0301: x', 7, 1, 'x'],
  ])('%s', (_name, text, column, length, expected) => {
    expect(marked(text, at(1, column, length))).toBe(expected);
  });

  test('a long line is cut around it, and nothing is wider than the terminal', () => {
    const word = fc.stringMatching(/^[a-z世\t\u001b ]{0,200}$/);
    fc.assert(
      fc.property(
        word,
        fc.stringMatching(/^[A-Z]{1,12}$/),
        word,
        fc.constantFrom(40, 80, 120),
        (before, mark, after, width) => {
          const diagnostic = at(1, before.length + 1, mark.length);
          expect(marked(before + mark + after, diagnostic, width)).toBe(mark);
          for (const line of render(before + mark + after, diagnostic, { width }).split('\n'))
            expect(cells(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([40, 60, 80])('the marked text is complete in %d columns, and cuts have a sign', (width) => {
    const wallet = '9Rgb7bknTLWRVj3tJ4xUbFfy6HVd7zsAYhrQ';
    const line = `  target_wallet: ${wallet}     # one task per wallet, and some more words about it`;
    const shown = render(line, at(1, 18, wallet.length), { width: width + 4 })
      .split('\n')
      .at(-2);
    expect(shown).toContain(wallet);
    expect(shown).toMatch(/…$/);
    expect(marked(line, at(1, 18, wallet.length), width + 4)).toBe(wallet);
  });

  test('a mark that is wider than a line is cut with a sign', () => {
    const text = render(`a: ${'x'.repeat(100)} b`, at(1, 4, 100), { width: 40 });
    expect(text).toMatch(/^1 \| …x+……$/m);
    expect(text).toMatch(/^ {2}\| {2}\^{34}$/m);
  });

  test('a token in the line is starred, without moving the carets', () => {
    const line = 'remark: svc_live_0123abcd.secret-part # x';
    expect(marked(line, at(1, 9, 29))).toBe('svc_live_0123abcd.…');
    expect(render(line, at(1, 1))).not.toContain('secret');
  });

  test('at the end of a line, and beyond the end of the file', () => {
    expect(render('ab\n', at(1, 3))).toContain('1 | ab\n  |   ^');
    expect(render('ab', at(9, 1))).toBe('error[unknown-field]: spec has no field colour\n --> a.yaml:9:1');
    expect(render('ab\r\n', at(1, 1, 2))).toContain('1 | ab\n  | ^^');
  });
});

test('control and bidi characters of messages, hints and file names are escaped', () => {
  const diagnostic: Diagnostic = {
    ...at(1, 1),
    message: 'a\u001b[2Jb',
    hint: 'c\u202ed',
    location: { file: 'a\u0007.yaml', line: 1, column: 1 },
  };
  const text = render('', diagnostic);
  expect(text).toContain('a\\x1b[2Jb');
  expect(text).toContain('c\\u{202e}d');
  expect(text).toContain('a\\x07.yaml:1:1');
});

test('colour changes only the looks', () => {
  const coloured = render('colour: red\n', at(1, 1, 6), { color: true });
  expect(coloured).toContain('\u001b[');
  expect(coloured.replace(/\u001b\[[0-9;]*m/g, '')).toBe(render('colour: red\n', at(1, 1, 6)));
});

test('an address at the start of the message is not repeated', () => {
  const diagnostic: Diagnostic = {
    severity: 'error',
    code: 'digest-differs',
    message: 'sniper/a: moved',
    address: 'sniper/a',
  };
  expect(render('', diagnostic)).toBe('error[digest-differs]: sniper/a: moved');
});
