import type { Left } from './generated/plan.ts';

/** `1 task`, `2 tasks`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The first of some texts, and how many more there are: `sniper/a, sniper/b and 7 more`. */
export function named(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * How to take over into git what is live there. Many addresses are not repeated. No export changes a row of a task set: it writes a patch
 * of the environment, if there is one.
 */
export function acceptingText(
  subjects: readonly Pick<Left, 'address' | 'row'>[],
  environment: string | null,
): string {
  const addresses = subjects.flatMap(({ address, row }) =>
    row === undefined || environment !== null ? [address] : [],
  );
  const rows = subjects.flatMap(({ address, row }) =>
    row === undefined || environment !== null ? [] : [`${address} (${row.file}:${row.line})`],
  );
  const command = `\`tradeform export${environment === null ? '' : ` -e ${environment}`} --out . ${addresses.length > 5 ? 'ADDRESS' : addresses.join(' ')}\``;
  return [
    ...(addresses.length === 0 ? [] : [command]),
    ...(rows.length === 0 ? [] : [`edit the row${rows.length === 1 ? '' : 's'} of ${named(rows, 5)}`]),
  ].join(', and ');
}
