import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readProject } from '../../src/project/project.ts';
import { projectFiles } from '../cmd/run.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradeform-hints-'));
  mkdirSync(join(folder, 'manifests'));
  for (const [name, text] of Object.entries(projectFiles())) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true }));

const { 'tradeform.yaml': PROJECT = '', 'manifests/alpha.yaml': TASK = '' } = projectFiles();

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
  ['manifests/alpha.yaml', TASK.replace('apiVersion: tradeform/v1\n', ''), 'write apiVersion: tradeform/v1'],
])('the hint of %s says what to write (%#)', async (name, text, hint) => {
  const label = projectFiles()['manifests/label.yaml'] ?? '';
  writeFileSync(join(folder, 'manifests/label.yaml'), label.replace('name: High risk', 'name: night'));
  writeFileSync(join(folder, name), text);
  const { diagnostics } = await readProject({ cwd: folder });
  expect(diagnostics.map((diagnostic) => diagnostic.hint ?? '').join('\n')).toContain(hint);
});

it('counts one item as one', async () => {
  writeFileSync(join(folder, 'tradeform.yaml'), `${PROJECT}spec: { manifests: [] }\n`);
  const { diagnostics } = await readProject({ cwd: folder });
  expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(/at least 1 item$/)]);
});
