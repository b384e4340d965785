import { LineCounter, parseDocument } from 'yaml';
import { type Diagnostic, type Location, problem } from '../core/diagnostics/diagnostic.ts';
import type { Seed } from '../core/model/generated/sandbox.ts';
import type { Json } from '../core/model/json.ts';
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
  const locate = (path: readonly (string | number)[]): Location => {
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
  const diagnostics: Diagnostic[] = [];
  const report: ReportProblem = (path, message, hint) => {
    const where = path.length === 0 ? 'The seed' : path.join('.');
    diagnostics.push({ ...problem('seed-invalid', `${where}: ${message}`, hint), location: locate(path) });
  };
  const seed = value as unknown as Seed;
  checkField(SEED, value, [], report);
  if (diagnostics.length === 0) checkNames(seed, report);
  if (diagnostics.length === 0) checkConfigs(seed, report);
  return diagnostics.length > 0 ? { diagnostics } : { seed, diagnostics };
}

/** Seeds share configs through aliases. */
const MAX_ALIASES = 10_000;

/** A config that the present schema refuses needs `legacy: true` beside it. */
function checkConfigs(seed: Seed, report: ReportProblem): void {
  const choices = makeChoices(seed.choices);
  for (const [a, account] of seed.accounts.entries()) {
    for (const list of ['templates', 'tasks'] as const) {
      for (const [index, { kind, legacy, config }] of (account[list] ?? []).entries()) {
        if (legacy === true) continue;
        const definition = kind === 'copy-trade' ? 'copyTradeConfig' : 'sniperConfig';
        for (const { path, reason } of checkStoredConfig(definition, config, choices)) {
          const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
          const below = parts.filter((part, at) => part !== '$' && (at > 0 || part !== 'config'));
          report(['accounts', a, list, index, 'config', ...below], `${reason}.`, NOT_QUOTED);
        }
      }
    }
  }
}

const NOT_QUOTED = 'Amounts are quoted decimals. Write legacy: true beside config for an older snapshot.';

/** Names and ids must be unique, and references must have targets. */
function checkNames({ accounts }: Seed, report: ReportProblem): void {
  const seen = new Set<string>();
  const once = (what: string, value: string | undefined, path: readonly (string | number)[]) => {
    if (value === undefined) return;
    if (seen.has(`${what} ${value}`)) report(path, `${what} ${value} appears twice.`);
    seen.add(`${what} ${value}`);
  };
  for (const [a, { id, tokens = [], labels = [], templates = [], tasks = [] }] of accounts.entries()) {
    const at = ['accounts', a];
    once('account', id, [...at, 'id']);
    for (const [index, { token }] of tokens.entries())
      once('token', token?.split('.')[0], [...at, 'tokens', index]);
    const named = { label: labels, template: templates };
    for (const [key, list] of Object.entries({ labels, templates, tasks }))
      for (const [index, item] of list.entries()) once('id', item.id, [...at, key, index, 'id']);
    for (const reference of ['label', 'template'] as const) {
      const names = new Set(named[reference].map(({ name }) => name));
      for (const [index, task] of tasks.entries()) {
        const name = task[reference];
        if (name === undefined || names.has(name)) continue;
        report([...at, 'tasks', index, reference], `the account has no ${reference} with the name ${name}.`);
      }
    }
  }
}
