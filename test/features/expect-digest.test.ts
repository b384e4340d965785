import { beforeEach, describe, expect, it, test } from 'vitest';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { sniper, WALLETS } from '../manifest/samples.ts';
import { expectNoTrace } from '../support/traces.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const ENV = { AMOUNT: '4.6543219', NOTE: 'Quiet harbour' };

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ env: ENV, tasks: ['alpha', 'beta'] });
});

/** A change that was planned, and approved as this document. */
async function approved(file = 'approved.json'): Promise<Plan> {
  const { stdout } = await project.plan({ output: 'json' });
  project.write(file, stdout);
  return JSON.parse(stdout) as Plan;
}

describe('the plan that was approved', () => {
  it.each([
    ['its digest', (digest: string) => ({ expect: [digest] })],
    ['its digest in capitals', (digest: string) => ({ expect: [digest.toUpperCase()] })],
    ['its document', () => ({}), 'approved.json'],
    ['its document, without being asked', () => ({ autoApprove: true }), 'approved.json'],
    ['both', (digest: string) => ({ expect: [digest] }), 'approved.json'],
    ['one of two digests', (digest: string) => ({ expect: ['0'.repeat(64), digest] })],
  ] as [string, (digest: string) => ApplyOptions, string?][])(
    'is carried out with %s, and asks nothing',
    async (_name, expecting, file) => {
      project.task('alpha', { amount: '0.75' });
      const { digest } = await approved();
      const { code, stdout, stderr } = await project.applying(expecting(digest), file);
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('sniper/alpha done'),
      });
      expect(stdout).not.toContain('digest');
      expect(project.tasks().map(({ config }) => config.buy_amount)).toContain('0.75');
    },
  );

  it('may be empty', async () => {
    const { digest } = await approved();
    expect(await project.applying({ expect: [digest] })).toMatchObject({ code: 0, sent: [] });
  });
});

describe('any other plan is refused, and nothing is written', () => {
  const refused = { code: 4, diagnostics: [{ code: 'digest-differs' }], sent: [] };

  test('a wrong digest: the current plan is shown, and what to do', async () => {
    project.task('alpha', { amount: '0.75' });
    const { digest } = await approved();
    const result = await project.applying({ expect: ['0'.repeat(64)], autoApprove: true });
    expect(result).toMatchObject(refused);
    expect(result.stdout).toContain('~ sniper/alpha ');
    expect(result.diagnostics[0]?.message).toContain(
      `its digest is ${digest.slice(0, 16)}, but 0000000000000000 was`,
    );
    expect(result.diagnostics[0]?.hint).toContain('name the approved plan itself: `tradeform apply FILE`');
    expect(result.diagnostics[0]?.hint).toContain(`--expect ${digest}`);
  });

  // Two plans with the same first twelve digits were found in 90 seconds.
  test.each([0, 12, 63])('its first %i digits are no approval: nothing is even read', async (length) => {
    project.task('alpha', { amount: '0.75' });
    const { digest } = await approved();
    const result = await project.applying({ expect: [digest.slice(0, length)], autoApprove: true });
    expect(result).toMatchObject({
      code: 3,
      stdout: '',
      sent: [],
      diagnostics: [{ code: 'invalid-option' }],
    });
    expect(project.sandbox.log).toEqual([]);
    expect(result.diagnostics[0]?.hint).toContain('two plans with the same first digits can be found');
  });

  test('manifests that changed: the differences are shown field by field, in both plans', async () => {
    project.task('alpha', { amount: '0.75' });
    project.task('gamma');
    await approved();
    project.task('alpha', { amount: '0.8', spec: '  remark: Changed\n' });
    project.task('beta', { amount: '2' });
    project.write('manifests/gamma.yaml', sniper({ name: 'delta', wallet: WALLETS[2], amount: '3' }));
    const result = await project.applying({}, 'approved.json');
    expect(result).toMatchObject(refused);
    const text = result.stderr.replace(/ +$/gm, '');
    expect(text).toContain(`Not as approved (1)
  ~ sniper/alpha: update
    config.buy_amount
    - approved  0.5 → 0.75
    + now       0.5 → 0.8
    remark
    - approved  no change
    + now       "" → Changed
`);
    expect(text).toMatch(
      /^1 no longer needed · 2 not approved · 1 not as approved\n\nApproved, but no longer needed \(1\)\n {2}- sniper\/gamma: create, start\n[\s\S]*\n {4}config\.buy_amount: 0\.5\n/,
    );
    expect(text).toMatch(
      /\nNot approved \(2\)\n {2}\+ sniper\/beta: update\n {4}config\.buy_amount: 0\.5 → 2\n {2}\+ sniper\/delta: create, start\n/,
    );
  });

  test('everything is done already', async () => {
    project.task('alpha', { amount: '0.75' });
    const { digest } = await approved();
    await project.apply(undefined, { autoApprove: true });
    for (const file of [undefined, 'approved.json']) {
      const { diagnostics, ...result } = await project.applying({ expect: [digest] }, file);
      expect({ diagnostics, ...result }).toMatchObject(refused);
      expect(diagnostics[0]?.hint).toContain('Nothing is left to do');
    }
  });
});

