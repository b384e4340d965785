import type { FindingsDocument, FormatFinding } from '../../../src/core/render/finding.ts';
import fc from '../../properties.ts';

/** What breaks out of one format or another (HAZARDS 48). */
const NASTY = [
  '::set-output name=a::b',
  '\n::error::x',
  '\r::warning::y',
  '##[set-output name=a]b',
  ']]>',
  '</failure><failure>',
  '<!-- -->',
  '&amp;&#10;<x a="1">',
  'a & b &c',
  '"\'`',
  '\u0000\u0001\u001b[31m\u007f\u0085',
  '\ufffe\uffff',
  '\ud800',
  '\udc00',
  '\u202e\u2066\u200d',
  '%0A%25,:;=',
  '[x](https://example.invalid)',
  '{0} {{1}}',
  '@somebody #1 !2 ~label',
  'a,line=1::b',
  '🎈',
];

/** Text of others: any characters, lone surrogates too, with pieces of syntax among them. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...NASTY),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));

/** A path of a file system: no NUL, no empty segment, neither `.` nor `..`. */
const hostilePath = fc
  .array(
    hostileText
      .map((text) => text.replace(/[/\u0000]/g, ''))
      .filter((text) => !['', '.', '..'].includes(text)),
    { minLength: 1, maxLength: 3 },
  )
  .map((segments) => segments.join('/'));

const location = fc.record({
  file: hostilePath,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 999 }),
});

export const hostileFinding: fc.Arbitrary<FormatFinding> = fc.record(
  {
    rule: fc.constantFrom('invalid-value', 'wrong-type', 'drift/changed', 'toString'),
    level: fc.constantFrom('error', 'warning', 'note'),
    message: hostileText,
    hint: hostileText,
    address: hostileText,
    location,
    fingerprint: hostileText,
  },
  { requiredKeys: ['rule', 'level', 'message'] },
);

export const hostileDocument: fc.Arbitrary<FindingsDocument> = fc.record(
  {
    command: fc.constantFrom('validate', 'plan', 'drift'),
    exitCode: fc.constantFrom(0, 1, 2, 3, 4),
    findings: fc.array(hostileFinding, { maxLength: 8 }),
    rules: fc.constant(new Map([['drift/changed', 'Somebody changed it.']])),
    completed: fc.boolean(),
    version: fc.constant('0.1.0'),
    root: fc.record({ folder: fc.oneof(fc.constant(''), hostilePath), projectFile: fc.constant('p.yaml') }),
  },
  { requiredKeys: ['command', 'exitCode', 'findings', 'rules'] },
);

export function documentOf(
  findings: readonly FormatFinding[],
  more: Partial<FindingsDocument> = {},
): FindingsDocument {
  return { command: 'validate', exitCode: 3, findings, rules: new Map(), ...more };
}

export function errorAt(file: string, line: number, more: Partial<FormatFinding> = {}): FormatFinding {
  return {
    rule: 'invalid-value',
    level: 'error',
    message: 'spec.state: "on" is not allowed',
    location: { file, line, column: 5 },
    ...more,
  };
}
