// The manifests of the bench's account, written as people write them: one task a file, block style, some amounts quoted and
// some not, defaults left out or not.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelNames, PROJECT, taskOf } from './account.mjs';

const KINDS = { sniper: 'SniperTask', 'copy-trade': 'CopyTradeTask', 'transfer-snipe': 'TransferSnipeTask' };
const FILES_A_FOLDER = 500;

/**
 * Writes a project for `tasks` tasks into a folder that is made anew. `changed` of the running ones get a config that differs
 * from the account's: it raises all of them or, `mixed`, lowers every other one.
 */
export function writeProject(folder, { tasks, labels: count, changed = 0, mixed = false, ...shape }) {
  rmSync(folder, { recursive: true, force: true });
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests, { recursive: true });
  writeFileSync(
    join(folder, 'tradeform.yaml'),
    `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: ${PROJECT} }\nspec:\n  guardrails: { max_changes: 100% }\n`,
  );
  const labels = labelNames(count);
  writeFileSync(join(manifests, 'labels.yaml'), labels.map(labelText).join('---\n'));
  const files = [];
  let left = changed;
  for (let number = 0; number < tasks; number += 1) {
    const task = taskOf(number, { labels, ...shape });
    const another = left > 0 && task.active;
    if (another) left -= 1;
    const under = join(manifests, task.kind, String(Math.floor(number / FILES_A_FOLDER)));
    if (number % FILES_A_FOLDER < 10) mkdirSync(under, { recursive: true });
    const file = join(under, `${task.name}.yaml`);
    const { revision: now = 0 } = shape;
    const revision = mixed && left % 2 === 0 ? now - 1 : now + 1;
    writeFileSync(file, taskText(another ? taskOf(number, { labels, ...shape, revision }) : task));
    files.push(file);
  }
  return files;
}

function labelText(name, index) {
  return `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec:\n  sort_order: ${index}\n`;
}

export function taskText({ number, kind, name, note, label, target, linked, active, config }) {
  const spec = {
    state: active ? 'active' : 'paused',
    remark: note,
    label,
    target_wallet: target,
    ...(linked === undefined ? {} : { linked_wallets: linked }),
    config: number % 2 === 0 ? config : withoutDefaults(config),
  };
  return [
    `# ${note}: looked at every month; amounts are in SOL, triggers in percent.`,
    'apiVersion: tradeform/v1',
    `kind: ${KINDS[kind]}`,
    'metadata:',
    `  name: ${name}`,
    'spec:',
    ...block(spec, '  ', number % 3 === 0),
    '',
  ].join('\n');
}

const DEFAULTS = {
  buy_once: false,
  sol_slippage_mode: false,
  snipe_external: false,
  reentry_after_flat: false,
};

function withoutDefaults(config) {
  const kept = Object.entries(config).filter(
    ([key, value]) => DEFAULTS[key] !== value || (key === 'buy_once' && 'buy_config_mode' in config),
  );
  return Object.fromEntries(kept);
}

function block(value, indent, quoted) {
  return Object.entries(value).flatMap(([key, item]) => entry(key, item, indent, quoted));
}

function entry(key, item, indent, quoted) {
  if (Array.isArray(item)) {
    if (item.length === 0) return [`${indent}${key}: []`];
    return [`${indent}${key}:`, ...item.flatMap((one) => listItem(one, `${indent}  `, quoted))];
  }
  if (typeof item === 'object') return [`${indent}${key}:`, ...block(item, `${indent}  `, quoted)];
  return [`${indent}${key}: ${scalar(item, quoted)}`];
}

function listItem(item, indent, quoted) {
  if (typeof item !== 'object') return [`${indent}- ${scalar(item, quoted)}`];
  const entries = Object.entries(item);
  // Short mappings stand on one line.
  if (entries.length === 2)
    return [`${indent}- { ${entries.map(([key, value]) => `${key}: "${value}"`).join(', ')} }`];
  const [first = '', ...rest] = block(item, `${indent}  `, quoted);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function scalar(value, quoted) {
  if (typeof value !== 'string') return String(value);
  if (value === '') return '""';
  return quoted && /^[0-9.]+$/.test(value) ? `"${value}"` : value;
}
