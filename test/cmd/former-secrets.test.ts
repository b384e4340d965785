import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openProject, type ProjectRun } from '../features/project-run.ts';
import { copyTrade, sniper, sniperTemplate, WALLETS } from '../manifest/samples.ts';
import { uuid, wallet } from '../support/builders.ts';
import { afterwards, temporaryFolder } from '../support/cleanup.ts';
import { expectNoTrace } from '../support/traces.ts';
import { tradeform } from './run.ts';

/** What git took from the environment, and that no variable of the job has. None may be seen, nor a part of one. */
const ENV = {
  AMOUNT: '7.6543219',
  TIP: '0.00871937',
  TARGET: 'BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT',
  LINKED: wallet(77),
  NOTE: 'Quiet harbour',
};
const TRACES = [...Object.values(ENV), '65432', '871937', 'harbour', '66314127', '32628254'];

let project: ProjectRun;
let env: Readonly<Record<string, string>>;
/** What a webhook and a chat were told. */
let told: string;

const alpha = (values: typeof ENV, more = '') =>
  sniper({ amount: `"${values.AMOUNT}"`, spec: `  remark: ${values.NOTE}\n${more}` }).replace(
    'tip_amount: 0.001',
    `tip_amount: "${values.TIP}"`,
  );

/** The manifests, with these values. */
function write(values: typeof ENV, more = ''): void {
  project.write('manifests/alpha.yaml', alpha(values));
  project.write('manifests/gone.yaml', alpha(values).replace('name: alpha', 'name: gone'));
  project.write(
    'manifests/idle.yaml',
    alpha(values).replace('name: alpha', 'name: idle').replace('state: active', 'state: paused'),
  );
  for (const name of ['twin', 'hurt'])
    project.write(`manifests/${name}.yaml`, alpha(values).replace('name: alpha', `name: ${name}`));
  project.write('manifests/kept.yaml', alpha(values, more).replace('name: alpha', 'name: kept'));
  project.write(
    'manifests/whale.yaml',
    copyTrade({ wallet: values.TARGET, spec: `  linked_wallets: ["${values.LINKED}"]\n` }),
  );
  project.write(
    'manifests/base.yaml',
    sniperTemplate('base').replace(/buy_amount: .*/, `buy_amount: "${values.AMOUNT}"`),
  );
}

