/** Pieces that Markdown documents are made of; the texts are Markdown already. */

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The two lines that a table begins with. */
export function tableHead(titles: readonly string[], borders = titles.map(() => '---')): string {
  return `${row(titles)}\n${row(borders)}`;
}

/** `summary` is HTML: Markdown is not read within the tag. The body stands between empty lines, so that it is. */
export function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
