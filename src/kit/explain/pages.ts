import type { Io } from '../../core/command/io.ts';
import { readPackaged } from '../../core/command/packaged.ts';
import { painter, wrap } from '../../core/render/layout.ts';

const MARGIN = '  ';

/** A page of `docs/`, by its path in that folder. See {@link readPackaged}. */
export function readPage(name: string): string {
  return readPackaged(`docs/${name}`);
}

/** The text below each heading of the second level. */
export function sectionsOf(page: string): ReadonlyMap<string, readonly string[]> {
  const blocks = blocksOf(page);
  const starts = blocks.flatMap((block, index) => (block.startsWith('## ') ? [index] : []));
  return new Map(
    starts.map((start, nth) => [blocks[start]?.slice(3) ?? '', blocks.slice(start + 1, starts[nth + 1])]),
  );
}

/** Headings, paragraphs, lists and code blocks. An empty line separates them. */
function blocksOf(page: string): readonly string[] {
  return (page.match(/^```[\s\S]*?^```$|(?:^(?!```).+\n?)+/gm) ?? []).map((block) => block.trimEnd());
}

/** The lines in a code block. Undefined for other blocks. */
export function codeIn(block: string): string | undefined {
  return block.startsWith('```') ? block.split('\n').slice(1, -1).join('\n') : undefined;
}

/** Text on one line without markup. Only code with spaces, such as commands, keeps its code marks. */
export function plainProse(text: string): string {
  return text
    .replace(/`([^`]+)`|\[([^\]]+)\]\([^)]*\)/g, (whole, code?: string, link = '') =>
      code === undefined ? plainProse(link) : /\s/.test(code) ? whole : code,
    )
    .replaceAll('\n', ' ');
}

/** A page as a terminal shows it: wrapped, and indented below its headings. */
export function plainPage(page: string, { columns, color }: Pick<Io, 'columns' | 'color'>): string {
  const paint = painter(color.stdout);
  const indented = (lines: readonly string[]) => lines.map((line) => (line === '' ? '' : MARGIN + line));
  const proseOf = (text: string) => indented(wrap(plainProse(text), columns - MARGIN.length));
  const lines = blocksOf(page).flatMap((block, index, blocks) => {
    if (block.startsWith('# ')) return [paint('title', block.slice(2))];
    if (block.startsWith('## ')) return ['', paint('strong', block.slice(3))];
    const gap = blocks[index - 1]?.startsWith('#') === true ? [] : [''];
    const code = codeIn(block);
    if (code !== undefined) return [...gap, ...indented(code.split('\n'))];
    return [...gap, ...block.split(/\n(?=- )/).flatMap(proseOf)];
  });
  return `${lines.join('\n')}\n`;
}

/** The result of `tradeform explain`: its document without the common fields, and its text for a terminal. */
export interface Explained {
  /** Undefined if there is only text. */
  readonly document?: object;
  text(io: Pick<Io, 'columns' | 'color'>): string;
}
