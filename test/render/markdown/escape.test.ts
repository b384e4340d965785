import { describe, expect, it } from 'vitest';
import {
  htmlCode,
  markdownCode,
  markdownFence,
  markdownText,
} from '../../../src/core/render/markdown/escape.ts';
import { hiddenHeader } from '../../../src/core/render/markdown/header.ts';
import { visible } from '../../../src/core/render/untrusted.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';
import { allNodes, codes, read } from './reading.ts';

const TICKS = fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\n', '\\', '$') });

describe('text', () => {
  it.each([
    ['Yes, it is – “plain” (or not).', 'Yes, it is – “plain” (or not).'],
    ['0.31 SOL, 15 % → 2,500', '0.31 SOL, 15 % → 2,500'],
    ['sniper/alpha: config.buy_amount is 90.', '`sniper/alpha`: `config.buy_amount` is 90.'],
    ['by @user and #1 GH-1, see (a.b)', 'by `@user` and `#1 GH-1`, see (`a.b`)'],
    ['- a-b', '`-` a-b'],
    ['1. one 2. two', '`1.` one 2. two'],
    ['defaced by 1234567 in KEY-word', '`defaced` by `1234567` in `KEY-word`'],
    ['defaced\u0301 by', '`defaced\u0301` by'],
    ['f(x) and [y](z)', '`f(x)` and `[y](z)`'],
    ['Run `tradeform plan`: (`a b`) and `c`', 'Run `tradeform plan`: (`a b`) and `c`'],
    ['an open ` and ``two``', 'an open `` ` `` and ``` ``two`` ```'],
    ['  much   room  ', 'much room'],
  ])('%j', (text, expected) => {
    expect(markdownText(text)).toBe(expected);
  });

  it('reads the same, except for spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1.,:()#@ "') }), (text) => {
        const said = allNodes(read(markdownText(text)))
          .flatMap((node) => (node.type === 'text' || node.type === 'inlineCode' ? [node.value] : []))
          .join('');
        expect(said.replaceAll(' ', '')).toBe(visible(text).replaceAll(' ', ''));
      }),
    );
  });
});

describe('code', () => {
  it('is read as it was written, whatever it contains', () => {
    const vacuous = new Vacuous();
    fc.assert(
      fc.property(TICKS, (text) => {
        const line = `before ${markdownCode(text)} after`;
        const wanted = visible(text).replaceAll('|', '\\u{7c}');
        if (wanted.trim() === '') return vacuous.add();
        expect(codes(line)).toEqual([wanted]);
      }),
    );
    vacuous.expectAtMost(0.25, 100);
  });

  it('does not end a cell or its HTML', () => {
    const table = `| a | b |\n| --- | --- |\n| ${markdownCode('x | y')} | ${markdownCode('`|`')} |`;
    expect(allNodes(read(table)).filter(({ type }) => type === 'tableCell')).toHaveLength(4);
    expect(htmlCode('</code> & <b "\'>')).toBe('<code>&#60;/code&#62; &#38; &#60;b &#34;&#39;&#62;</code>');
  });

  it('no line ends its fence', () => {
    fc.assert(
      fc.property(fc.array(TICKS, { minLength: 1 }), (texts) => {
        const lines = texts.map(visible);
        const fence = markdownFence('diff', lines).join('\n');
        expect(codes(`${fence}\n\nafter`)).toEqual([lines.join('\n')]);
        expect(codes(markdownFence('diff', ['```', '````']).join('\n'))).toEqual(['```\n````']);
      }),
    );
  });
});

describe('the hidden header', () => {
  it('names project, environment and digest', () => {
    expect(hiddenHeader('plan', { project: 'core', environment: 'eu-west', digest: 'ab' })).toBe(
      '<!-- tradeform:plan project=core environment=eu-west digest=ab -->',
    );
    expect(hiddenHeader('drift', { project: 'core', environment: null, digest: null })).toBe(
      '<!-- tradeform:drift project=core environment=- digest=- -->',
    );
  });

  it('no value ends it, has a space, or looks like a missing one; different values stay different', () => {
    const header = (environment: string) => hiddenHeader('plan', { project: 'a', environment, digest: null });
    const written = (environment: string) => /environment=(\S*) digest=- -->$/.exec(header(environment))?.[1];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'-> !ab%\n"') }), (environment) => {
        const value = written(environment) ?? '';
        expect(value).toMatch(/^(?!-|.*--)[\w.~%-]*$/);
        expect(decodeURIComponent(value)).toBe(visible(environment));
      }),
    );
  });
});

it('an id has a code span of its own beside another one', () => {
  const id = '5e0c1d2e-0000-4000-8000-000000000001';
  expect(markdownText(`requests of sniper/a ${id}, ${id}`)).toBe(
    `requests of \`sniper/a\` \`${id}\`, \`${id}\``,
  );
});
