import { count } from '../layout.ts';
import type { Form, Section } from './fit.ts';

/** Pieces that the Markdown of plans, reports and findings is made of. Texts are Markdown already, titles and names our own words. */

/** `a`, `b`, `c` … of which none is left out. */
export function names(addresses: readonly string[], code: (text: string) => string): string {
  return addresses.map(code).join(', ');
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The two lines that a table begins with. */
export function tableHead(titles: readonly string[]): string {
  return `${row(titles)}\n${row(titles.map(() => '---'))}`;
}

/** `summary` is HTML: Markdown is not read within the tag. The body stands between empty lines, so that it is. */
export function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

export interface ListOptions {
  readonly weight: number;
  /** `14 notes`: what is missing when the list is. */
  readonly name: (number: number) => string;
}

/** A list under a heading, cut from its end where there is no room; nothing where it is empty. */
export function listSection(
  title: string,
  items: readonly string[],
  { weight, name }: ListOptions,
): readonly Section[] {
  return sectionOf(items, { weight, name }, { head: `### ${title} (${items.length})\n` });
}

/** The same, collapsed. */
export function foldedSection(
  title: string,
  items: readonly string[],
  { weight, name }: ListOptions,
): readonly Section[] {
  const head = `<details><summary>${title} (${items.length})</summary>\n`;
  return sectionOf(items, { weight, name }, { head, foot: '\n</details>' });
}

/** Errors, warnings and notes, each under its title; the notes collapsed. */
export function noteSections<Item extends { readonly severity: string }>(
  diagnostics: readonly Item[],
  write: (diagnostic: Item) => string,
): readonly Section[] {
  const of = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted).map(write);
  return [
    ...listSection('Errors', of('error'), { weight: 90, name: (number) => count(number, 'error') }),
    ...listSection('Warnings', of('warning'), { weight: 55, name: (number) => count(number, 'warning') }),
    ...foldedSection('Notes', of('info'), { weight: 20, name: (number) => count(number, 'note') }),
  ];
}

function sectionOf(
  items: readonly string[],
  { weight, name }: ListOptions,
  frame: Pick<Form, 'head' | 'foot'>,
): readonly Section[] {
  if (items.length === 0) return [];
  const form: Form = {
    ...frame,
    weight,
    items: items.map((item) => `- ${item}`),
    rest: (left) => `- … and ${left} more`,
    misses: (left) => (left === 0 ? undefined : name(left)),
  };
  return [{ name: name(items.length), forms: [form] }];
}
