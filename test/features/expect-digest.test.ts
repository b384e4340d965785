import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { ApplyOptions } from '../../src/features/apply.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { planIntegrity } from '../../src/plan/review/digest.ts';
import type { StoredEdit } from '../../src/sandbox/sandbox.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { expectNoTrace } from '../support/traces.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const ENV = { AMOUNT: '4.6543219', NOTE: 'Quiet harbour' };
const PIN = 'account: { token_prefix: svc_live_5a4d0b0c }';

let project: ProjectRun;

/** Two running tasks, applied. */
beforeEach(async () => {
  project = await openProject({ env: ENV });
  project.write('tradeform.yaml', `${PROJECT}spec: { ${PIN}, manifests: ["tasks/*.yaml"] }\n`);
  write('alpha');
  write('beta', { wallet: WALLETS[1] });
  expect(await project.apply(undefined, { autoApprove: true })).toMatchObject({ code: 0 });
});
afterEach(() => project.remove());

function write(name: string, text: Parameters<typeof sniper>[0] = {}): void {
  project.write(`tasks/${name}.yaml`, sniper({ name, ...text }));
}

function remove(name: string): void {
  rmSync(join(project.path, `tasks/${name}.yaml`));
}

function edit(name: string, change: StoredEdit): void {
  const task = [...project.sandbox.state.tasks.values()].find(({ remark }) => remark.includes(`/${name}@`));
  if (task === undefined) throw new Error(`no task ${name}`);
  project.sandbox.editStored(task.id, change);
}

/** A change that was planned, and approved as this document. */
async function approved(file = 'approved.json'): Promise<Plan> {
  const { stdout } = await project.plan({ output: 'json' });
  project.write(file, stdout);
  return JSON.parse(stdout) as Plan;
}

/** Runs apply and says which requests it sent beside reading. */
async function apply(options: ApplyOptions, file?: string) {
  project.sandbox.clearLog();
  const result = await project.apply(file, options);
  const sent = project.sandbox.log.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return { ...result, sent };
}

describe('the plan that was approved', () => {
  it.each([
    ['its digest', (digest: string) => ({ expectDigest: digest })],
    ['its digest in capitals', (digest: string) => ({ expectDigest: digest.toUpperCase() })],
    ['its document', () => ({ expectPlan: 'approved.json' })],
    ['its document, without being asked', () => ({ expectPlan: 'approved.json', autoApprove: true })],
  ])('is carried out with %s, and asks nothing', async (_name, expecting) => {
    write('alpha', { amount: '0.75' });
    const { digest } = await approved();
    const { code, stdout, stderr } = await apply(expecting(digest));
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('sniper/alpha done') });
    expect(stdout).not.toContain('digest');
    expect([...project.sandbox.state.tasks.values()].map(({ config }) => config.buy_amount)).toContain(
      '0.75',
    );
  });

  it('may be saved, at another commit, from another base and with changed versions', async () => {
    write('alpha', { amount: '0.75' });
    expect(await project.plan({ out: 'saved.json' })).toMatchObject({ code: 0 });
    // Somebody touched both; what would be done is the same.
    edit('alpha', {});
    edit('beta', {});
    expect(await apply({ expectPlan: 'saved.json' })).toMatchObject({ code: 0 });
  });

  it('may be empty', async () => {
    const { digest } = await approved();
    expect(await apply({ expectDigest: digest })).toMatchObject({ code: 0, sent: [] });
  });

  it('that is a first one still needs --first-apply', async () => {
    project.write(
      'tradeform.yaml',
      `${PROJECT.replace('core', 'other')}spec: { manifests: ["tasks/*.yaml"] }\n`,
    );
    write('alpha', { wallet: WALLETS[2] });
    remove('beta');
    const { digest } = await approved();
    expect(await apply({ expectDigest: digest })).toMatchObject({
      code: 4,
      diagnostics: [{ code: 'first-apply' }],
      sent: [],
    });
    expect(await apply({ expectDigest: digest, firstApply: true })).toMatchObject({ code: 0 });
  });
});

