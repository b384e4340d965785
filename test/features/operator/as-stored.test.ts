import { beforeEach, describe, expect, test } from 'vitest';
import { PROJECT, sniper } from '../../manifest/samples.ts';
import { expectNoTrace } from '../../support/traces.ts';
import { Desk } from '../stuck/desk.ts';
import { expectSchema, operate } from './operate.ts';

/** Git corrects a config while its task is off: `resume` starts what is stored, and never without saying so. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
  await desk.applied(sniper({ amount: '0.9' }));
});

const runs = () => desk.task('alpha').is_active;
const amount = () => desk.task('alpha').config.buy_amount;
const writes = () => desk.sandbox.log.filter(({ method }) => method !== 'GET').length;

/** Paused, and corrected in git since. */
async function corrected(
  manifest = sniper({ amount: '0.2' }),
  pause = 'tradeform pause --all --no-freeze',
): Promise<void> {
  await desk.take(pause);
  desk.manifests(manifest);
  desk.sandbox.clearLog();
}

describe.each(['--all', 'alpha'])('resume %s', (choice) => {
  test('--auto-approve alone starts nothing and shows both values', async () => {
    await corrected();
    const { text } = await desk.take(`tradeform resume ${choice} --auto-approve`, 4);
    expect(text).toContain('error[resume-as-stored]');
    expect(text).toContain('~ config.buy_amount: 0.9 → 0.2 manifests/tasks.yaml:');
    expect(text).toContain(
      '`tradeform apply --resume-stopped sniper/alpha` starts it with the config in git.',
    );
    expect({ runs: runs(), writes: writes() }).toEqual({ runs: false, writes: 0 });
  });

  test('--as-stored confirms the difference', async () => {
    await corrected();
    await desk.take(`tradeform resume ${choice} --auto-approve --as-stored`);
    expect({ runs: runs(), amount: amount() }).toEqual({ runs: true, amount: '0.9' });
  });

  test('a yes at a terminal that has shown both values is enough', async () => {
    await corrected();
    let asked = '';
    const ask = (question: string) => {
      asked = question;
      return Promise.resolve('yes');
    };
    const { code, text } = await desk.run(`tradeform resume ${choice}`, { ask });
    expect(code).toBe(0);
    expect(text).toContain('~ config.buy_amount: 0.9 → 0.2 manifests/tasks.yaml:');
    expect(asked).toContain('1 task can spend differently from git.\nStart all with their stored configs?');
    expect(runs()).toBe(true);
  });
});

test('a task that git removed starts only by its name, unless prune leaves such tasks alone', async () => {
  const spec = (prune: string) =>
    `  account: { token_prefix: svc_live_5a4d0b0c }\n  prune: { tasks: ${prune} }\n`;
  await corrected(sniper({ name: 'beta' }), 'tradeform pause --all --no-freeze');
  for (const [prune, says] of [
    ['delete', 'an apply that is approved deletes it'],
    ['pause', 'an apply that is approved pauses it'],
  ] as const) {
    desk.projectFile(spec(prune));
    for (const choice of ['--all', '--all --held', 'sniper/*']) {
      const { text } = await desk.take(`tradeform resume ${choice} --auto-approve --as-stored`);
      expect(text, choice).toContain(`No manifest names it: ${says}.`);
    }
  }
  expect({ runs: runs(), writes: writes() }).toEqual({ runs: false, writes: 0 });
  await desk.take('tradeform resume alpha --auto-approve');
  expect(runs()).toBe(true);
  await desk.take('tradeform pause --all --no-freeze');
  desk.projectFile(spec('never'));
  await desk.take('tradeform resume --all --auto-approve');
  expect(runs()).toBe(true);
});

test('one difference holds back all tasks, and the way in the message starts what matches git', async () => {
  await desk.applied(sniper({ amount: '0.9' }), sniper({ name: 'beta' }));
  await corrected([sniper({ amount: '0.2' }), sniper({ name: 'beta' })].join('---\n'));
  await desk.take('tradeform resume --all --auto-approve', 4);
  expect(writes()).toBe(0);
  await desk.take('tradeform apply --resume-stopped sniper/alpha --auto-approve');
  expect({ runs: runs(), amount: amount() }).toEqual({ runs: true, amount: '0.2' });
  await desk.take('tradeform resume --all --auto-approve');
  expect(desk.task('beta').is_active).toBe(true);
});