describe('values of the environment', () => {
  const secret = (more = '') =>
    project.task('alpha', { amount: '${env.AMOUNT}', spec: '  remark: ${env.NOTE}\n', config: more });

  test.each([
    ['as it was printed', { output: 'json' }],
    ['as it was saved', { out: 'approved.json' }],
  ] as const)('a plan that has them, %s, is compared and not shown', async (_name, options) => {
    secret();
    const planned = await project.plan(options);
    if ('output' in options) project.write('approved.json', planned.stdout);
    secret('    sol_slippage_mode: true\n');
    const { stdout, stderr, code, diagnostics } = await project.applying({}, 'approved.json');
    expect(code).toBe(4);
    expect(stderr).toContain('config.sol_slippage_mode');
    // Equal on both sides: nothing to tell.
    expect(stderr).not.toContain('config.buy_amount\n');
    expectNoTrace(stdout + stderr + JSON.stringify(diagnostics), ['65432', 'harbour']);
    secret();
    expect(await project.applying({}, 'approved.json')).toMatchObject({ code: 0 });
  });
});

describe('an approval that cannot be used: 3, and nothing is sent', () => {
  async function unusable(
    options: ApplyOptions,
    code: string,
    message: RegExp,
    file?: string,
  ): Promise<void> {
    const result = await project.applying({ autoApprove: true, ...options }, file);
    expect(result).toMatchObject({
      code: 3,
      stdout: '',
      diagnostics: [{ code, message: expect.stringMatching(message) }],
    });
    expect(project.sandbox.log).toEqual([]);
  }

  test('a file in place of a digest: it is told what to do instead', async () => {
    const { diagnostics } = await project.applying({ expect: ['saved.json'] });
    expect(diagnostics).toMatchObject([
      { code: 'invalid-option', hint: expect.stringContaining('apply FILE') },
    ]);
  });

  test('a file that is no plan, or is of a later tradeform', async () => {
    project.task('alpha', { amount: '0.75' });
    const plan = await approved();
    const file = (name: string, text: string) => project.write(name, text);
    const operations = plan.operations.map(({ subject: _, ...operation }) => operation);
    file('partial.json', JSON.stringify({ ...plan, operations }));
    file('newer.json', JSON.stringify({ ...plan, format: 'tradeform.plan/2' }));
    file('result.json', JSON.stringify({ format: 'tradeform.result/1', diagnostics: [] }));
    file('text.json', 'Plan for project core\n');
    const cases = {
      partial: /must have required property 'subject'/,
      newer: /plan\/2/,
      result: /is not a plan/,
      text: /not JSON/,
      missing: /no such file/,
    };
    for (const [name, message] of Object.entries(cases))
      await unusable({}, 'plan-file-invalid', message, `${name}.json`);
  });
});
