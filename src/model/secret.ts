/** What stands where a value is not shown. */
export const SECRET = '(secret)';

/** True where a field, or something within it or around it, is among the secret paths (`config.buy_amount`, `linked_wallets[0]`). */
export function isSecretPath(secrets: readonly string[], path: string): boolean {
  return secrets.some((secret) => secret === path || isBelow(secret, path) || isBelow(path, secret));
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
