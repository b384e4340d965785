import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { PAGES, pageOf } from './pages.ts';
import { ROOT } from './program.ts';

const OTHERS = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/fleet/README.md',
  'examples/fleet-of-accounts/README.md',
].map(pageOf);

/** Without what is code: links in it are examples of links. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '')
    .replace(/(`+)[^`]+\1/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '');
  return [...prose.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function targetsOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

describe.each([...PAGES, ...OTHERS])('$path', ({ path, text }) => {
  test('has no dead link', () => {
    const dead = targetsOf(text).filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : normalize(join(dirname(path), file));
      if (found.startsWith('..') || !existsSync(join(ROOT, found))) return true;
      if (anchor === undefined) return false;
      return !found.endsWith('.md') || !anchorsOf(pageOf(found).text).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

/** Pages that list others. */
const LISTS = [
  'README.md',
  'docs/README.md',
  'docs/reference/codes/README.md',
  'docs/reference/documents/README.md',
  'docs/reference/fields/README.md',
];

it('leads from the README to every page, in three steps', () => {
  const reached = new Set<string>();
  for (const from of LISTS)
    for (const target of targetsOf(pageOf(from).text))
      reached.add(normalize(join(dirname(from), target.replace(/#.*/, ''))));
  const lost = PAGES.filter(({ path }) => !reached.has(path) && path !== 'README.md');
  expect(lost.map(({ path }) => path)).toEqual([]);
});

it('has a README of at most ten minutes', () => {
  expect(pageOf('README.md').text.split('\n').length).toBeLessThanOrEqual(200);
});

it('names the two commands that set everything up, and CI runs the same', () => {
  const { text } = pageOf('README.md');
  const commands = [...text.matchAll(/^npm ci && (npm (?:run demo|test))\b/gm)].map(([, command]) => command);
  expect(commands).toEqual(['npm run demo', 'npm test']);
  const steps = readFileSync(join(ROOT, '.ci/run'), 'utf8').split('\n');
  for (const step of ['npm ci', ...commands]) expect(steps).toContain(step);
});
