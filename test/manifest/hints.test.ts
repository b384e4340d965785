import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readProject } from '../../src/core/project/project.ts';
import { projectFiles } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('hints');
  mkdirSync(join(folder, 'manifests'));
  for (const [name, text] of Object.entries(projectFiles())) writeFileSync(join(folder, name), text);
});

const { 'tradeform.yaml': PROJECT = '', 'manifests/alpha.yaml': TASK = '' } = projectFiles();

const PAIR = ['5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1', '7Rhoo5iHiBKbQrV3bHb2rHtyQLaTj5U8pW7Ag79ueaY5'];
const DIGITS = '1234567890'.repeat(6);
const copyTrade = (linked: string) =>
  `apiVersion: tradeform/v1\nkind: CopyTradeTask\nmetadata: { name: alpha }\nspec:\n  linked_wallets: ${linked}\n`;
/** The task with one more line in its config, without one of its fields, or with an id. */
const withLine = (line: string) => TASK.replace('    dex_source:', `    ${line}\n    dex_source:`);
const without = (field: string) => TASK.replace(new RegExp(`^ +${field}:.*\n`, 'm'), '');
const withId = (name: string) =>
  TASK.replace('name: alpha\n', `name: ${name}\n  id: 4a7f53b1-2f0e-4f4e-8a3e-1c1f6f2c9d10\n`);
const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';

