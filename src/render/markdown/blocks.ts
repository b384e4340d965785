/** The parts of Markdown documents. All texts are Markdown already. */

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The first two lines of a table. */
export function tableHead(titles: readonly string[], borders = titles.map(() => '---')): string {
  return `${row(titles)}\n${row(borders)}`;
}

/** `summary` is HTML, because Markdown is not parsed within the tag. Empty lines around the body make it Markdown. */
export function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
