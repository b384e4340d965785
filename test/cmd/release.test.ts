import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readProject } from '../../src/core/project/project.ts';
import { sniperConfig, uuid, wallet } from '../support/builders.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { withVersion } from '../support/versions.ts';
import { CANARY, folder, type Ran, type RunningSandbox, startSandbox, tradeform } from './run.ts';

/** The built program against a sandbox in a process of its own, over HTTP. One story: each test begins where the last ended. */

const HEAD = 'apiVersion: tradeform/v1\n';
const task = (index: number, name: string) => ({
  kind: 'sniper',
  id: uuid(index),
  remark: `Note [git:core/${name}@0]`,
  target_wallet: wallet(index),
  config: sniperConfig(),
  label: 'High risk',
  is_active: true,
});
const TASKS = [task(1, 'dawn'), task(2, 'night'), task(3, 'noon')];
const seedOf = (tasks: typeof TASKS) => ({
  accounts: [
    {
      login_username: 'whales',
      tokens: [{ token: CANARY }],
      labels: [{ name: 'High risk' }],
      templates: [{ kind: 'sniper', name: 'Base, 2024', config: sniperConfig() }],
      tasks,
    },
  ],
});
const manifest = (name: string, index: number, label?: string) =>
  JSON.stringify({
    apiVersion: 'tradeform/v1',
    kind: 'SniperTask',
    metadata: { name },
    spec: {
      state: 'active',
      remark: 'Note',
      ...(label === undefined ? {} : { label }),
      target_wallet: wallet(index),
      config: sniperConfig(),
    },
  });

let sandbox: RunningSandbox;
const seeds = temporaryFolder('seed');
const project = folder({
  'tradeform.yaml': `${HEAD}kind: Project\nmetadata: { name: core }\n`,
  'manifests/dawn.yaml': manifest('dawn', 1, 'high-risk'),
  'manifests/night.yaml': manifest('night', 2, 'high-risk'),
  'manifests/noon.yaml': manifest('noon', 3, 'high-risk'),
  'manifests/label.yaml': `${HEAD}kind: Label\nmetadata: { name: high-risk }\nspec: { name: High risk }\n`,
});

function online(...args: string[]): Promise<Ran> {
  return tradeform(args, {
    cwd: project.path,
    env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
  });
}

async function tasks(): Promise<Record<string, string>> {
  const { stdout } = await online('status', '-o', 'json', '-q');
  const report = JSON.parse(stdout) as { tasks: { id: string; owner: string; live: string }[] };
  return Object.fromEntries(report.tasks.map(({ id, owner, live }) => [id, `${owner} ${live}`]));
}

beforeAll(async () => {
  const seed = join(seeds, 'seed.json');
  const { state } = await readProject({ cwd: project.path });
  const tasks = TASKS.map((seeded) => {
    const wanted = state?.tasks.find(({ target_wallet }) => target_wallet === seeded.target_wallet);
    if (wanted === undefined) throw new Error('no manifest has this target');
    return { ...seeded, remark: withVersion(seeded.remark, wanted) };
  });
  writeFileSync(seed, JSON.stringify(seedOf(tasks)));
  sandbox = await startSandbox([], seed);
});

describe('release and Removal', () => {
  it('begins with nothing to do', async () => {
    expect(await online('plan', '--detailed-exitcode')).toMatchObject({ code: 0, stderr: '' });
  });

  it('release: refused without a yes, done with --auto-approve; stdout is one document', async () => {
    const refused = await online('release', '--id', uuid(3));
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toMatch(/"Note \[git:core\/noon@0\.\w{8}\]" → "Note"/);
    const { code, stdout, stderr } = await online(
      ...['release', '--id', uuid(3), '--auto-approve', '-o', 'json', '--quiet'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'tradeform.report/2',
      record: { command: 'release' },
      outcome: 'done',
      diagnostics: [{ code: 'release-named', address: 'sniper/noon' }],
    });
    expect(await tasks()).toMatchObject({ [uuid(3)]: 'unmanaged running' });
  });

  it('the manifest still names it: the next apply adopts it, as announced', async () => {
    const { stdout } = await online('apply', '--auto-approve', '--first-apply', '-q');
    expect(stdout).toMatch(/ 1 to change \(adopted: only the remark\) .*\n[\s\S]*~ sniper\/noon /);
    expect(await tasks()).toMatchObject({ [uuid(3)]: 'owned running' });
  });

  it('Removals of resources that have a manifest are all reported at once', async () => {
    writeFileSync(
      join(project.path, 'manifests/removals.yaml'),
      `${HEAD}kind: Removal\nmetadata: { name: gone }\nspec:\n  release: true\n  resources: [sniper/night, label/High risk, "sniper-template/Base, 2024"]\n`,
    );
    const { code, stderr } = await online('validate');
    expect(code).toBe(3);
    expect(stderr.match(/removal-contradicted/g)).toHaveLength(2);
  });

  it('in the commit that removes the manifests: one apply, and then nothing to do', async () => {
    for (const [name, index] of [
      ['dawn', 1],
      ['noon', 3],
    ] as const) {
      writeFileSync(join(project.path, `manifests/${name}.yaml`), manifest(name, index));
    }
    rmSync(join(project.path, 'manifests/night.yaml'));
    rmSync(join(project.path, 'manifests/label.yaml'));
    const plan = await online('plan', '--out', 'go.plan');
    expect(plan.stdout).toContain(
      ' 3 to change (1 released) · 0 to start · 0 to stop · 2 to delete · 0 blocked',
    );
    expect(plan.stdout).toContain('it keeps running unchanged,\nand is no longer managed from git');
    expect(await online('apply', 'go.plan', '-q')).toMatchObject({ code: 0 });
    expect(await tasks()).toEqual({
      [uuid(1)]: 'owned running',
      [uuid(2)]: 'unmanaged running',
      [uuid(3)]: 'owned running',
    });
    const { code, stdout } = await online('plan', '--detailed-exitcode');
    expect(code).toBe(0);
    expect(stdout).toContain('No changes.');
    expect(await online('apply', 'go.plan', '-q')).toMatchObject({ code: 0 });
    expect(await online('drift', '-q')).toMatchObject({ code: 0 });
  });
});
