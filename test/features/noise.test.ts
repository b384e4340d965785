import { beforeAll, expect, it } from 'vitest';
import { runnerCommands } from '../render/formats/runner.ts';
import { strangers } from '../render/markdown/reading.ts';
import { seedTask, sniperConfig, wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const MANY = 700;
/** In the middle by its address: neither first nor last by chance. */
const DEAR = 'task-350';
const GITHUB_COMMENT = 65_536;

let project: ProjectRun;
beforeAll(async () => {
  project = await open();
});

function document(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'tradeform/v1', kind, metadata: { name }, spec });
}

const nameOf = (index: number) => `task-${String(index).padStart(3, '0')}`;
const LIVE = sniperConfig({ dex_source: 'config', selected_dexes: ['pump-fun'] });
const CHANGED = {
  ...LIVE,
  relay_mode: { ...(LIVE.relay_mode as object), slippage: '45' },
  selected_dexes: ['bags', 'believe'],
  auto_sell: { ...(LIVE.auto_sell as object), expiry_time: '7' },
};

/** 700 running tasks: git gives each another note, and one of them other slippage, DEXes and selling. */
async function open(): Promise<ProjectRun> {
  const tasks = Array.from({ length: MANY }, (_item, index) => {
    const remark = `Live ${index} [git:core/${nameOf(index)}@0]`;
    return seedTask(index, { remark, target_wallet: wallet(1), version: 4, config: LIVE });
  });
  const opened = await openProject({ seed: { accounts: [{ quota: { max: 1_000 }, tasks }] } });
  const manifests = Array.from({ length: MANY }, (_item, index) =>
    document('SniperTask', nameOf(index), {
      state: 'active',
      remark: `A new, rather long note ${index}`,
      target_wallet: wallet(1),
      config: nameOf(index) === DEAR ? CHANGED : LIVE,
    }),
  );
  opened.write('manifests/alpha.yaml', manifests.join('\n---\n'));
  opened.erase('manifests/label.yaml');
  opened.write('tradeform.yaml', document('Project', 'core', { guardrails: { max_changes: 1_000 } }));
  return opened;
}

const MONEY = [
  `- sniper/${DEAR} config.relay_mode.slippage: 10`,
  `+ sniper/${DEAR} config.relay_mode.slippage: 45`,
  `- sniper/${DEAR} config.selected_dexes[]: pump-fun`,
  `+ sniper/${DEAR} config.selected_dexes[]: bags`,
  `+ sniper/${DEAR} config.auto_sell.expiry_time: 7`,
];

it('one change of 700 that costs money is complete in a comment of GitHub, and comes before the notes', async () => {
  const { code, stdout, diagnostics } = await project.plan({ output: 'markdown', maxBytes: GITHUB_COMMENT });
  expect(code, JSON.stringify(diagnostics)).toBe(0);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(GITHUB_COMMENT);
  expect(stdout).toContain(`**Shortened to ${GITHUB_COMMENT} bytes**`);
  const places = MONEY.map((line) => stdout.indexOf(`\n${line}`));
  expect(
    places.every((place) => place > 0),
    stdout.slice(0, 3_000),
  ).toBe(true);
  expect(Math.max(...places)).toBeLessThan(stdout.indexOf('remark: '));
  expect(strangers(stdout)).toEqual([]);
  // Also where there is hardly room for anything.
  const tight = await project.plan({ output: 'markdown', maxBytes: 1_900 });
  for (const line of MONEY) expect(tight.stdout).toContain(`\n${line}`);
  expect(tight.stdout).toContain('| update | 699 snipers: ');
  expect(tight.stdout).toMatch(/… and more: names and notes \d+/);
});

it('a terminal shows it first, and the plan document stays in the order of addresses', async () => {
  const { stdout } = await project.plan();
  const first = /^~ sniper\/\S+/m.exec(stdout)?.[0];
  expect(first).toBe(`~ sniper/${DEAR}`);
  const { stdout: json } = await project.plan({ output: 'json' });
  const { changes } = JSON.parse(json) as { changes: { address: string }[] };
  const addresses = changes.map(({ address }) => address);
  expect(addresses).toEqual(addresses.toSorted());
});

it('one of ten annotations is about it', async () => {
  // Each of these tasks gets a warning of its own.
  const lint = Array.from({ length: MANY }, (_item, index) =>
    document('SniperTask', nameOf(index), {
      state: 'active',
      remark: `Note ${index}`,
      target_wallet: wallet(1),
      config: { ...(nameOf(index) === DEAR ? CHANGED : LIVE), dex_source: 'global' },
    }),
  );
  project.write('manifests/alpha.yaml', lint.join('\n---\n'));
  const { stdout } = await project.plan({ output: 'github' });
  const warnings = runnerCommands(stdout).filter(({ command }) => command === 'warning');
  expect(warnings).toHaveLength(10);
  expect(warnings[0]?.properties.title).toContain(`sniper/${DEAR}`);
});
