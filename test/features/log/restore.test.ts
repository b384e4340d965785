import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runApply } from '../../../src/core/features/apply.ts';
import { runPause } from '../../../src/core/features/switch/pause.ts';
import { formatPath, mapLeaves } from '../../../src/core/manifest/spans.ts';
import type { ApplyReport } from '../../../src/core/model/generated/report.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { SECRET } from '../../../src/core/model/secret.ts';
import { runLogRestore } from '../../../src/kit/log/restore.ts';
import { copyTrade, label, sniper, sniperTemplate, WALLETS } from '../../manifest/samples.ts';
import { openProject, type ProjectRun } from '../project-run.ts';

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'bravo'] });
  project.write('.gitignore', 'journal/\n');
  project.commit('ignore the journal');
});

const runs = () => readdirSync(join(project.path, 'journal')).sort();
const newest = () =>
  JSON.parse(readFileSync(join(project.path, 'journal', runs().at(-1) ?? ''), 'utf8')) as ApplyReport;
const apply = async (env = {}) => {
  const given = { autoApprove: true, allowEmpty: true, journal: 'journal' };
  const over = { env: { ...project.env, ...env } };
  const { code, diagnostics } = await project.run((io) => runApply(undefined, given, io), over);
  expect([code, diagnostics]).toEqual([0, []]);
};
const restored = async (address: string, at = runs().at(-1)?.replace('.json', '') ?? '') =>
  project.run((io) => runLogRestore(address, { at, journal: 'journal' }, io));
const refused = async (text: string) => {
  project.write('manifests/restored.yaml', text);
  const { code, stdout } = await project.validate({ output: 'json' });
  const { diagnostics } = JSON.parse(stdout) as Pick<ApplyReport, 'diagnostics'>;
  return [code, diagnostics.map(({ code: kind, message }) => `${kind}: ${message}`)] as const;
};

/** A copy-trade task whose values stand in variables. */
const WITH_SECRETS = copyTrade({ name: 'hushed' })
  .replace(/target_wallet: .*/, (line) => `${line}\n  remark: "\${env.NOTE}"`)
  .replace(/min_trade_amount: .*/, 'min_trade_amount: "${env.LEAST}"')
  .replace(/amount_sol: .*/, 'amount_sol: "${env.AMOUNT}"');

