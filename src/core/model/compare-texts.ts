/** Compares by code units, for `sort`: the order does not depend on a locale. */
export function compareTexts(a: string, b: string): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}
