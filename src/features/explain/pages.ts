import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Io } from '../../command/io.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { wrap } from '../../render/layout.ts';
import { painter } from '../../render/style.ts';

const MARGIN = '  ';

/**
 * A page of `docs/` as it is written, in the package that runs: installed, in an image or a checkout.
 * `name`: its path below `docs/`, put together from names that tradeform knows; never from what a user typed.
 */
export function readPage(name: string): string {
  const file = join(packageFolder(dirname(fileURLToPath(import.meta.url))), 'docs', name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const message = `this installation of tradeform lacks its documentation: ${file} cannot be read`;
    throw new CommandFailure(3, [{ severity: 'error', code: 'file-unreadable', message }]);
  }
}

/** The nearest folder with a package.json: the program’s code lies in one folder below it or in several. */
function packageFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageFolder(above);
}

/** What stands below each heading of the second level. */
export function sectionsOf(page: string): ReadonlyMap<string, readonly string[]> {
  const blocks = blocksOf(page);
  const starts = blocks.flatMap((block, index) => (block.startsWith('## ') ? [index] : []));
  return new Map(
    starts.map((start, nth) => [blocks[start]?.slice(3) ?? '', blocks.slice(start + 1, starts[nth + 1])]),
  );
}

/** Headings, paragraphs, lists and blocks of code; an empty line ends each of them, but the last. */
function blocksOf(page: string): readonly string[] {
  return (page.match(/^```[\s\S]*?^```$|(?:^(?!```).+\n?)+/gm) ?? []).map((block) => block.trimEnd());
}

/** The lines within a block of code; undefined of other blocks. */
export function codeIn(block: string): string | undefined {
  return block.startsWith('```') ? block.split('\n').slice(1, -1).join('\n') : undefined;
}

/** Prose on one line without its markup: only commands and others with spaces keep their marks of code. */
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
