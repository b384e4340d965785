import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownCode, markdownFence, markdownText } from '../../src/render/markdown-escape.ts';
import { planMarkdown } from '../../src/render/plan-markdown.ts';
import { planText } from '../../src/render/plan-text.ts';
import { maskTokens, visible } from '../../src/render/untrusted.ts';
import { change, emptyPlan, field } from './rich-plan.ts';

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
  it.each(HOSTILE)('writes out %j', (text) => {
    const shown = visible(text);
    expect(shown).not.toMatch(ACTIVE);
    expect(shown).toContain('\\');
  });

  it.each(['', 'plain', 'naïve café', 'キジ', '⚠️ careful', 'a → b', '🦊 fox'])('leaves %j', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('says which character it was', () => {
    expect(visible('\x1b\r\n\t\u202e')).toBe('\\x1b\\r\\n\\t\\u{202e}');
  });

  it('bounds marks upon one letter', () => {
    expect([...visible(`z${'\u0301'.repeat(500)}z`)].length).toBeLessThan(30);
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

/** A plan that carries the text wherever text of others can stand. */
function planWith(text: string) {
  const plan = emptyPlan();
  return {
    ...plan,
    service: { ...plan.service, login_username: text },
    changes: [
      change('sniper/one', {
        operations: ['sniper/one#1'],
        fields: [
          field('remark', text, `${text}2`),
          field(`config.${text}`, [text], [text, `${text}3`]),
          field('config.long', `${text}\n${text}`, `${text}\nother`),
        ],
      }),
      change('sniper/two', {
        action: 'create',
        operations: ['sniper/two#1'],
        fields: [field('remark', undefined, text)],
      }),
      change('sniper/three', { blocked: { text, ids: [text] } }),
    ],
    operations: [],
    observations: [
      { class: 'unmanaged' as const, kind: 'sniper' as const, id: text, remark: text, running: true, text },
    ],
    diagnostics: [{ severity: 'warning' as const, code: text, message: text, hint: text, address: text }],
  };
}

describe('service text in a plan', () => {
  it.each(HOSTILE)('%j reaches no terminal', (text) => {
    const shown = planText(planWith(text), { columns: 80, color: false });
    expect(shown.replaceAll('\n', '')).not.toMatch(ACTIVE);
  });

  it.each([
    '![x](https://evil.invalid/p.png)',
    '<img src=x onerror=alert(1)>',
    '@everyone #1 org/repo#2',
    'https://evil.invalid www.evil.invalid',
    '**bold** `code` | cell |',
    '</details><script>',
    '```\n## heading',
    '::set-output name=x::y',
  ])('%j is plain text in Markdown', (text) => {
    const shown = planMarkdown(planWith(text));
    // Code spans, fences and our own tags are taken away; what is left of the text must be written in references.
    const prose = shown
      .replace(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, '')
      .replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
      .replace(/<\/?(?:details|summary)>/g, '');
    expect(prose).not.toContain('evil.invalid');
    expect(prose).not.toMatch(/<|!\[|@|::|\]\(/);
    expect(prose.match(/^#.*$/gm)?.every((line) => /^#{2,3} /.test(line))).toBe(true);
  });
});

describe('Markdown', () => {
  it('what begins a line or makes an autolink is taken apart, what does neither is left', () => {
    expect(markdownText('- a-b')).toBe('&#45; a-b');
    expect(markdownText('Yes. See evil.invalid, :smile: and http://x')).toBe(
      'Yes. See evil&#46;invalid, &#58;smile: and http&#58;//x',
    );
  });

  it('text becomes references', () => {
    expect(markdownText('a *b* [c](d)')).toBe('a &#42;b&#42; &#91;c&#93;&#40;d&#41;');
  });

  it('no text leaves its code span or its fence', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\n') }), (text) => {
        const span = markdownCode(text);
        const fence = /^`+/.exec(span)?.[0] ?? '';
        const inside = span.slice(fence.length, -fence.length);
        expect(inside.split(/[^`]+/)).not.toContain(fence);
        expect(span).not.toContain('|');
        expect(span).not.toContain('\n');
        const [open = '', ...rest] = markdownFence('diff', text.split('\n'));
        const close = open.replace('diff', '');
        expect(rest.slice(0, -1).every((line) => !line.includes(close))).toBe(true);
      }),
    );
  });
});

describe('API tokens', () => {
  it('lose their secret, wherever they stand', () => {
    expect(visible('see /svc_live_0123abcd.S3cret/x and svc_live_0123abcd.')).toBe(
      'see /svc_live_0123abcd.… and svc_live_0123abcd.',
    );
  });

  it('leave JSON and colours whole', () => {
    const json = JSON.stringify({ a: 'says "svc_live_0123abcd.S3cret"', b: 1 });
    expect(JSON.parse(maskTokens(json))).toEqual({ a: 'says "svc_live_0123abcd.…"', b: 1 });
    expect(maskTokens('svc_live_0123abcd.S3cret\x1b[0m!')).toBe('svc_live_0123abcd.…\x1b[0m!');
  });
});
