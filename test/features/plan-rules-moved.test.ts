import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type PlanCommandOptions, runPlan } from '../../src/core/features/plan.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { sniper } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const LIMITED = { guardrails: { max_buy_amount: '1' } };
const GUARDED = { account: { login_username: 'minnows' }, ...LIMITED };
const LOOSE = { guardrails: { max_buy_amount: null } };

let project: ProjectRun;

/** A repository whose main has nothing yet. The base URL is named outside of it, as CI does. */
beforeEach(async () => {
  project = await openProject({ files: {} });
  mkdirSync(join(project.path, 'desk'));
});

function rules(file: string, spec: object, metadata: object = { name: 'core' }): void {
  const document = { apiVersion: 'tradeform/v1', kind: 'Project', metadata, spec };
  project.write(file, `${JSON.stringify(document, null, 2)}\n`);
}

function task(amount: string, text: Parameters<typeof sniper>[0] = {}): void {
  project.write('desk/manifests/alpha.yaml', sniper({ amount, ...text }));
}

/** What stands here is main; what follows is a branch of it. */
function merged(): void {
  project.commit();
  project.git('checkout', '-q', '-B', 'branch');
}

/** `tradeform -C desk plan --base main`. */
async function against(options: PlanCommandOptions = {}, folder = 'desk') {
  const given = { base: 'main', output: 'json', ...options };
  const result = await project.run((io) => runPlan(given, io), { cwd: join(project.path, folder) });
  const plan = (result.stdout.startsWith('{') ? JSON.parse(result.stdout) : undefined) as Plan;
  const errors = (plan?.diagnostics ?? []).filter(({ severity }) => severity === 'error');
  return { ...result, plan, errors };
}

function told({ rules_changed: changes }: Plan): readonly string[] | undefined {
  return changes?.map(({ rule, effect, added = [], removed = [] }) =>
    [rule, effect, ...added.map((item) => `+${item}`), ...removed.map((item) => `-${item}`)].join(' '),
  );
}

/** Refused, and let through by an override of this plan alone. */
async function refused(message: RegExp, options: PlanCommandOptions = {}, folder = 'desk') {
  const { code, errors, plan } = await against(options, folder);
  expect(code).toBe(4);
  expect(errors).toMatchObject([{ code: 'base-rules-unknown', message: expect.stringMatching(message) }]);
  expect(errors[0]?.location?.file).toMatch(/^(?:tradeform|core)\.yaml$/);
  const override = `base_rules=${plan.digest}`;
  expect(errors[0]?.hint).toContain(`--override ${override}`);
  expect(await against({ ...options, override: [override] }, folder)).toMatchObject({ code: 0, errors: [] });
  const other = await against({ ...options, override: [`base_rules=${'0'.repeat(64)}`] }, folder);
  expect(other.code).toBe(4);
}

/** Found by its name: what it refuses is refused. */
async function judged(options: PlanCommandOptions = {}): Promise<void> {
  const { code, errors } = await against(options);
  expect([code, errors.map((one) => one.code)]).toEqual([4, ['guardrail-max-buy-amount']]);
}

describe('a project file that the base has elsewhere', () => {
  beforeEach(() => {
    rules('desk/tradeform.yaml', LIMITED);
    task('0.5');
    merged();
  });

  test('in a folder below: the search upward finds the one that this change adds', async () => {
    project.erase('desk/tradeform.yaml');
    rules('tradeform.yaml', { ...LOOSE, manifests: ['desk/manifests/**/*.yaml'] });
    task('5');
    await judged();
  });

  test('in a folder that is moved as a whole', async () => {
    renameSync(join(project.path, 'desk'), join(project.path, 'bureau'));
    rules('bureau/tradeform.yaml', LOOSE, { name: 'other' });
    await refused(/its project files are desk\/tradeform\.yaml\./, {}, 'bureau');
  });

  test('under another name, which --project gives', async () => {
    rules('desk/core.yaml', LOOSE);
    task('5');
    await judged({ project: 'core.yaml' });
  });

  test('twice, under its name: nobody knows which one is meant', async () => {
    rules('other/tradeform.yaml', LOOSE);
    merged();
    project.git('branch', '-qf', 'main');
    renameSync(join(project.path, 'desk'), join(project.path, 'bureau'));
    await refused(
      /the base, main \([0-9a-f]{7}\), are unknown: tradeform\.yaml does not exist there, and its project files are desk\/tradeform\.yaml, other\/tradeform\.yaml\./,
      {},
      'bureau',
    );
  });

  test('and in this place as well: the rules of this place apply', async () => {
    rules('tradeform.yaml', { guardrails: { max_buy_amount: '2' }, manifests: ['desk/manifests/**/*.yaml'] });
    merged();
    project.git('branch', '-qf', 'main');
    project.erase('desk/tradeform.yaml');
    rules('tradeform.yaml', { ...LOOSE, manifests: ['desk/manifests/**/*.yaml'] });
    task('50');
    const { code, errors } = await against();
    expect(code).toBe(4);
    expect(errors).toMatchObject([{ code: 'guardrail-max-buy-amount' }]);
  });
});