it.each([
  ['tradeform.yaml', `${PROJECT}spec: { settle: { replace: 60 } }\n`, 'write 60s'],
  ['tradeform.yaml', `${PROJECT}spec: { settle: { replace: "60" } }\n`, 'write 60s'],
  ['manifests/alpha.yaml', TASK.replace('slippage: "15"', 'slippage: 0,003'), 'decimal point'],
  ['manifests/alpha.yaml', TASK.replace('label: high-risk', 'label: High risk'), 'did you mean high-risk?'],
  ['manifests/alpha.yaml', TASK.replace('label: high-risk', 'label: night'), 'did you mean high-risk?'],
  ['manifests/alpha.yaml', TASK.replace('sell_delay:', 'sell_dely:'), 'write sell_delay for sell_dely'],
  ['manifests/alpha.yaml', TASK.replace(/state: .*/, 'state: true'), 'one of active, paused, manual'],
  ['manifests/alpha.yaml', TASK.replace(/target_wallet: .*/, `target_wallet: ${EVM}`), 'another chain'],
  ['manifests/alpha.yaml', TASK.replace(/target_wallet: .*/, `target_wallet: "${EVM}"`), 'another chain'],
  ['manifests/alpha.yaml', copyTrade(PAIR.join(',')), `write linked_wallets: [${PAIR.join(', ')}]`],
  ['manifests/alpha.yaml', copyTrade(`"${PAIR.join(' ; ')},"`), `write linked_wallets: [${PAIR.join(', ')}]`],
  ['manifests/alpha.yaml', copyTrade(PAIR.join('\n    ')), `write linked_wallets: [${PAIR.join(', ')}]`],
  ['manifests/alpha.yaml', copyTrade(`"{a,b}"`), 'write linked_wallets: ["{a,b}"]'],
  ['manifests/alpha.yaml', TASK.replace(/remark: .*/, `remark: ${DIGITS}`), `write "${DIGITS}" in quotes`],
  ['manifests/alpha.yaml', withLine('take_profit: 50'), 'did you mean auto_sell.tp_orders?'],
  ['manifests/alpha.yaml', withLine('stopLoss: 20'), 'did you mean auto_sell.sl_orders?'],
  ['manifests/alpha.yaml', withLine('trailing_stop: 20'), 'did you mean auto_sell.trailing_take_profit?'],
  ['manifests/alpha.yaml', TASK.replace('selected_dexes:', 'dexes:'), 'did you mean selected_dexes?'],
  [
    'manifests/alpha.yaml',
    TASK.replace('  config:', '  tp: 5\n  config:'),
    'did you mean config.auto_sell.tp_orders?',
  ],
  [
    'manifests/alpha.yaml',
    without('relay_mode'),
    'for example { tip_amount: "0.002", priority_fee: "0.0005", slippage: "15" }',
  ],
  [
    'manifests/alpha.yaml',
    without('priority_mode'),
    'for example { tip_amount: "0.002", priority_fee: "0.0005", slippage: "15" }',
  ],
  ['manifests/alpha.yaml', without('selected_dexes'), 'for example [pump-fun]'],
  [
    'manifests/alpha.yaml',
    TASK.replace('  state:', '  extends: [base]\n  state:'),
    'none fits sniper: write one',
  ],
  [
    'manifests/alpha.yaml',
    `${withId('alpha')}---\n${withId('beta')}`,
    'the other one is at manifests/alpha.yaml:5. An id names one task of the service: remove metadata.id from the manifest that was copied',
  ],
  [
    'manifests/alpha.yaml',
    `${TASK}---\n${TASK}`,
    'the other one is at manifests/alpha.yaml:4: give one of them another metadata.name',
  ],
  ['manifests/alpha.yaml', TASK.replace('apiVersion: tradeform/v1\n', ''), 'write apiVersion: tradeform/v1'],
])('the hint of %s says what to write (%#)', async (name, text, hint) => {
  const label = projectFiles()['manifests/label.yaml'] ?? '';
  writeFileSync(join(folder, 'manifests/label.yaml'), label.replace('name: High risk', 'name: night'));
  writeFileSync(join(folder, name), text);
  const { diagnostics } = await readProject({ cwd: folder });
  expect(diagnostics.map((diagnostic) => diagnostic.hint ?? '').join('\n')).toContain(hint);
  expect(diagnostics.map(({ message }) => message.replaceAll(/[^"]/g, '').length % 2)).not.toContain(1);
});

it('a hint names no field that the kind does not have', async () => {
  const label = projectFiles()['manifests/label.yaml'] ?? '';
  writeFileSync(join(folder, 'manifests/label.yaml'), `${label}status: active\n`);
  const { diagnostics } = await readProject({ cwd: folder });
  expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
    ['the manifest has no field status', 'the fields are apiVersion, kind, metadata, spec'],
  ]);
});

it('counts one item as one', async () => {
  writeFileSync(join(folder, 'tradeform.yaml'), `${PROJECT}spec: { manifests: [] }\n`);
  const { diagnostics } = await readProject({ cwd: folder });
  expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(/at least 1 item$/)]);
});

it.each([
  ['a row', { b: 'a', c: 'b' }, ['which is renamed too: apply the rename to c first, then remove']],
  [
    'a longer row',
    { b: 'a', c: 'b', d: 'c' },
    ['apply the rename to c first', 'apply the rename to d first'],
  ],
  ['a swap', { a: 'b', b: 'a' }, ['form a ring: apply a rename to a third', 'form a ring']],
  ['a ring of three', { a: 'b', b: 'c', c: 'a' }, ['form a ring', 'form a ring', 'form a ring']],
  ['a name that is kept', { a: '', b: 'a' }, [/^it is at manifests\/alpha\.yaml:3$/]],
])('renames in %s say which to apply first', async (_, names, expected) => {
  const tasks = Object.entries(names).map(([name, former]) =>
    TASK.replace(
      /metadata:.*\n( +name: .*\n)?/,
      `metadata: { name: ${name}${former && `, previous_name: ${former}`} }\n`,
    ),
  );
  writeFileSync(join(folder, 'manifests/alpha.yaml'), tasks.join('---\n'));
  const { diagnostics } = await readProject({ cwd: folder });
  const hints = diagnostics.flatMap(({ code, hint }) => (code === 'previous-name-taken' ? [hint] : []));
  expect(hints).toEqual(expected.map((text) => expect.stringMatching(text)));
});