it('prints what validate refuses in place of each value from the environment, and names the fields', async () => {
  const env = { NOTE: 'hush hush', LEAST: '7.31', AMOUNT: '0.73519' };
  project.write('manifests/hushed.yaml', WITH_SECRETS);
  project.commit();
  await apply(env);
  project.erase('manifests/hushed.yaml');
  project.commit();
  await apply(env);
  const { code, stdout } = await restored('copy-trade/hushed');
  expect(code).toBe(0);
  const fields = ['remark', 'config.buy_config_universal.amount_sol', 'config.min_trade_amount'];
  expect(stdout).toContain('because they may have come from the environment. Write each of them:\n');
  expect(stdout).toMatch(/^# As it was before \S+, of commit\n# [0-9a-f]{40}: git has/);
  for (const field of fields) expect(stdout).toContain(`#   ${field}\n`);
  expect(stdout).not.toContain('ignore_changes');
  expect(await refused(stdout)).toEqual([
    3,
    fields.map((field) => `invalid-reference: \${${SECRET} ${field}} is not a valid reference`),
  ]);
});

const REMOVAL = 'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: r }\n';

it('of a template that a Removal takes away, the values of the environment are in no record', async () => {
  const env = { AMOUNT: '0.37' };
  const hushed = sniperTemplate('tp', '  name: Hushed\n');
  project.write('manifests/tp.yaml', hushed.replace(/buy_amount: .*/, 'buy_amount: "${env.AMOUNT}"'));
  project.commit();
  await apply(env);
  // A literal that was never applied: the live value is still the one of the environment.
  project.write('manifests/tp.yaml', hushed);
  project.commit();
  project.write('manifests/tp.yaml', `${REMOVAL}spec: { resources: [sniper-template/Hushed] }\n`);
  project.commit();
  await apply(env);
  expect(newest().changes).toMatchObject([{ former: { config: { buy_amount: SECRET, buy_once: false } } }]);
  expect(JSON.stringify(newest())).not.toContain('0.37');
});

const OTHERWISE = copyTrade({ name: 'hushed' });

it.each([
  ['that git no longer names', () => project.erase('manifests/hushed.yaml'), WALLETS[1]],
  ['that git describes otherwise', () => project.write('manifests/hushed.yaml', OTHERWISE), WALLETS[1]],
  [
    'whose commit is gone',
    () => {
      project.git('reset', '-q', '--hard', 'HEAD~1');
      project.write('manifests/hushed.yaml', OTHERWISE);
    },
    SECRET,
  ],
])('a pause shows nothing that git took from the environment of a task %s', async (_, change, shown) => {
  const env = { NOTE: 'hush', LEAST: '7.31', AMOUNT: '0.37' };
  project.write('manifests/hushed.yaml', WITH_SECRETS.replace('state: paused', 'state: active'));
  project.commit();
  await apply(env);
  change();
  project.commit();
  await project.run((io) => runPause([], { all: true, journal: 'journal' }, io));
  const former = newest().changes.find(({ address }) => address === 'copy-trade/hushed')?.former;
  expect(former).toMatchObject({ remark: SECRET, target_wallet: shown, is_active: true });
  expect(JSON.stringify(former)).not.toMatch(/"(?:7\.31|0\.37)/);
});

it('leaves no hidden value out, whichever fields are hidden', async () => {
  project.write('manifests/loud.yaml', copyTrade({ name: 'loud' }));
  project.commit();
  await apply();
  project.erase('manifests/loud.yaml');
  project.commit();
  await apply();
  const report = newest();
  const hidden: string[] = [];
  const changes = report.changes.map((change) => {
    const { config, ...former } = change.former as JsonObject & { config: JsonObject };
    const masked = mapLeaves(config, ['config'], (_, path) => {
      hidden.push(formatPath(path));
      return SECRET;
    });
    hidden.push('target_wallet', 'linked_wallets');
    return {
      ...change,
      former: { ...former, config: masked, target_wallet: SECRET, linked_wallets: SECRET },
    };
  });
  writeFileSync(join(project.path, 'journal', 'made.json'), JSON.stringify({ ...report, changes }));
  const { stdout } = await restored('copy-trade/loud', 'made');
  for (const field of hidden) expect(stdout).toContain(`\${${SECRET} ${field}}`);
  expect(hidden.length).toBeGreaterThan(20);
});

it('prints a value that no manifest can express as it was stored', async () => {
  const config = { ...project.live('alpha').config, selected_dexes: ['gone'] };
  project.erase('manifests/alpha.yaml');
  project.commit();
  await apply();
  const report = newest();
  const changes = report.changes.map((change) => ({ ...change, former: { ...change.former, config } }));
  writeFileSync(join(project.path, 'journal', 'made.json'), JSON.stringify({ ...report, changes }));
  const { stdout } = await restored('sniper/alpha', 'made');
  expect(stdout).toMatch(/selected_dexes:\n +- gone\n/);
  const [code, [message]] = await refused(stdout);
  expect([code, message]).toEqual([3, expect.stringContaining('gone')]);
});

it('names the label of a task', async () => {
  const labelled = sniper({ name: 'calm', wallet: WALLETS[2], spec: '  label: hr\n' });
  project.write('manifests/calm.yaml', `${label('hr', '  name: High risk\n')}---\n${labelled}`);
  project.commit();
  await apply();
  project.write('manifests/calm.yaml', label('hr', '  name: High risk\n'));
  project.commit();
  await apply();
  expect((await restored('sniper/calm')).stdout).toContain(
    '# It had the label "High risk", which is left out here.\n',
  );
});

it('gives a label and a template a name that a manifest can have', async () => {
  project.write(
    'manifests/others.yaml',
    `${label('hr', '  name: High risk\n')}---\n${sniperTemplate('tp', '  name: "Äöü"\n')}`,
  );
  project.commit();
  await apply();
  const removed = `${REMOVAL}spec: { resources: [label/High risk, sniper-template/Äöü] }\n`;
  project.write('manifests/others.yaml', removed);
  project.commit();
  await apply();
  project.erase('manifests/others.yaml');
  for (const [address, name, shown] of [
    ['label/High risk', 'high-risk', 'High risk'],
    ['sniper-template/Äöü', 'aou', 'Äöü'],
  ] as const) {
    const { stdout } = await restored(address);
    expect(stdout).toContain(`metadata:\n  name: ${name}\nspec:\n  name: ${shown}\n`);
    expect(await refused(stdout)).toEqual([0, []]);
  }
});