test('after an apply nothing differs: resume needs only --auto-approve', async () => {
  await corrected();
  await desk.take('tradeform apply --auto-approve');
  await desk.take('tradeform resume --all --auto-approve');
  expect({ runs: runs(), amount: amount() }).toEqual({ runs: true, amount: '0.2' });
});

test('a new note or label spends nothing, and ignored fields are not compared', async () => {
  const ignored = '  lifecycle: { ignore_changes: [config.buy_amount] }\n';
  await corrected(sniper({ amount: '0.2', spec: `  remark: New\n${ignored}` }));
  await desk.take('tradeform resume --all --auto-approve');
  expect(runs()).toBe(true);
});

test('a target that git has changed, and a task that is not to run, have fitting ways out', async () => {
  await corrected(
    sniper({ amount: '0.9', wallet: '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj' }).replace(
      'state: active',
      'state: manual',
    ),
  );
  const { text } = await desk.take('tradeform resume alpha --auto-approve', 4);
  expect(text).toContain('~ target_wallet: ');
  expect(text).toContain(
    '`tradeform apply` writes the config in git, and leaves the task off: resume it afterwards.',
  );
});

test('-o json has the fields and their places; --dry-run says that --auto-approve would be refused', async () => {
  await corrected();
  const options = { all: true, dryRun: true, output: 'json' };
  const { code, stdout } = await operate(desk.project).resume([], options);
  expect(code).toBe(0);
  expect(expectSchema('report', stdout).diagnostics).toMatchObject([
    { severity: 'warning', code: 'resume-as-stored', message: expect.stringContaining('would be refused') },
  ]);
  expect(expectSchema('report', stdout).changes).toMatchObject([
    {
      status: 'planned',
      differs: [
        { path: 'config.buy_amount', before: '0.9', after: '0.2', origin: { file: 'manifests/tasks.yaml' } },
      ],
    },
  ]);
  // With an approval, the dry run ends as the resume would.
  await desk.take('tradeform resume --all --dry-run --auto-approve', 4);
  const { text } = await desk.take('tradeform resume --all --dry-run --auto-approve --as-stored');
  expect(text).not.toContain('would be refused');
  expect(writes()).toBe(0);
});

test('values from the environment are not shown, and differ all the same', async () => {
  await corrected(sniper({ amount: '${env.AMOUNT}' }));
  const operator = operate(desk.project, { env: { AMOUNT: '0.2345678' } });
  const refused = await operator.resume([], { all: true, autoApprove: true });
  expect(refused.code).toBe(4);
  expect(refused.diagnostics[0]?.message).toContain('1 task can spend differently from git');
  expect(refused.stdout).toContain('~ config.buy_amount: (secret)');
  expectNoTrace(refused.stdout + refused.stderr, ['0.9', '0.2345678']);
  for (const output of ['text', 'json']) {
    const { stdout, stderr } = await operator.resume([], { all: true, dryRun: true, output });
    expect(stdout).toContain('(secret)');
    expectNoTrace(stdout + stderr, ['0.9', '0.2345678']);
  }
});

describe('without manifests to compare with', () => {
  test('elsewhere: it is reported once, and what is stored starts', async () => {
    await desk.applied(sniper({ amount: '0.9' }), sniper({ name: 'beta' }));
    await corrected();
    const { code, text } = await desk.run('tradeform resume --all --project-name core --auto-approve', {
      cwd: '/',
    });
    expect(code).toBe(0);
    expect(text.split('there are no manifests of this project here')).toHaveLength(2);
    expect(runs()).toBe(true);
  });

  test('broken ones: --auto-approve alone starts nothing; pause still works', async () => {
    await corrected('kind: [');
    const { text } = await desk.take('tradeform resume --all --auto-approve', 4);
    expect(text).toContain('the manifests cannot be read');
    expect(writes()).toBe(0);
    await desk.take('tradeform resume --all --auto-approve --as-stored');
    expect(runs()).toBe(true);
    await desk.take('tradeform pause --all --no-freeze');
    desk.projectFile('  guardrails: [', PROJECT);
    const unread = await desk.take('tradeform resume --all --project-name core --auto-approve', 4);
    expect(unread.text).toContain('the manifests cannot be read, nor the guardrails');
    desk.edit('alpha', { is_active: true });
    await desk.take('tradeform pause --all --no-freeze --project-name core');
    expect(runs()).toBe(false);
  });
});
