/** True if a path of a field (`config.buy_amount`, `linked_wallets[0]`) is one of these paths, a part of one, or above one. */
export function overlaps(paths: readonly string[], path: string): boolean {
  return isWithin(paths, path) || paths.some((one) => isBelow(one, path));
}

/** True if it is one of these paths or a part of one. */
export function isWithin(paths: readonly string[], path: string): boolean {
  return paths.some((one) => one === path || isBelow(path, one));
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
