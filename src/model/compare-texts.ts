/** By code units, as no locale orders texts elsewhere: for `sort`. */
export function compareTexts(a: string, b: string): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}
