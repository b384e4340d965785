import { visible } from './untrusted.ts';

/**
 * What Markdown, HTML or a forge gives a meaning to: links, images, emphasis, tables, mentions, references, headings;
 * marks of lists, rules and quotes where a line begins; dots and colons within words, which make autolinks of bare
 * names, emoji and workflow commands.
 */
const ACTIVE = /[\\`*_{}[\]()<>#!|~&@^$]|^\s*[-+=]|[.:](?=[^\s])/g;

/**
 * Text of others as plain Markdown text: nothing in it is a link, an image, a mention, HTML or a command (HAZARDS 48).
 * Numeric references are used, for a backslash does not stop a forge's mentions and autolinks.
 */
export function markdownText(text: string): string {
  return visible(text).replace(ACTIVE, (match) =>
    match.replace(/\S/, (character) => `&#${character.charCodeAt(0)};`),
  );
}

/** A code span that its own content cannot leave; in tables a pipe would end the cell. */
export function markdownCode(text: string): string {
  const safe = visible(text).replaceAll('|', '\\u{7c}');
  const ticks = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(ticks + 1);
  const pad = safe.startsWith('`') || safe.endsWith('`') || safe === '' ? ' ' : '';
  return `${fence}${pad}${safe}${pad}${fence}`;
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function markdownFence(language: string, lines: readonly string[]): string[] {
  const ticks = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(ticks + 1);
  return [`${fence}${language}`, ...lines, fence];
}
