/** The first of some texts, and how many more there are: `sniper/a, sniper/b and 7 more`. */
export function named(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The command that takes over into git what is live there. Many addresses are not repeated. */
export function exportCommand(addresses: readonly string[]): string {
  return `\`tradeform export --out . ${addresses.length > 5 ? 'ADDRESS' : addresses.join(' ')}\``;
}
