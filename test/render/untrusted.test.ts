import { describe, expect, it } from 'vitest';
import { maskTokens, visible } from '../../src/core/render/untrusted.ts';
import fc from '../properties.ts';
import { planWith } from './hostile-plan.ts';
import { planText } from './laid-out.ts';

/** What must never reach a terminal from outside. */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const HOSTILE = [
  '\x1b[2J\x1b[31mred',
  '\x1b]8;;https://evil.invalid\x07click\x1b]8;;\x07',
  'a\rb',
  'a\nb',
  'bell\x07',
  '\x9b31m',
  '\u202egpj.exe',
  'zero\u200bwidth\u200d',
  '\u2066isolated\u2069',
  'tag\u{e0041}',
  'soft\u00adhyphen',
  '\ud800',
  'line\u2028separator',
  'no-break\u00a0space',
  'annotation\ufff9',
  'filler\u3164',
  'selector\ufe0f',
];

describe('visible', () => {
  it.each(HOSTILE)('escapes %j', (text) => {
    const shown = visible(text);
    expect(shown).not.toMatch(ACTIVE);
    expect(shown).toContain('\\');
  });

  it.each(['', 'plain', 'naïve café', 'キジ', '⚠️ careful', 'a → b', '🦊 fox'])('leaves %j', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('names the escaped character', () => {
    expect(visible('\x1b\r\n\t\u202e')).toBe('\\x1b\\r\\n\\t\\u{202e}');
  });

  it('limits the marks on one letter', () => {
    expect([...visible(`z${'\u0301'.repeat(500)}z`)].length).toBeLessThan(30);
  });

  it('commands to a workflow runner are broken up, other colons and signs are left', () => {
    expect(visible('::add-mask::x ##[set-env]y ##vso[task] a::b')).toBe(
      ':\\x3aadd-mask:\\x3ax #\\x23[set-env]y #\\x23vso[task] a:\\x3ab',
    );
    expect(visible('http://[::1]:80 ## x :: y')).toBe('http://[::1]:80 ## x :: y');
  });

  it('any text becomes one safe line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // The colour selector of an emoji is the one format-like character that may stay.
        expect(visible(text).replaceAll('\ufe0f', '')).not.toMatch(ACTIVE);
      }),
    );
  });
});

describe('service text in a plan', () => {
  it.each(HOSTILE)('%j reaches no terminal', (text) => {
    const shown = planText(planWith(text), { columns: 80, color: false });
    expect(shown.replaceAll('\n', '')).not.toMatch(ACTIVE);
  });
});

describe('API tokens', () => {
  it('lose their secret in any position', () => {
    expect(visible('see /svc_live_0123abcd.S3cret/x and svc_live_0123abcd.')).toBe(
      'see /svc_live_0123abcd.… and svc_live_0123abcd.',
    );
  });

  it('leave JSON and colours intact', () => {
    const json = JSON.stringify({ a: 'says "svc_live_0123abcd.S3cret"', b: 1 });
    expect(JSON.parse(maskTokens(json))).toEqual({ a: 'says "svc_live_0123abcd.…"', b: 1 });
    expect(maskTokens('svc_live_0123abcd.S3cret\x1b[0m!')).toBe('svc_live_0123abcd.…\x1b[0m!');
  });
});
