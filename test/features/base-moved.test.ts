import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../src/core/features/apply.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { type PlanCommandOptions, runPlan } from '../../src/core/features/plan.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
let base: string;

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'beta'] });
  base = project.git('rev-parse', 'HEAD');
});

const move = (from: string, to: string) => renameSync(join(project.path, from), join(project.path, to));

/** The same commit that reorganises the project changes a task, adds one and removes one. */
const MOVES: readonly (readonly [string, () => void, PlanCommandOptions & { folder?: string }])[] = [
  ['its project file is renamed', () => move('tradeform.yaml', 'core.yaml'), { project: 'core.yaml' }],
  [
    'its folder is moved',
    () => {
      project.write('desk/notes.txt', '');
      move('tradeform.yaml', 'desk/tradeform.yaml');
      move('manifests', 'desk/manifests');
    },
    { folder: 'desk' },
  ],
  [
    'its folder of manifests is renamed',
    () => {
      project.settings('manifests: ["tasks/*.yaml"]');
      move('manifests', 'tasks');
    },
    {},
  ],
];

it('finds the project where it was before it took the place of another one', async () => {
  const settings = project.read('tradeform.yaml');
  project.write('desk/tradeform.yaml', settings.replace(/name: \S+/, 'name: guest'));
  project.commit('a guest');
  base = project.git('rev-parse', 'HEAD');
  move('tradeform.yaml', 'desk/tradeform.yaml');
  move('manifests', 'desk/manifests');
  project.write(
    'desk/manifests/alpha.yaml',
    project.read('desk/manifests/alpha.yaml').replace(/buy_amount: .*/, "buy_amount: '0.1'"),
  );
  project.commit('reorganised');
  for (const given of [{ base }, {}]) {
    const { code, stdout } = await project.run((io) => runPlan({ only: 'pending', ...given }, io), {
      cwd: join(project.path, 'desk'),
    });
    expect([code, stdout.includes('→ 0.1 SOL'), stdout.includes('Left as they are')]).toEqual([
      0,
      true,
      false,
    ]);
  }
});

describe.each(MOVES)('a base from before %s', (_name, reorganise, { folder = '.', ...place }) => {
  beforeEach(() => {
    project.task('alpha', { amount: '0.1' });
    project.task('gamma');
    project.erase('manifests/beta.yaml');
    reorganise();
    project.commit('reorganised');
  });

  const here = () => ({ cwd: join(project.path, folder) });

  it('tells what git changed', async () => {
    const drift = await project.run((io) => runDrift({ output: 'json', ...place }, io), here());
    const items = JSON.parse(drift.stdout).items as readonly { class: string; address: string }[];
    expect(items.map((item) => `${item.class} ${item.address}`).sort()).toEqual([
      'missing sniper/gamma',
      'pending sniper/alpha',
      'pending sniper/beta',
    ]);
    const given = { only: 'pending', base, autoApprove: true, ...place } as const;
    expect(await project.run((io) => runApply(undefined, given, io), here())).toMatchObject({ code: 0 });
    expect(project.tasks()).toHaveLength(2);
    expect([project.live('alpha').config.buy_amount, project.live('gamma').is_active]).toEqual(['0.1', true]);
  });

  it('has its rules', async () => {
    const { code, stdout } = await project.run(
      (io) => runPlan({ base, output: 'json', ...place }, io),
      here(),
    );
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string }[] };
    expect([code, diagnostics.filter((one) => one.code.startsWith('base-'))]).toEqual([0, []]);
  });
});

it('before the first apply, nobody is said to have deleted what the base has', async () => {
  const empty = await openProject();
  empty.commit('the first manifests');
  const { stdout } = await empty.run((io) => runPlan({ only: 'pending', base: 'HEAD', output: 'json' }, io));
  expect(stdout).toContain('No task of this project is on the service: nothing was applied yet');
  expect(stdout).not.toContain('somebody deleted');
});
