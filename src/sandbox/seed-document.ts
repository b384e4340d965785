import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { isObject, type Json } from '../model/json.ts';
import { checkField, type ReportProblem, SEED } from './fields.ts';

/** Where a path of the seed stands in its file: the value itself, or the nearest thing around it. */
export type Locate = (path: readonly (string | number)[]) => Location;

/** Checks a document against the schema of a seed: every problem at once, each with its place. */
export function checkSeed(document: Json, locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (path: readonly (string | number)[], message: string, hint?: string) => {
    found.push({
      severity: 'error',
      code: 'seed-invalid',
      message: `${path.length === 0 ? 'The seed' : path.join('.')}: ${message}`,
      ...(hint === undefined ? {} : { hint }),
      location: locate(path),
    });
  };
  checkField(SEED, document, [], report);
  if (found.length === 0) checkNames(document, report);
  return found;
}

/** Names and ids must be unique, and references must lead somewhere. */
function checkNames(document: Json, report: ReportProblem): void {
  const accounts = isObject(document) && Array.isArray(document.accounts) ? document.accounts : [];
  const seen = new Set<string>();
  const once = (what: string, value: Json | undefined, path: readonly (string | number)[]) => {
    if (typeof value !== 'string') return;
    if (seen.has(`${what} ${value}`)) report(path, `${what} ${value} appears twice.`);
    seen.add(`${what} ${value}`);
  };
  for (const [a, account] of accounts.entries()) {
    if (!isObject(account)) continue;
    const at = ['accounts', a];
    once('account', account.id, [...at, 'id']);
    const lists = (key: string) => (Array.isArray(account[key]) ? account[key].filter(isObject) : []);
    for (const [index, token] of lists('tokens').entries()) {
      once('token', typeof token.token === 'string' ? token.token.split('.')[0] : undefined, [
        ...at,
        'tokens',
        index,
      ]);
    }
    for (const key of ['labels', 'templates', 'tasks']) {
      for (const [index, item] of lists(key).entries()) once('id', item.id, [...at, key, index, 'id']);
    }
    for (const [reference, list] of [
      ['label', 'labels'],
      ['template', 'templates'],
    ] as const) {
      const names = new Set(lists(list).map((item) => item.name));
      for (const [index, task] of lists('tasks').entries()) {
        const name = task[reference];
        if (name !== undefined && !names.has(name)) {
          report(
            [...at, 'tasks', index, reference],
            `the account has no ${reference} with the name ${String(name)}.`,
          );
        }
      }
    }
  }
}
