import fc from '../../properties.ts';

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

const usualKey = fc.constantFrom('a', 'b', 'c', 'i.j', 'k-l', 'm_n', '$o', '5Q');
const usualWord = fc.constantFrom(
  ...[
    'a',
    'x y',
    '0.50',
    '-1',
    '1',
    '"q: r"',
    "'s # t'",
    '""',
    'true',
    'null',
    'é',
    '😀 up',
    "it's",
    'a#b',
    'a "b"',
  ],
  ...[
    'http://x.y/z',
    '1.',
    '.5',
    '1e3',
    '007',
    '1_000',
    'True',
    'a - b',
    'x:y',
    'a,b',
    'b]',
    'c}',
    '<d',
    '=',
    'a &b *c !d',
  ],
);
const usualFlowWord = fc.constantFrom(
  'a',
  'x y',
  '0.50',
  '-1',
  '"q, r"',
  "'s]'",
  'false',
  'null',
  '2',
  'é',
  'a#b',
  '$x',
  '1-2',
);
const usualSpace = fc.constantFrom('', ' ', ' ', '  ');
const usualEnd = fc.constantFrom(
  '\n',
  '\n',
  '\n',
  ' # c\n',
  '  \n',
  '\n\n',
  '\n# c: d\n',
  '\n      # - e\n',
  '\r\n',
);

const { usualFlow } = fc.letrec<{ usualFlow: string; items: string; pairs: string }>((tie) => ({
  usualFlow: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    usualFlowWord,
    tie('items'),
    tie('pairs'),
  ),
  items: fc
    .array(fc.tuple(usualSpace, tie('usualFlow'), usualSpace), { maxLength: 3 })
    .map((items) => `[${items.map((parts) => parts.join('')).join(',')}]`),
  pairs: fc
    .tuple(
      usualSpace,
      fc.array(fc.tuple(usualKey, fc.constant(': '), tie('usualFlow'), usualSpace), { maxLength: 3 }),
    )
    .map(([space, pairs]) => `{${space}${pairs.map((parts) => parts.join('')).join(', ')}}`),
}));

const { usualEntries } = fc.letrec<{ value: Lines; usualEntries: Lines; items: Lines }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(fc.constantFrom(' ', '  '), fc.oneof(usualWord, usualFlow), usualEnd).map(
      (parts): Lines =>
        () =>
          parts.join(''),
    ),
    usualEnd.map(
      (end): Lines =>
        () =>
          end,
    ),
    fc.tuple(usualEnd, fc.constantFrom(' ', '  ', '    '), fc.oneof(tie('usualEntries'), tie('items'))).map(
      ([end, more, below]): Lines =>
        (indent) =>
          end + below(indent + more),
    ),
    fc.tuple(usualEnd, tie('items')).map(
      ([end, below]): Lines =>
        (indent) =>
          end + below(indent),
    ),
  ),
  usualEntries: fc.array(fc.tuple(usualKey, tie('value')), { minLength: 1, maxLength: 4 }).map(
    (all): Lines =>
      (indent) =>
        all.map(([name, value], at) => `${indent}${name}${at}:${value(indent)}`).join(''),
  ),
  items: fc
    .array(fc.tuple(usualSpace, fc.oneof(usualWord, usualFlow, tie('usualEntries')), usualEnd), {
      minLength: 1,
      maxLength: 3,
    })
    .map(
      (all): Lines =>
        (indent) =>
          all
            .map(([space, item, end]) =>
              typeof item === 'string'
                ? `${indent}- ${space}${item}${end}`
                : `${indent}- ${space}${item(`${indent}  ${space}`).trimStart()}`,
            )
            .join(''),
    ),
}));

/** Documents as manifests are written: in most of them nothing is wrong. */
export const usual = fc
  .array(usualEntries, { minLength: 1, maxLength: 2 })
  .map((documents) => documents.map((entries) => entries('')).join('---\n'));
