import { LineCounter, parseDocument } from 'yaml';
import { type Diagnostic, type Location, problem } from '../core/diagnostics/diagnostic.ts';
import type { Seed } from '../core/model/generated/sandbox.ts';
import { isObject, type Json } from '../core/model/json.ts';
import { checkStoredConfig } from './body.ts';
import { makeChoices } from './choices.ts';
import { checkField, type ReportProblem, SEED } from './fields.ts';

/**
 * Reads the text of a seed file, YAML or JSON. A config that the present schema refuses needs `legacy: true` beside it, because
 * an amount without quotes is more often a mistake than a snapshot.
 */
export function readSeed(text: string, file: string): { seed?: Seed; diagnostics: readonly Diagnostic[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): Location => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0) {
    const diagnostics = document.errors.map(({ message, pos }) => ({
      ...problem('yaml-syntax', message),
      location: place(pos[0]),
    }));
    return { diagnostics };
  }
  const locate: Locate = (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      if (Array.isArray(range)) return place(Number(range[0]));
    }
    return place(0);
  };
  let value: Json;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // The only error that is left for a document without syntax errors: missing anchors of its aliases, or too many aliases.
    const message = error instanceof Error ? error.message : String(error);
    return { diagnostics: [{ ...problem('yaml-alias', message), location: place(0) }] };
  }
  const diagnostics = checkSeed(value, locate);
  if (diagnostics.length > 0) return { diagnostics };
  const seed = value as unknown as Seed;
  const legacy = legacyConfigs(seed, locate);
  return legacy.length > 0 ? { diagnostics: legacy } : { seed, diagnostics: [] };
}

/** Seeds share configs through aliases. */
const MAX_ALIASES = 10_000;

function legacyConfigs(seed: Seed, locate: Locate): Diagnostic[] {
  const choices = makeChoices(seed.choices);
  const found: Diagnostic[] = [];
  for (const [a, account] of seed.accounts.entries()) {
    for (const list of ['templates', 'tasks'] as const) {
      for (const [index, item] of (account[list] ?? []).entries()) {
        const definition = item.kind === 'copy-trade' ? 'copyTradeConfig' : 'sniperConfig';
        if (item.legacy === true || !isObject(item.config)) continue;
        for (const { path, reason } of checkStoredConfig(definition, item.config, choices)) {
          const parts = path
            .replace(/^config\.?/, '')
            .split('.')
            .filter((part) => part !== '');
          found.push({
            severity: 'error',
            code: 'seed-invalid',
            message: `accounts.${a}.${list}.${index}.config${parts.map((part) => `.${part}`).join('')}: ${reason}.`,
            hint: 'Amounts are quoted decimals. Write legacy: true beside config for an older snapshot.',
            location: locate([
              'accounts',
              a,
              list,
              index,
              'config',
              ...parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
            ]),
          });
        }
      }
    }
  }
  return found;
}

/** The place of a path in the seed file: the value itself, or the nearest enclosing value. */
type Locate = (path: readonly (string | number)[]) => Location;

/** Checks a document against the schema of a seed. Reports every problem at once, each with its place. */
function checkSeed(document: Json, locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (path: readonly (string | number)[], message: string, hint?: string) => {
    const where = path.length === 0 ? 'The seed' : path.join('.');
    found.push({ ...problem('seed-invalid', `${where}: ${message}`, hint), location: locate(path) });
  };
  checkField(SEED, document, [], report);
  if (found.length === 0) checkNames(document, report);
  return found;
}

/** Names and ids must be unique, and references must have targets. */
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
    const lists = (key: string) => {
      const list = account[key];
      return Array.isArray(list) ? list.filter(isObject) : [];
    };
    for (const [index, token] of lists('tokens').entries()) {
      const prefix = typeof token.token === 'string' ? token.token.split('.')[0] : undefined;
      once('token', prefix, [...at, 'tokens', index]);
    }
    for (const key of ['labels', 'templates', 'tasks']) {
      for (const [index, item] of lists(key).entries()) once('id', item.id, [...at, key, index, 'id']);
    }
    for (const reference of ['label', 'template']) {
      const names = new Set(lists(`${reference}s`).map((item) => item.name));
      for (const [index, task] of lists('tasks').entries()) {
        const name = task[reference];
        if (name === undefined || names.has(name)) continue;
        const message = `the account has no ${reference} with the name ${String(name)}.`;
        report([...at, 'tasks', index, reference], message);
      }
    }
  }
}
