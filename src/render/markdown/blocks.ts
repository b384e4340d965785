import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import { foldAlike, leftWords } from '../alike.ts';
import { placeText } from '../field-lines.ts';
import { count } from '../layout.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section, SectionForm } from './fit.ts';

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

interface ListOptions {
  readonly weight: number;
  /** `14 notes`: what is missing when the list is. */
  readonly name: (number: number) => string;
  /** How many each item stands for, where that is not one. */
  readonly sizes?: readonly number[];
}

/** A list under a heading, cut from its end where there is no room; nothing where it is empty. */
export function listSection(
  title: string,
  items: readonly string[],
  options: ListOptions,
): readonly Section[] {
  return sectionOf(items, options, (number) => ({ head: `### ${title} (${number})\n` }));
}

/** The same, collapsed. */
export function foldedSection(
  title: string,
  items: readonly string[],
  options: ListOptions,
): readonly Section[] {
  return sectionOf(items, options, (number) => ({
    head: `<details><summary>${title} (${number})</summary>\n`,
    foot: '\n</details>',
  }));
}

/** Errors, warnings and notes, each under its title; the notes collapsed. */
export function noteSections(diagnostics: readonly PlanDiagnostic[]): readonly Section[] {
  const of = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted);
  return [
    ...diagnosticSection('Errors', of('error'), { weight: 90, name: (number) => count(number, 'error') }),
    ...diagnosticSection('Warnings', of('warning'), {
      weight: 55,
      name: (number) => count(number, 'warning'),
    }),
    ...diagnosticSection(
      'Notes',
      of('info'),
      { weight: 20, name: (number) => count(number, 'note') },
      foldedSection,
    ),
  ];
}

/** Diagnostics as a list, of many that say the same the first few; numbers count all. */
export function diagnosticSection(
  title: string,
  diagnostics: readonly PlanDiagnostic[],
  options: Omit<ListOptions, 'sizes'>,
  section = listSection,
): readonly Section[] {
  const told = foldAlike(diagnostics);
  const items = told.map(({ diagnostic, left }) =>
    [diagnosticItem(diagnostic), ...leftWords(left)].join('; '),
  );
  return section(title, items, { ...options, sizes: told.map(({ left }) => left + 1) });
}

function sectionOf(
  items: readonly string[],
  { weight, name, sizes = items.map(() => 1) }: ListOptions,
  frame: (number: number) => Pick<SectionForm, 'head' | 'foot'>,
): readonly Section[] {
  if (items.length === 0) return [];
  // How many the last items stand for, by their number.
  const last = [0];
  for (const size of sizes.toReversed()) last.push((last.at(-1) ?? 0) + size);
  const number = (left: number) => last[left] ?? 0;
  const form: SectionForm = {
    ...frame(number(items.length)),
    weight,
    items: items.map((item) => `- ${item}`),
    rest: (left) => `- … and ${number(left)} more`,
    misses: (left) => (left === 0 ? undefined : name(number(left))),
  };
  return [{ name: name(number(items.length)), forms: [form] }];
}

/** One diagnostic as the text of a list item: code, who, what, where, and what to do. */
function diagnosticItem(diagnostic: PlanDiagnostic): string {
  const { code, message, hint, address, location, provenance } = diagnostic;
  const who = address === undefined || message.includes(address) ? '' : `${markdownCode(address)}: `;
  return [
    `${markdownCode(code)}: ${who}${markdownText(message)}`,
    ...(location === undefined ? [] : [`(${markdownCode(placeText(location))})`]),
    ...(provenance === 'before' ? ['_So before this change already._'] : []),
    ...(hint === undefined ? [] : [`— ${markdownText(hint)}`]),
  ].join(' ');
}
