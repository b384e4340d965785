import { describe, expect, it } from 'vitest';
import { visible } from '../../../src/core/render/untrusted.ts';
import fc from '../../properties.ts';
import { runs, sampled } from '../../support/sample.ts';
import { planWith, reportWith } from '../hostile-plan.ts';
import { diagnosticsMarkdown, planMarkdown, reportMarkdown } from '../laid-out.ts';
import { richPlan } from '../rich-plan.ts';
import { allNodes, FILES, read, skeleton, strangers } from './reading.ts';

/** HAZARDS 48: what somebody may write into a remark, a name, a label, a message or the name of a file. */
const HOSTILE = [
  '![x](https://evil.invalid/p.png)',
  '[x](javascript:alert) [y][z] [z]: https://evil.invalid',
  '<img src=x onerror=alert(1)> <!-- --> </details><script>',
  '--> <b>out</b> <!--',
  '</code></summary></details>',
  '@everyone @org/team @user.',
  '#1 GH-12 owner/repo#3 KEY-9 deadbeef a1b2c3d4e5 owner@1234567 defaced',
  'defaced𠀀 𠀀defaced 𠀀defaced𠀀',
  '!1 $1 %1 ~label &1 ^1 *iteration:1 [issue:1] user/project!2',
  ':smile: :+1: ::tada::',
  'https://evil.invalid www.evil.invalid evil.invalid a@evil.invalid mailto:a@b.c xmpp:a@b.c',
  '**bold** _it_ ~~gone~~ `code` ``two`` | cell | a\\|b',
  '```\n## heading\n```',
  '~~~ mermaid',
  '````',
  '\n\n# heading\n\n---\n===\n',
  '- [ ] task',
  '1. one',
  '> [!CAUTION]',
  '[^1] and [^1]: note',
  '$x$ $$y$$ $`z`$',
  '::set-output name=x::y',
  '##[add-mask]x ##vso[task.setvariable]',
  '##',
  '/close',
  '{{ template }} ${{ secrets.X }} [[_TOC_]] {+ in +} [- out -]',
  '&lt;b&gt; &commat;user &#64;user \\@user',
  '\u202e\u200b\u0007\u001b[2J\r',
  ' leading and trailing ',
  '`',
  '',
  '| --- |',
  '\\',
  '=====',
  '+ plus * star - dash',
  'a'.repeat(300),
];

const DOCUMENTS = {
  plan: (text: string) => planMarkdown(planWith(text)),
  'plan with links': (text: string) => planMarkdown(planWith(text), FILES),
  report: (text: string) => reportMarkdown(reportWith(text)),
  diagnostics: (text: string) =>
    diagnosticsMarkdown(
      'plan',
      [
        { severity: 'error', code: 'internal', message: text, hint: text, address: text },
        {
          severity: 'warning',
          code: 'internal',
          message: text,
          address: text,
          location: { file: text, line: 1, column: 1 },
        },
      ],
      {
        project: text,
        environment: text,
        service: { base_url: `https://${text}/v1`, login_username: text },
      },
    ),
} as const;

/** Texts made of what has a meaning somewhere. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(...'`*_[]()<>#!|~&@^$:/\\-+.=0afg \n"\''), maxLength: 12 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

describe.each(Object.entries(DOCUMENTS).map(([name, write], index) => [name, write, index] as const))(
  '%s',
  (_name, write, index) => {
    const usual = skeleton(write('word'));

    it.each(sampled(HOSTILE, 3, index))('%j is plain text', (text) => {
      expect(strangers(write(text))).toEqual([]);
    });

    it.each(sampled(HOSTILE, 3, index + 4))('%j adds no block and removes none', (text) => {
      // In some places an empty text means: none.
      if (text.trim() === '') return;
      expect(skeleton(write(text))).toBe(usual);
    });

    it('any text is plain text', () => {
      fc.assert(
        fc.property(texts, (text) => {
          expect(strangers(write(text))).toEqual([]);
        }),
        { numRuns: runs(40) },
      );
    });
  },
);

it('a link leads to the file of this very name, and there is none for a name in which something cannot be seen', () => {
  const urls = (file: string) =>
    allNodes(read(planMarkdown(planWith(file), FILES))).flatMap((node) =>
      node.type === 'link' ? node.url : [],
    );
  for (const file of HOSTILE) {
    const [url, ...others] = new Set(urls(file));
    expect(others).toEqual([]);
    if (url === undefined) expect(file === '' || visible(file) !== file).toBe(true);
    else expect(decodeURIComponent(url)).toBe(`${FILES}${file}#L1`);
  }
  expect(new Set(urls('manifests/a b.yaml'))).toEqual(new Set([`${FILES}manifests/a%20b.yaml#L1`]));
  expect(urls('manifests/a\u202eb.yaml')).toEqual([]);
});

it('a plan without hostile text has nothing strange either', () => {
  expect(strangers(planMarkdown(richPlan()))).toEqual([]);
});

it('the reader of these tests recognizes strange content', () => {
  const strange = [
    '[x](y)',
    `[x](${FILES}a#L1)`,
    `[\`x\`](${FILES}../a?b#L1)`,
    '![x](y)',
    'see https://evil.invalid',
    '<b>x</b>',
    'by @user',
    'see #1',
    'in a1b2c3d4',
    ':smile:',
    '/close',
    '::set-output name=x::y',
    '- [ ] task',
    '# heading',
    '```sh\n- x\n```',
    '```diff\nx\n```',
    '<details><summary>x <b>y</b></summary>\n\n</details>',
    '<details><summary>x</summary>',
    '***',
    'a\u200bb',
  ];
  expect(strange.filter((text) => strangers(text).length === 0)).toEqual([]);
});