test("a folder above the base's one does not escape them either", async () => {
  rules('tradeform.yaml', { ...LIMITED, manifests: ['desk/manifests/**/*.yaml'] });
  task('0.5');
  merged();
  rules('desk/tradeform.yaml', LOOSE);
  task('5');
  await judged();
});

test('an unreadable project file at the base has unknown rules', async () => {
  project.write('desk/tradeform.yaml', 'kind: [');
  task('0.5');
  merged();
  rules('desk/tradeform.yaml', {});
  await refused(/are unknown: tradeform\.yaml cannot be used there: /);
});

test('a first project is planned with the default limits', async () => {
  project.write('README.md', 'nothing yet');
  merged();
  rules('desk/tradeform.yaml', {});
  task('0.5');
  expect(await against()).toMatchObject({ code: 0, errors: [] });
});

describe('an environment that the base does not have', () => {
  const spec = (name: string, own: object) => ({ environments: { [name]: own } });
  beforeEach(() => {
    rules('desk/tradeform.yaml', spec('production', GUARDED));
    task('0.5');
    merged();
  });

  test('because the only one is renamed', async () => {
    rules('desk/tradeform.yaml', spec('prod', {}));
    await refused(/its environments are production, but this plan is for prod\./);
  });

  test('because this change has none any more, and the base has several', async () => {
    rules('desk/tradeform.yaml', { environments: { production: GUARDED, trial: {} } });
    merged();
    project.git('branch', '-qf', 'main');
    rules('desk/tradeform.yaml', {});
    await refused(/its environments are production, trial, but this plan is for none\./);
  });

  test('if the base has only one, that one applies', async () => {
    rules('desk/tradeform.yaml', LOOSE);
    const { code, diagnostics } = await against();
    expect([code, diagnostics.map((item) => item.code)]).toEqual([4, ['account-mismatch']]);
  });
});

describe('fields that a task leaves to the service', () => {
  const ignoring = (...paths: readonly string[]) => ({
    spec: `  lifecycle: { ignore_changes: [${paths.join(', ')}] }\n`,
  });
  const TIP = 'config.relay_mode.tip_amount';

  test.each([
    ['more', [], ['config.buy_amount', TIP], [`loosened +config.buy_amount +${TIP}`]],
    ['fewer', ['remark', TIP], ['remark'], [`tightened -${TIP}`]],
    ['others', ['remark'], [TIP], [`loosened +${TIP} -remark`]],
    ['the same', ['remark', TIP], [TIP, 'remark'], []],
  ])('%s', async (_name, before, after, expected) => {
    rules('desk/tradeform.yaml', {});
    task('0.5', ignoring(...before));
    merged();
    task('0.5', ignoring(...after));
    const { plan } = await against();
    expect(told(plan)).toEqual(expected.map((text) => `sniper/alpha lifecycle.ignore_changes ${text}`));
    for (const { location } of plan.rules_changed ?? [])
      expect(location).toMatchObject({ file: 'manifests/alpha.yaml', line: 7 });
  });

  test('of a renamed task; a new task has no rule to change', async () => {
    rules('desk/tradeform.yaml', {});
    task('0.5');
    merged();
    const renamed = sniper(ignoring(TIP)).replace('name: alpha', 'name: beta\n  previous_name: alpha');
    project.write('desk/manifests/alpha.yaml', renamed);
    project.write('desk/manifests/gamma.yaml', sniper({ name: 'gamma', ...ignoring(TIP) }));
    expect(told((await against()).plan)).toEqual([`sniper/beta lifecycle.ignore_changes loosened +${TIP}`]);
  });
});

describe('a name under which the project takes the tasks of another one', () => {
  beforeEach(() => task('0.5'));

  test.each([
    ['a former name', { name: 'core' }, { name: 'core', previous_name: 'next' }, 'metadata.previous_name'],
    ['another former name', { name: 'core', previous_name: 'old' }, { name: 'core', previous_name: 'next' }, 'metadata.previous_name'],
    ['a name', { name: 'core' }, { name: 'next' }, 'metadata.name'],
  ])('%s', async (_name, before, after, rule) => {
    rules('desk/tradeform.yaml', {}, before);
    merged();
    rules('desk/tradeform.yaml', {}, after);
    const { plan } = await against();
    expect(plan.rules_changed).toMatchObject([
      { rule, effect: 'loosened', after: 'next (tasks of project next become this one’s)' },
    ]);
  }); // biome-ignore format: a table

  test('a removed former name takes nothing', async () => {
    rules('desk/tradeform.yaml', {}, { name: 'core', previous_name: 'old' });
    merged();
    rules('desk/tradeform.yaml', {});
    const { plan } = await against();
    expect(told(plan)).toEqual(['metadata.previous_name changed']);
  });
});
