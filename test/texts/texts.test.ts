import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { printedTexts } from './texts.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Phrases that docs/contributing/writing.md rules out, with what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bshall\b/i, 'will, should or must'],
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/, 'in the meantime'],
  [/\bof which\b/i, 'a second sentence'],
  [/\bof now\b/i, 'current'],
  [/\bheld against\b/i, 'compared with'],
  [/\bdear(?:er|est)\b/i, 'more expensive, highest exposure'],
  [/\bstands? (?:in|here|there|beside|below|twice|where)\b/i, 'is, is recorded, appears'],
  [/\b(?:is|are) (?:said|told)\b/i, 'is shown'],
  [/(?<!\bthere )\b(?:is|are) none\b/i, 'is not a'],
  [/\bnone of ours\b/i, 'not a … of this project'],
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|lower\b)[a-z]/i, 'is not a'],
  [/\b(?:are|is) the most\b/i, 'at most … are allowed'],
  [/\bas it is of\b|\bas (?:it has|has it)\b|\bhas it (?:so|otherwise)\b/i, 'name what differs'],
  [/\botherwise than\b/i, 'differently from'],
  [/\btake(?:n|s)? (?:out|back|off)\b/i, 'remove, undo, roll back'],
  [/\bnot be had\b/i, 'is not available'],
  [/\bif (?:it|that|this) is meant\b/i, 'if this is intended'],
  [/\bhas (?:it|them) any more\b/i, 'was removed'],
  [/\btime and again\b|\btime after time\b/i, 'repeatedly'],
  [/\blet(?:s)? (?:go|through)\b/i, 'release, allow'],
];

/** What is quoted is not ours to change: text of others, and the pairs of before and after. */
const PAGES = [
  'README.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]
  .filter((path) => /\.(?:md|txt)$/.test(path) && !path.startsWith('docs/contributing/'))
  .sort();

function banned(text: string): readonly string[] {
  return BANNED.flatMap(([pattern, better]) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}": write ${better}`];
  });
}

test('what the program prints has no banned phrase', () => {
  const texts = printedTexts();
  expect(texts.length).toBeGreaterThan(2_000);
  expect(
    texts.flatMap(({ path, line, text }) => banned(text).map((why) => `${path}:${line} ${why}`)),
  ).toEqual([]);
});

describe('a page has no banned phrase', () => {
  test.each(PAGES)('%s', (path) => {
    const lines = readFileSync(ROOT + path, 'utf8').split('\n');
    expect(lines.flatMap((text, at) => banned(text).map((why) => `${path}:${at + 1} ${why}`))).toEqual([]);
  });
});
