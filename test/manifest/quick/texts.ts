import fc from 'fast-check';

const WORDS = [
  'a',
  'b',
  'x y',
  '"q"',
  "'s'",
  '1',
  '0.50',
  '-1',
  '+1',
  '.5',
  '1e3',
  '007',
  '0x1',
  'true',
  'null',
  'NULL',
  '~',
  '',
  'é',
  '😀',
  '\u00a0',
  '\u2028',
  'a:b',
  'a#b',
  ':x',
  '-x',
  '?x',
  '"a: b"',
  "'# no'",
  "it's",
  'a "b"',
  '"\\n"',
  "''",
  '""',
  '${var.x}',
  'a - b',
  'http://x.y/z',
  'x]',
  '{}',
  '[]',
  '...',
  '---',
  '-',
  '=',
  '<<',
  '%x',
  '@x',
  '`x',
  '|',
  '>-',
  '&a',
  '*a',
  '!t',
];
const SIGNS = [
  ...WORDS,
  'a: ',
  'b:',
  'c:\n',
  '- ',
  '- - ',
  '\n',
  '\n',
  '\n  ',
  '\n  ',
  '\n    ',
  '\r\n',
  '\r',
  '\t',
  '{',
  '}',
  '[',
  ']',
  ', ',
  ',',
  ': ',
  ':',
  '::',
  ' #c',
  '#c',
  ' #',
  '? ',
  '?',
  ' ',
  '  ',
  '---\n',
  '\n---\n',
  '--- ',
  '...\n',
  '|\n',
  '{ ',
  ' }',
  '{a: 1}',
  '[b, c]',
  '\n- ',
  '\n  - ',
  '\nk: ',
  '\n  k: ',
  '"',
  "'",
  '&',
  '*',
  '!',
  '\\n',
  '\ud800',
  '\ufeff',
  'constructor: ',
  '__proto__: ',
  '10: ',
];

/** Up to eight signs. */
export const tokens = fc.array(fc.constantFrom(...SIGNS), { maxLength: 8 }).map((parts) => parts.join(''));

const word = fc.constantFrom(...WORDS);
const space = fc.constantFrom('', '', ' ', ' ', '  ', '\n  ', '\n', ' # c\n  ', '\n# c\n ', '\r\n   ');
const colon = fc.constantFrom(':', ': ', ': ', ': ', ' : ', '');
const key = fc.constantFrom('a', 'b', 'c', '"e"', "'f'", 'g h', '1', 'i.j', 'k-l');
const lineEnd = fc.constantFrom(
  '\n',
  '\n',
  '\n',
  '\r\n',
  ' \n',
  ' # c\n',
  '\n\n',
  '\n# c\n',
  '\n   # c\n',
  '#x\n',
);

const { flow } = fc.letrec<{ flow: string; items: string; pairs: string }>((tie) => ({
  flow: fc.oneof({ depthSize: 'small', withCrossShrink: true }, word, tie('items'), tie('pairs')),
  items: fc
    .tuple(space, fc.array(fc.tuple(tie('flow'), space), { maxLength: 3 }), fc.constantFrom(',', ''))
    .map(([before, items, last]) => `[${before}${items.map((parts) => parts.join('')).join(',')}${last}]`),
  pairs: fc
    .tuple(
      space,
      fc.array(fc.tuple(key, colon, space, tie('flow'), space), { maxLength: 3 }),
      fc.constantFrom(',', ''),
    )
    .map(([before, pairs, last]) => `{${before}${pairs.map((parts) => parts.join('')).join(',')}${last}}`),
}));

type Lines = (indent: string) => string;
const leaf: fc.Arbitrary<Lines> = fc
  .tuple(fc.constantFrom(' ', ' ', ' ', '  ', ''), fc.oneof(word, flow), lineEnd)
  .map((parts) => () => parts.join(''));

const { lines } = fc.letrec<{ lines: Lines; nested: Lines; entries: Lines; items: Lines }>((tie) => ({
  lines: fc.oneof(tie('entries'), tie('entries'), tie('items')),
  nested: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(lineEnd, fc.constantFrom('', ' ', '  ', '  ', '  ', '    '), tie('lines')).map(
      ([end, more, below]): Lines =>
        (indent) =>
          end + below(indent + more),
    ),
  ),
  entries: fc
    .array(fc.tuple(key, fc.constantFrom(':', ':', ':', ':', ' :', ''), tie('nested')), {
      minLength: 1,
      maxLength: 3,
    })
    .map(
      (all): Lines =>
        (indent) =>
          all.map(([name, sign, value]) => indent + name + sign + value(indent)).join(''),
    ),
  items: fc
    .array(
      fc.oneof(
        tie('nested').map(
          (value): Lines =>
            (indent) =>
              `-${value(indent)}`,
        ),
        tie('entries').map(
          (value): Lines =>
            (indent) =>
              `- ${value(`${indent}  `).trimStart()}`,
        ),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map(
      (all): Lines =>
        (indent) =>
          all.map((item) => indent + item(indent)).join(''),
    ),
}));

/** Documents of blocks, most of them right. */
export const block = fc
  .tuple(
    fc.constantFrom('', '', '---\n', '--- ', '# c\n'),
    lines,
    fc.constantFrom('', '', '---\n', '...\n', '--- # x\n'),
    lines,
  )
  .map(([start, first, between, second]) => start + first('') + (between === '' ? '' : between + second('')));