async function listen(): Promise<string> {
  told = '';
  const server = createServer((request, response) => {
    request.on('data', (chunk) => {
      told += String(chunk);
    });
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const references = Object.fromEntries(
  Object.keys(ENV).map((name) => [name, `\${env.${name}}`]),
) as typeof ENV;
const CONSTANTS = {
  AMOUNT: '0.01',
  TIP: '0.001',
  TARGET: WALLETS[1],
  LINKED: WALLETS[2],
  NOTE: 'Loud harvest',
};

/** A commit takes its values from the environment, and is applied; the next one has constants. */
async function open(): Promise<void> {
  const hook = await listen();
  project = await openProject({ env: ENV });
  project.settings('guardrails: { max_deletes: 100%, max_factor: 1000 }');
  project.write('.gitignore', 'journal/\nfleet.yaml\nout*\n');
  const notifications = join(temporaryFolder(), 'notifications.yaml');
  writeFileSync(
    notifications,
    'apiVersion: tradeform/v1\nkind: Notifications\nmetadata: { name: desk }\nspec:\n  channels:\n    desk: { type: webhook, url_env: HOOK, secret_env: KEY }\n    chat: { type: slack, url_env: HOOK }\n',
  );
  project.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${project.baseUrl}", units: [{ name: one, project: ., token_env: TRADEFORM_TOKEN }] }\n`,
  );
  write(CONSTANTS);
  project.commit('constants');
  write(references);
  project.commit('values of the environment');
  await project.applied();
  const twin = project.live('twin');
  project.sandbox.apply([{ type: 'task', record: { ...twin, id: uuid(0x77) } }]);
  project.edit('hurt', { remark: `${project.live('hurt').remark.slice(0, -1)} x]` });
  write(CONSTANTS, '  lifecycle: { ignore_changes: [remark, config.relay_mode.tip_amount] }\n');
  project.erase('manifests/gone.yaml');
  project.commit('constants');
  const bare = Object.entries(project.env).filter(([name]) => !Object.hasOwn(ENV, name));
  env = {
    ...(Object.fromEntries(bare) as Record<string, string>),
    ...{ HOOK: `${hook}/hook`, KEY: 'canary-key-0123456789' },
    TRADEFORM_NOTIFICATIONS: notifications,
    TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN=${new URL(project.baseUrl).origin}`,
    TRADEFORM_JOURNAL: join(project.path, 'journal'),
  };
  mkdirSync(join(project.path, 'out'));
}

async function run(line: string) {
  const id = (_: string, name: string) => project.live(name).id;
  const args = line.replace(/ID:(\w+)/g, id).split(' ');
  const ran = await tradeform(args, { cwd: project.path, env });
  for (const [name, text] of Object.entries({ ...ran, told }))
    expectNoTrace(String(text), TRACES, `${line}: ${name}`);
  for (const folder of ['journal', 'out'])
    for (const file of filesIn(folder))
      expectNoTrace(project.read(`${folder}/${file}`), TRACES, `${line}: ${folder}/${file}`);
  return ran;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(join(project.path, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.\w+$/.test(file),
    );
  } catch {
    return [];
  }
}

async function ends(line: string, code: number): Promise<void> {
  const [last = '', ...before] = line.split(' && ').reverse();
  for (const each of before.reverse()) await run(each);
  const ran = await run(last);
  expect(ran, ran.stderr).toMatchObject({ code });
}

const MONITORS = '--notify desk --notify chat';
/** One run shows its result in all formats. */
const REPORTS = ['json', 'markdown', 'html'].map((name) => `--report ${name}=out/report.${name}`).join(' ');

describe('what writes nothing', () => {
  beforeAll(open);

  it.each<[line: string, code: number]>([
    [`plan -v ${REPORTS}`, 0],
    [`plan -v --only pending ${REPORTS}`, 0],
    [`plan -v --base HEAD~1 ${REPORTS}`, 0],
    [`drift -v ${MONITORS} ${REPORTS}`, 2],
    [`status -v ${REPORTS}`, 0],
    ['render', 0],
    ['render -o json', 0],
    ['render --diff HEAD~1', 0],
    ['render --diff HEAD~1 -o json', 0],
    ['export', 0],
    ['export -o json', 0],
    ['pause --all --dry-run -v', 0],
    ['pause --all --dry-run -v -o json', 0],
    ['release --id ID:alpha --dry-run -v', 0],
    ['release --id ID:alpha --dry-run -v -o json', 0],
    ['rollback HEAD~1 --auto-approve -v', 3],
    ['rollback HEAD~1 --auto-approve -v -o json', 3],
    [`fleet plan -v ${REPORTS}`, 0],
    [`fleet drift ${MONITORS} ${REPORTS}`, 2],
    ['fleet status', 0],
    ['fleet status -o json', 0],
    ['doctor', 0],
    ['doctor -o json', 0],
  ])('%s', (line, code) => ends(line, code));
});

describe('what writes', () => {
  beforeEach(open);

  it.each<[line: string, code: number]>([
    ['export --out .', 0],
    [`apply --auto-approve -v ${MONITORS} ${REPORTS}`, 1],
    [`apply --auto-approve --only pending -v ${MONITORS} ${REPORTS}`, 1],
    [
      `apply --auto-approve -q && log ${REPORTS} && log show latest -v && log show latest -v -o json && log restore sniper/gone --at latest`,
      0,
    ],
    [
      'pause --all -v && status -v && log show latest -v && log show latest -o json && log restore sniper/alpha --at latest && resume --all --auto-approve --as-stored -v',
      0,
    ],
    ['pause --all -v -o json && resume --all --auto-approve --as-stored -v -o json', 0],
    ['release --id ID:alpha --auto-approve -v', 0],
    ['rollback HEAD~2 --auto-approve -v', 1],
    [`fleet apply --auto-approve ${MONITORS} ${REPORTS}`, 1],
    ['fleet pause --all', 0],
  ])('%s', (line, code) => ends(line, code));
});
