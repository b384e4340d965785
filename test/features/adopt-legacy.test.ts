import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { runExport } from '../../src/kit/export/export.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { PROJECT } from '../manifest/samples.ts';
import { copyTradeConfig, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const ID = uuid(7);
/** A field that is gone, and an amount as a number. */
const LEGACY = { ...sniperConfig(), buy_amount: 0.5, since_dropped: 'x' };

let project: ProjectRun | undefined;

async function open(task: Omit<SeedTask, 'id'>, choices: Partial<Choices> = {}): Promise<ProjectRun> {
  project = await openProject({ seed: { choices, accounts: [{ tasks: [{ ...task, id: ID }] }] } });
  rmSync(join(project.path, 'manifests'), { recursive: true });
  project.write('tradeform.yaml', `${PROJECT}spec:\n  account: { token_prefix: svc_live_5a4d0b0c }\n`);
  return project;
}

const legacy = (remark = 'By hand'): Omit<SeedTask, 'id'> => ({
  kind: 'sniper',
  remark,
  target_wallet: wallet(1),
  config: LEGACY,
  legacy: true,
  is_active: false,
});
const stored = () => project?.sandbox.state.tasks.get(ID);
const APPLY = { autoApprove: true, firstApply: true } as const;
const shown = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Writes the manifests of what is live, edited; the text of the task's. */
async function exported(run: ProjectRun, edit = (text: string) => text): Promise<string> {
  const { code, stderr } = await run.run((io) => runExport([], { out: '.' }, io));
  expect(code, stderr).toBe(0);
  const files = readdirSync(run.path, { recursive: true, encoding: 'utf8' });
  const [file = ''] = files.filter((name) => name.startsWith('manifests/') && name.endsWith('.yaml'));
  const text = edit(readFileSync(join(run.path, file), 'utf8'));
  run.write(file, text);
  return text;
}

describe.each(['never', 'always', 'when-paused'] as const)(
  'a service that validates the stored config with a remark: %s',
  (answer) => {
    const choices = { remark_patch_revalidates: answer };

    it.each([
      ['adopted', 'By hand', 'By hand'],
      ['given another note', 'Early [git:core/alpha@0]', 'Late'],
    ])('a paused task on a legacy config that is %s keeps it if possible', async (_what, remark, note) => {
      const run = await open(legacy(remark), choices);
      await exported(run, (text) => text.replace('remark: Early', `remark: ${note}`));
      const config = structuredClone(stored()?.config);
      expect(shown((await run.plan()).stdout)).not.toContain('since_dropped');
      const applied = await run.apply(undefined, { ...APPLY, output: 'json' });
      expect(applied.code, applied.stdout).toBe(0);
      expect(stored()).toMatchObject({
        remark: expect.stringContaining(`${note} [git:core/`),
        is_active: false,
      });
      const told = shown(applied.stdout).includes('accepted it only with a current config');
      if (answer === 'never') expect([stored()?.config, told]).toEqual([config, false]);
      else expect([stored()?.config, told]).toEqual([sniperConfig(), true]);
      expect(await run.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
    });

    it('a start writes the config that the service starts', async () => {
      const run = await open(legacy('Early [git:core/alpha@0]'), choices);
      await exported(run);
      expect(await run.apply(undefined, { ...APPLY, resumeStopped: true })).toMatchObject({ code: 0 });
      expect(stored()).toMatchObject({ is_active: true, config: sniperConfig() });
    });
  },
);

it('a value that no manifest can express keeps no paused task out of the export', async () => {
  const run = await open({ ...legacy(), config: { ...LEGACY, selected_dexes: ['a-dex-that-is-gone'] } });
  const config = structuredClone(stored()?.config);
  const text = await exported(run);
  expect(shown(text.replaceAll('#', ''))).toContain(
    'a form that the service does not document, and may refuse',
  );
  expect(await run.apply(undefined, APPLY)).toMatchObject({ code: 0 });
  expect(stored()?.config).toEqual(config);
  expect(await run.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
});

it('0 on the unused side is no legacy: it is exported, adopted and left unchanged', async () => {
  const set = copyTradeConfig().buy_config_universal as JsonObject;
  const config = copyTradeConfig({ buy_config_tiers: [{ ...set, amount_sol: '0' }] });
  const choices = { inactive_amount: 'any-decimal', remark_patch_revalidates: 'always' } as const;
  const run = await open({ ...legacy(), kind: 'copy-trade', config, legacy: false }, choices);
  const text = await exported(run);
  expect(text).toContain('amount_sol: "0"');
  expect(text).not.toContain('ignore_changes');
  expect(await run.apply(undefined, APPLY)).toMatchObject({ code: 0 });
  expect(stored()?.config).toEqual(config);
  expect(await run.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
});