describe('any other plan is refused, and nothing is written', () => {
  const refused = { code: 4, diagnostics: [{ code: 'digest-differs' }], sent: [] };

  test('a wrong digest: the current plan is shown, and what to do', async () => {
    write('alpha', { amount: '0.75' });
    const { digest } = await approved();
    const result = await apply({ expectDigest: '0'.repeat(64), autoApprove: true });
    expect(result).toMatchObject(refused);
    expect(result.stdout).toContain('~ sniper/alpha ');
    expect(result.diagnostics[0]?.message).toContain(
      `its digest is ${digest.slice(0, 16)}, but 0000000000000000 was`,
    );
    expect(result.diagnostics[0]?.hint).toContain('--expect-plan FILE');
    expect(result.diagnostics[0]?.hint).toContain(`--expect-digest ${digest}`);
  });

  // Two plans with the same first twelve digits were found in 90 seconds.
  test.each([12, 16, 32, 63])('its first %i digits are no approval: nothing is even read', async (length) => {
    write('alpha', { amount: '0.75' });
    const { digest } = await approved();
    const result = await apply({ expectDigest: digest.slice(0, length), autoApprove: true });
    expect(result).toMatchObject({
      code: 3,
      stdout: '',
      sent: [],
      diagnostics: [{ code: 'invalid-option' }],
    });
    expect(project.sandbox.log).toEqual([]);
    expect(result.diagnostics[0]?.hint).toContain('two plans with the same first digits can be found');
  });

  test('what is printed to be copied is the whole digest', async () => {
    write('alpha', { amount: '0.75' });
    const { digest } = await approved();
    expect((await project.plan()).stdout).toContain(`Digest ${digest}`);
    expect((await project.plan({ output: 'markdown' })).stdout).toContain(digest);
  });

  test('manifests that changed: the differences are shown field by field, in both plans', async () => {
    write('alpha', { amount: '0.75' });
    write('gamma', { wallet: WALLETS[2] });
    await approved();
    write('alpha', { amount: '0.8', spec: '  remark: Changed\n' });
    write('beta', { wallet: WALLETS[1], amount: '2' });
    project.write('tasks/gamma.yaml', sniper({ name: 'delta', wallet: WALLETS[2], amount: '3' }));
    const result = await apply({ expectPlan: 'approved.json' });
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

1 no longer needed · 2 not approved · 1 not as approved
`);
    expect(text).toMatch(
      /^Approved, but no longer needed \(1\)\n {2}- sniper\/gamma: create, start\n[\s\S]*\n {4}config\.buy_amount: 0\.5\n/,
    );
    expect(text).toMatch(
      /\nNot approved \(2\)\n {2}\+ sniper\/beta: update\n {4}config\.buy_amount: 0\.5 → 2\n {2}\+ sniper\/delta: create, start\n/,
    );
  });

  test('a live state that changed: a hold, and a manual edit', async () => {
    write('alpha', { amount: '0.75' });
    await approved();
    edit('alpha', { is_active: false });
    edit('beta', { merge: { buy_amount: '9' } });
    const result = await apply({ expectPlan: 'approved.json', output: 'json' });
    expect(result).toMatchObject(refused);
    expect(result.stdout).toBe('');
    // The differences are for the document, and not said twice.
    expect(result.stderr).not.toContain('Not as approved');
  });

  test('a task whose deletion was approved, and that somebody edited since', async () => {
    remove('beta');
    write('alpha', { amount: '0.75' });
    await approved();
    edit('beta', { merge: { buy_amount: '9' } });
    const result = await apply({ expectPlan: 'approved.json' });
    expect(result).toMatchObject(refused);
    expect(result.stderr).toContain(`  ~ sniper/beta: delete, stop
    config.buy_amount
    - approved  0.5, gone
    + now       9, gone
`);
  });

  test('everything is done already', async () => {
    write('alpha', { amount: '0.75' });
    await approved();
    await project.apply(undefined, { autoApprove: true });
    const { diagnostics, ...result } = await apply({ expectPlan: 'approved.json' });
    expect({ diagnostics, ...result }).toMatchObject(refused);
    expect(diagnostics[0]?.hint).toContain('Nothing is left to do');
  });

  test('other reasons for a refusal are reported as well', async () => {
    write('alpha', { amount: '0.75' });
    await approved();
    remove('alpha');
    remove('beta');
    project.write(
      'tasks/label.yaml',
      'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: hot }\nspec: {}\n',
    );
    const { code, diagnostics, sent } = await apply({ expectPlan: 'approved.json' });
    expect({ code, sent }).toEqual({ code: 4, sent: [] });
    expect(diagnostics.map((item) => item.code)).toEqual(
      expect.arrayContaining(['digest-differs', 'all-owned-gone']),
    );
  });
});

describe('a saved plan whose requests were edited, with an unchanged digest and a matching checksum', () => {
  const other = WALLETS[2] ?? '';
  it.each<[string, string, (body: JsonObject) => JsonObject]>([
    [
      'another value of a listed field',
      ': sniper/alpha: it would also change config.buy_amount',
      (body) => ({ ...body, config: { ...(body.config as JsonObject), buy_amount: '7' } }),
    ],
    [
      'a field that is not listed',
      ': sniper/alpha: it would also change config.buy_once',
      (body) => ({ ...body, config: { ...(body.config as JsonObject), buy_once: true } }),
    ],
    ['wallets', '', (body) => ({ ...body, linked_wallets: [other] })],
  ])('%s: refused, nothing is written', async (_name, why, forge) => {
    write('alpha', { amount: '0.75' });
    expect(await project.plan({ out: 'saved.json' })).toMatchObject({ code: 0 });
    const plan = JSON.parse(readFileSync(join(project.path, 'saved.json'), 'utf8')) as Plan;
    const forged = {
      ...plan,
      operations: plan.operations.map((operation) =>
        operation.verb === 'patch' && operation.body?.config !== undefined
          ? { ...operation, body: forge(operation.body as JsonObject) }
          : operation,
      ),
    } as Plan;
    project.write('saved.json', JSON.stringify({ ...forged, integrity: planIntegrity(forged) }));
    const { code, sent, diagnostics } = await apply({ autoApprove: true }, 'saved.json');
    expect([code, sent]).toEqual([3, []]);
    expect(diagnostics).toMatchObject([
      { code: 'plan-file-invalid', message: expect.stringContaining(`was changed after it was saved${why}`) },
    ]);
  });
});

describe('values of the environment', () => {
  const secret = (more = '') =>
    write('alpha', { amount: '${env.AMOUNT}', spec: '  remark: ${env.NOTE}\n', config: more });

  test.each([
    ['as it was printed', { output: 'json' }],
    ['as it was saved', { out: 'approved.json' }],
  ] as const)('a plan that has them, %s, is compared and not shown', async (_name, options) => {
    secret();
    const planned = await project.plan(options);
    if ('output' in options) project.write('approved.json', planned.stdout);
    secret('    sol_slippage_mode: true\n');
    const { stdout, stderr, code, diagnostics } = await apply({ expectPlan: 'approved.json' });
    expect(code).toBe(4);
    expect(stderr).toContain('config.sol_slippage_mode');
    // Equal on both sides: nothing to tell.
    expect(stderr).not.toContain('config.buy_amount\n');
    expectNoTrace(stdout + stderr + JSON.stringify(diagnostics), ['65432', 'harbour']);
    secret();
    expect(await apply({ expectPlan: 'approved.json' })).toMatchObject({ code: 0 });
  });

  test('a different value is a difference that is not shown', async () => {
    secret();
    await project.plan({ out: 'saved.json' });
    await approved();
    write('alpha', { amount: '"${env.AMOUNT}1"', spec: '  remark: ${env.NOTE}\n' });
    const whole = await apply({ expectPlan: 'saved.json' });
    expect(whole.code).toBe(4);
    expect(whole.stderr).toContain('config.buy_amount\n    - approved  (secret) → (secret)');
    const printed = await apply({ expectPlan: 'approved.json' });
    expect(printed.code).toBe(4);
    expect(printed.stderr).toContain('No difference can be shown');
    for (const { stdout, stderr } of [whole, printed]) expectNoTrace(stdout + stderr, ['65432', 'harbour']);
  });
});

describe('an approval that cannot be used: 3, and nothing is sent', () => {
  async function unusable(
    options: ApplyOptions,
    code: string,
    message: RegExp,
    file?: string,
  ): Promise<void> {
    const result = await apply({ autoApprove: true, ...options }, file);
    expect(result).toMatchObject({
      code: 3,
      stdout: '',
      diagnostics: [{ code, message: expect.stringMatching(message) }],
    });
    expect(project.sandbox.log).toEqual([]);
  }

  test.each(['', 'abc', '0123456789a', '0123456789xyz', `${'0'.repeat(64)}0`])(
    'the digest %j',
    async (digest) => {
      await unusable({ expectDigest: digest }, 'invalid-option', /not a complete digest/);
    },
  );

  test('a digest together with a plan, and either together with a plan file', async () => {
    await project.plan({ out: 'saved.json' });
    await unusable(
      { expectDigest: '0'.repeat(64), expectPlan: 'saved.json' },
      'invalid-option',
      /names a plan/,
    );
    await unusable(
      { expectDigest: '0'.repeat(64) },
      'invalid-option',
      /^--expect-digest cannot/,
      'saved.json',
    );
    await unusable({ expectPlan: 'saved.json' }, 'invalid-option', /^--expect-plan cannot/, 'saved.json');
  });

  test('a file that is no plan, was changed, or is of a later tradeform', async () => {
    write('alpha', { amount: '0.75' });
    const plan = await approved();
    const file = (name: string, text: string) => project.write(name, text);
    file('tampered.json', JSON.stringify({ ...plan, digest: '0'.repeat(64) }));
    const operations = plan.operations.map(({ subject: _, ...operation }) => operation);
    file('partial.json', JSON.stringify({ ...plan, operations }));
    file('newer.json', JSON.stringify({ ...plan, format: 'tradeform.plan/2' }));
    file('result.json', JSON.stringify({ format: 'tradeform.result/1', diagnostics: [] }));
    file('text.json', 'Plan for project core\n');
    const cases = {
      tampered: /was changed/,
      partial: /must have required property 'subject'/,
      newer: /plan\/2/,
      result: /is not a plan/,
      text: /not JSON/,
      missing: /no such file/,
    };
    for (const [name, message] of Object.entries(cases))
      await unusable({ expectPlan: `${name}.json` }, 'plan-file-invalid', message);
  });
});
