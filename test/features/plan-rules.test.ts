import { beforeEach, describe, expect, test } from 'vitest';
import { type PlanCommandOptions, runPlan } from '../../src/core/features/plan.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { sniper, WALLETS } from '../manifest/samples.ts';
import { type Elsewhere, openElsewhere } from '../support/elsewhere.ts';
import { runInMemory } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const PIN = { account: { token_prefix: 'svc_live_5a4d0b0c' } };

let project: ProjectRun;
let elsewhere: Elsewhere;

/** One running task, applied from main with these rules; the working tree is on a branch of it. */
beforeEach(async () => {
  elsewhere = await openElsewhere();
  project = await openProject({ files: {} });
  task('0.5');
  rules({});
  project.commit();
  await project.applied();
  project.git('checkout', '-q', '-b', 'branch');
});

function task(amount: string, text: Parameters<typeof sniper>[0] = {}): void {
  project.task('alpha', { amount, ...text });
}

/** The project file, with the service and the pin unless they are given. JSON is YAML. */
function rules(spec: object, metadata: object = { name: 'core' }): void {
  const whole = { base_url: project.baseUrl, ...PIN, ...spec };
  const document = { apiVersion: 'tradeform/v1', kind: 'Project', metadata, spec: whole };
  project.write('tradeform.yaml', `${JSON.stringify(document, null, 2)}\n`);
}

/** The rules of main, then those of the branch. */
function change(before: object, after: object): void {
  rules(before);
  project.commit('rules');
  project.git('branch', '-qf', 'main');
  rules(after);
}

/** `plan --base main`, as CI runs it: nothing but the project file says where the service is. */
async function against(options: PlanCommandOptions = {}, env: Record<string, string> = {}) {
  const token = project.sandbox.tokens()[0]?.token;
  const all = { PATH: process.env.PATH, TRADEFORM_TOKEN: token, ...env };
  const given = { base: 'main', output: 'json', detailedExitcode: true, ...options };
  const result = await runInMemory({ cwd: project.path, env: all }, (io) => runPlan(given, io));
  const plan = (result.stdout.startsWith('{') ? JSON.parse(result.stdout) : undefined) as Plan;
  return { ...result, plan };
}

/** `guardrails.max_tip loosened: 1 → 2 (+a -b)` each. */
function told({ rules_changed: changes }: Plan): readonly string[] | undefined {
  return changes?.map(({ rule, effect, before, after, added, removed }) => {
    const lists = [...(added ?? []).map((item) => `+${item}`), ...(removed ?? []).map((item) => `-${item}`)];
    return `${rule} ${effect}: ${lists.length === 0 ? `${before} → ${after}` : lists.join(' ')}`;
  });
}

const environments = (production: object, more: object = {}) => ({
  base_url: undefined,
  account: undefined,
  environments: { production: { base_url: project.baseUrl, ...PIN, ...production }, ...more },
});

type Spec = { readonly guardrails?: object; readonly [field: string]: unknown };
type Case = readonly [name: string, before: Spec, after: Spec, expected: readonly string[]];

describe('each changed rule is named', () => {
  const ONE = WALLETS[0] ?? '';
  const OTHER = WALLETS[1] ?? '';
  const policy = (parts: object = {}) => ({ name: 'ours', message: 'Ask Mira', schema: {}, ...parts });
  const guard = (limits: object) => ({ guardrails: limits });
  const cases: readonly Case[] = [
    ['pin dropped', {}, { account: undefined }, ['account.token_prefix loosened: svc_live_5a4d0b0c → null']],
    ['pin added', { account: undefined }, {}, ['account.token_prefix tightened: null → svc_live_5a4d0b0c']],
    ['prune', { prune: { tasks: 'never' } }, {}, ['prune.tasks loosened: never → delete']],
    ['prune, less', {}, { prune: { tasks: 'pause' } }, ['prune.tasks tightened: delete → pause']],
    ['stopped_tasks', {}, { stopped_tasks: 'resume' }, ['stopped_tasks loosened: hold → resume']],
    ['settle', {}, { settle: { replace: '500ms' } }, ['settle.replace loosened: 60s → 500ms']],
    ['settle, longer', {}, { settle: { update: '2s' } }, ['settle.update tightened: 0s → 2s']],
    ['manifests', {}, { manifests: ['manifests/a*.yaml'] }, ['manifests changed: +manifests/a*.yaml -manifests/**/*.yaml']],
    ['protect', guard({ protect: ['sniper/a*', 'sniper/b*'] }), guard({ protect: ['sniper/a*'] }), ['guardrails.protect loosened: -sniper/b*']],
    ['protect as a whole', guard({ protect: ['sniper/a*'] }), {}, ['guardrails.protect loosened: sniper/a* → null']],
    ['a limit of amounts', {}, guard({ max_tip: '2' }), ['guardrails.max_tip loosened: 1 (default) → 2']],
    ['a limit, lower', {}, guard({ max_tip: '0.50' }), ['guardrails.max_tip tightened: 1 (default) → 0.50']],
    ['a limit that is off', {}, guard({ max_tip: null }), ['guardrails.max_tip loosened: 1 (default) → null']],
    ['a limit that only warns', guard({ max_tip: '2' }), guard({ max_tip: { limit: '1', action: 'warn' } }), ['guardrails.max_tip loosened: 2 → 1 (only warns)']],
    ['the same limit in other words', {}, guard({ max_tip: '1.0' }), []],
    ['the factor', {}, guard({ max_factor: null }), ['guardrails.max_factor loosened: 10 (default) → null']],
    ['the factor, lower', {}, guard({ max_factor: '3' }), ['guardrails.max_factor tightened: 10 (default) → 3']],
    ['a rise', guard({ max_exposure_rise: '25%' }), guard({ max_exposure_rise: '50%' }), ['guardrails.max_exposure_rise loosened: 25% → 50%']],
    ['a rise, lower', guard({ max_exposure_rise: '2' }), guard({ max_exposure_rise: '1.5' }), ['guardrails.max_exposure_rise tightened: 2 → 1.5']],
    ['a rise by another measure', guard({ max_exposure_rise: '2' }), guard({ max_exposure_rise: '5%' }), ['guardrails.max_exposure_rise changed: 2 → 5%']],
    ['a count', {}, guard({ max_deletes: 6 }), ['guardrails.max_deletes loosened: 5 or 20% (default) → 6']],
    ['the default of max_starts', guard({ max_starts: 10 }), {}, ['guardrails.max_starts loosened: 10 → 10 or 50% (default)']],
    ['DEXes', guard({ allowed_dexes: ['pump-fun'] }), guard({ allowed_dexes: ['pump-fun', 'bags'] }), ['guardrails.allowed_dexes loosened: +bags']],
    ['wallets that are forbidden', guard({ forbidden_wallets: [OTHER] }), guard({ forbidden_wallets: [ONE] }), [`guardrails.forbidden_wallets loosened: +${ONE} -${OTHER}`]],
    ['labels', guard({ require_label: { limit: true, action: 'warn' } }), {}, ['guardrails.require_label loosened: any label (only warns) → null']],
    ['a policy removed', guard({ policies: [policy()] }), {}, ['guardrails.policies.ours loosened: refuses, for everything → null']],
    ['a policy for fewer', guard({ policies: [policy()] }), guard({ policies: [policy({ target: 'sniper/b*' })] }), ['guardrails.policies.ours changed: refuses, for everything → refuses, for sniper/b*']],
    ['a policy that only warns', guard({ policies: [policy()] }), guard({ policies: [policy({ action: 'warn' })] }), ['guardrails.policies.ours loosened: refuses, for everything → only warns, for everything']],
    ['a policy with another message', guard({ policies: [policy()] }), guard({ policies: [policy({ message: 'Ask Jo' })] }), []],
    ['nothing', guard({ max_tip: '2' }), guard({ max_tip: '2' }), []],
  ]; // biome-ignore format: a table

  const fieldsOf = ([, before, after]: Case) =>
    [before, after].flatMap(({ guardrails, ...rest }) => Object.keys({ ...rest, ...guardrails }));
  /** Cases of different fields share one plan. */
  const groups: Case[][] = [];
  for (const one of cases) {
    const isApart = (other: Case) => !fieldsOf(other).some((field) => fieldsOf(one).includes(field));
    const group = groups.find((others) => others.every(isApart));
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  const all = (specs: readonly Spec[]) => ({
    ...Object.assign({}, ...specs),
    guardrails: Object.assign({}, ...specs.map(({ guardrails }) => guardrails)),
  });

  // One after the other in one project: each only plans.
  test('and none that means the same', async () => {
    for (const group of groups) {
      const name = group.map(([one]) => one).join(', ');
      const expected = group.flatMap(([, , , lines]) => lines);
      change(all(group.map(([, before]) => before)), all(group.map(([, , after]) => after)));
      const { plan, code, stderr } = await against();
      expect(stderr, name).toBe('');
      expect(told(plan)?.toSorted(), name).toEqual(expected.toSorted());
      for (const { location } of plan.rules_changed ?? [])
        expect(location?.file, name).toBe('tradeform.yaml');
      // It is a change, whatever becomes of the tasks.
      expect(code, name).toBe(expected.length === 0 ? 0 : 2);
    }
  });

  test('the project’s name, and the former one', async () => {
    rules({}, { name: 'desk', previous_name: 'core' });
    expect(told((await against()).plan)).toEqual([
      'metadata.name loosened: core → desk (tasks of project desk become this one’s)',
      'metadata.previous_name loosened: null → core (tasks of project core become this one’s)',
    ]);
  });

  test('environments, and their own settings', async () => {
    change(
      environments({ guardrails: { max_tip: '0.5' } }, { staging: {} }),
      environments({ guardrails: { max_tip: '0.7' } }, { trial: {} }),
    );
    const { plan } = await against({ environment: 'production' });
    expect(told(plan)).toEqual([
      'guardrails.max_tip loosened: 0.5 → 0.7',
      'environments changed: +trial -staging',
    ]);
    expect(plan.rules_changed?.[0]?.location).toEqual({ file: 'tradeform.yaml', line: 15, column: 22 });
  });

  test('the file of a policy', async () => {
    const guarded = { guardrails: { policies: [{ name: 'ours', message: 'Ask', file: 'policy.json' }] } };
    project.write('policy.json', '{ "properties": { "spec": { "required": ["label"] } } }');
    change(guarded, guarded);
    project.write('policy.json', '{}');
    expect(told((await against()).plan)).toEqual([
      'guardrails.policies.ours changed: refuses, for everything → refuses, for everything, another schema',
    ]);
  });

  test('a name of a wallet book that means another wallet', async () => {
    const book = (address: string | undefined) =>
      project.write(
        'manifests/book.yaml',
        `apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: desk }\nspec: { wallets: { whale: ${address} } }\n`,
      );
    const allowed = { guardrails: { allowed_wallets: ['whale'] } };
    book(ONE);
    change(allowed, allowed);
    book(OTHER);
    const { plan, code } = await against();
    expect(told(plan)).toEqual([`guardrails.allowed_wallets loosened: +whale (${OTHER}) -whale (${ONE})`]);
    // Nothing is written to alpha, which stands at a wallet that was allowed.
    expect(code).toBe(2);
    task('0.6', { wallet: OTHER });
    const moved = await against();
    expect(moved.code).toBe(4);
    expect(refusals(moved.plan)).toEqual(['guardrail-allowed-wallets']);
    expect(moved.stderr.replace(/\s+/g, ' ')).toContain('This guardrail is taken from the base, main (');
  });
});

function refusals({ diagnostics }: Plan): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

describe('the block comes first', () => {
  beforeEach(() => {
    change({}, { guardrails: { max_tip: '2', max_slippage: '40' }, stopped_tasks: 'resume' });
    task('0.6');
  });

  test('in text', async () => {
    const { stdout } = await against({ output: 'text' });
    const [title, block = '', ...rest] = stdout.split('\n\n');
    expect(title).toMatch(/^core · /);
    expect(
      block
        .replace(/\([0-9a-f]{7}\)/, '(commit)')
        .replace(/:\d+$/gm, '')
        .split('\n'),
    ).toEqual([
      'Rules changed since main (commit) (3), 2 loosened',
      '  ! stopped_tasks loosened: hold → resume, tradeform.yaml',
      '  ! guardrails.max_tip loosened: 1 (default) → 2, tradeform.yaml',
      '  · guardrails.max_slippage tightened: 50 (default) → 40, tradeform.yaml',
    ]);
    expect(rest.join('\n')).toContain('sniper/alpha');
  });

  test('in Markdown, and is not cut', async () => {
    const { stdout } = await against({ output: 'markdown' });
    const first = stdout.indexOf('\n### ');
    expect(stdout.slice(first)).toMatch(
      /^\n### Rules changed since main \(`[0-9a-f]{7}`\) \(3\), 2 loosened\n\n- `stopped_tasks` loosened: hold → resume \(`tradeform\.yaml:\d+`\)\n/,
    );
    for (let index = 0; index < 40; index += 1)
      project.write(`manifests/n${index}.yaml`, sniper({ name: `n${index}`, wallet: WALLETS[1] }));
    const { stdout: short } = await against({ output: 'markdown', maxBytes: 3_200 });
    expect(short).toContain('Shortened to 3200 bytes');
    expect(short).toContain('`guardrails.max_tip` loosened');
    expect(short).toContain('`guardrails.max_slippage` tightened');
  });

  test('in JSON, and the digest covers only the tasks', async () => {
    const { stdout, plan } = await against();
    expect(stdout.indexOf('"rules_changed"')).toBeLessThan(stdout.indexOf('"changes"'));
    const alone = await project.plan({ output: 'json' });
    expect(JSON.parse(alone.stdout)).toMatchObject({ digest: plan.digest });
    expect(JSON.parse(alone.stdout)).not.toHaveProperty('rules_changed');
  });

  test.each(['sarif', 'github', 'gitlab'])('as findings: %s', async (output) => {
    const { stdout } = await against({ output });
    expect(stdout).toContain('stopped_tasks is loosened: hold at main');
    expect(stdout).toContain('guardrails.max_slippage is tightened: 50 (default) at main');
  });
});

test('a hundred rules leave room for the plan in a comment', async () => {
  const many = Array.from({ length: 100 }, (_, index) => ({
    name: `p${index}`,
    message: 'Ask',
    target: `sniper/${index}${'x'.repeat(200)}*`,
    schema: true,
  }));
  const written = many.map((policy) => ({ ...policy, schema: {} }));
  change({ guardrails: { policies: written } }, { stopped_tasks: 'resume' });
  task('0.6');
  const { stdout, code } = await against({ output: 'markdown', maxBytes: 25_000 });
  expect(code).toBe(2);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(25_000);
  expect(stdout).toContain('`stopped_tasks` loosened');
  expect(stdout).toMatch(/more changed rules/);
  expect(stdout).toContain('config.buy_amount');
});

describe('guardrails of the base', () => {
  test('refuse what a change loosens and uses at once; an override lets that plan through', async () => {
    change({ guardrails: { max_buy_amount: '1' } }, { guardrails: { max_buy_amount: '100' } });
    task('5');
    const refused = await against();
    expect(refused.code).toBe(4);
    const [error] = refused.plan.diagnostics.filter(({ severity }) => severity === 'error');
    expect(error).toMatchObject({
      code: 'guardrail-max-buy-amount',
      address: 'sniper/alpha',
      message: expect.stringMatching(
        /config\.buy_amount is 5, but max_buy_amount allows 1 SOL\. This guardrail is taken from the base, main \([0-9a-f]{7}\), because this change loosens it\.$/,
      ),
    });
    const override = `max_buy_amount=${refused.plan.digest}`;
    expect(error?.hint).toContain(`--override max_buy_amount=${refused.plan.digest}`);
    const let_through = await against({ override: [override] });
    expect(let_through.code).toBe(2);
    expect(let_through.plan.overrides).toMatchObject([{ guardrail: 'max_buy_amount', findings: 1 }]);
    // What was refused is no plan that was reviewed: the header has no digest for an apply to find.
    const markdown = await against({ output: 'markdown' });
    expect(markdown.stdout).toMatch(/^<!-- tradeform:plan project=core environment=- digest=- -->\n/);
    expect((await against({ output: 'markdown', override: [override] })).stdout).toContain(
      `digest=${refused.plan.digest} `,
    );
    // Once the limit is merged, the same plan passes.
    project.git('add', 'tradeform.yaml');
    project.git('commit', '-qm', 'limit');
    project.git('branch', '-qf', 'main');
    expect(await against()).toMatchObject({ code: 2 });
  });

  test('that are less strict leave the refusal to the current ones', async () => {
    change({ guardrails: { max_buy_amount: '10' } }, { guardrails: { max_buy_amount: '1' } });
    task('5');
    const { code, plan } = await against();
    expect(code).toBe(4);
    expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { message: expect.stringMatching(/allows 1 SOL\.$/) },
    ]);
  });

  test('refuse also what the base has pending, if only the new limit would allow it', async () => {
    change({ guardrails: { max_buy_amount: '1' } }, { guardrails: { max_buy_amount: '1' } });
    task('5');
    project.git('commit', '-qam', 'too much');
    project.git('branch', '-qf', 'main');
    expect(await against()).toMatchObject({ code: 0 });
    rules({ guardrails: { max_buy_amount: '100' } });
    expect(await against()).toMatchObject({ code: 4 });
  });

  test('do not refuse untouched tasks', async () => {
    change({ guardrails: { max_buy_amount: '0.1' } }, { guardrails: { max_buy_amount: '1' } });
    const { code, plan } = await against();
    expect(refusals(plan)).toEqual([]);
    expect(code).toBe(2);
  });

  test('policies come from the files of the base', async () => {
    const guarded = { guardrails: { policies: [{ name: 'ours', message: 'Ask', file: 'policy.json' }] } };
    const buy = { properties: { buy_amount: { decimalMaximum: '1' } } };
    const schema = { properties: { spec: { properties: { config: buy } } } };
    project.write('policy.json', JSON.stringify(schema));
    change(guarded, guarded);
    task('5');
    expect(await against()).toMatchObject({ code: 4 });
    project.write('policy.json', '{}');
    const emptied = await against();
    expect(refusals(emptied.plan)).toEqual(['guardrail-policy']);
    expect(emptied.code).toBe(4);
    project.erase('policy.json');
    rules({});
    const removed = await against();
    expect(refusals(removed.plan)).toEqual(['guardrail-policy']);
    const override = [`policy/ours=${removed.plan.digest}`];
    expect(await against({ override })).toMatchObject({ code: 2 });
  });

  test('hold where the manifests of the base do not compile', async () => {
    rules({ guardrails: { max_buy_amount: '1' } });
    task('much');
    project.commit();
    project.git('branch', '-qf', 'main');
    rules({ guardrails: { max_buy_amount: '100' } });
    task('5');
    const { code, plan } = await against();
    expect(code).toBe(4);
    expect(refusals(plan)).toEqual(['guardrail-max-buy-amount']);
  });

  test('are the defaults if the base has no project file', async () => {
    project.git('checkout', '-q', '--orphan', 'first');
    project.git('rm', '-rqf', '--cached', '.');
    project.git('commit', '-qm', 'first', '--allow-empty');
    project.git('branch', '-qf', 'main');
    rules({ guardrails: { max_buy_amount: null, max_factor: 100 } });
    task('50');
    const { code, plan } = await against({ baseUrl: project.baseUrl });
    expect(code).toBe(4);
    expect(refusals(plan)).toEqual(['guardrail-max-buy-amount', 'guardrail-max-factor']);
    expect(told(plan)).toContain('guardrails.max_buy_amount loosened: 10 (default) → null');
    expect(told(plan)).toContain('guardrails.max_factor loosened: 10 (default) → 100');
  });
});

describe('a base URL of another origin gets no request', () => {
  async function refused(options: PlanCommandOptions = {}) {
    const before = project.sandbox.log.length;
    const result = await against(options);
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.diagnostics[0]?.code).toBe('base-url-unconfirmed');
    expect(elsewhere.asked).toEqual([]);
    expect(project.sandbox.log.length).toBe(before);
    return result;
  }

  test('than at the base; the other changed rules are reported as well', async () => {
    rules({ base_url: elsewhere.baseUrl, account: undefined });
    const { diagnostics } = await refused();
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringContaining(`the token is not sent to ${new URL(elsewhere.baseUrl).origin}`),
      expect.stringMatching(/^rule-loosened base_url is loosened: http.* at main/),
      expect.stringMatching(/^rule-loosened account\.token_prefix is loosened/),
    ]);
    expect(diagnostics[0]?.location).toMatchObject({ file: 'tradeform.yaml' });
  });

  test('unless the option or the environment names it', async () => {
    rules({ base_url: elsewhere.baseUrl });
    // It answers with 503: what counts is that it was asked.
    expect(await against({ baseUrl: elsewhere.baseUrl, quiet: true }, { CI: 'true' })).toMatchObject({
      code: 1,
    });
    expect(elsewhere.asked.length).toBeGreaterThan(0);
  }, 120_000);

  test('the environment’s own base URL is used, and the changed one is shown', async () => {
    rules({ base_url: elsewhere.baseUrl });
    const { plan, code } = await against({}, { TRADEFORM_BASE_URL: project.baseUrl });
    expect(code).toBe(2);
    expect(elsewhere.asked).toEqual([]);
    expect(told(plan)).toEqual([`base_url loosened: ${project.baseUrl} → ${elsewhere.baseUrl}`]);
    expect(plan.service.base_url).toBe(project.baseUrl);
  });

  test('another path of the same origin is shown and used', async () => {
    rules({ base_url: project.baseUrl.replace(/v1$/, 'v1/') });
    expect(told((await against()).plan)).toEqual([]);
    rules({ base_url: project.baseUrl.replace(/v1$/, 'v2') });
    const { diagnostics } = await against();
    expect(diagnostics.map(({ code }) => code)).not.toContain('base-url-unconfirmed');
  });

  test('if the base has no project file', async () => {
    project.git('checkout', '-q', '--orphan', 'first');
    project.git('rm', '-rqf', '--cached', '.');
    project.git('commit', '-qm', 'first', '--allow-empty');
    project.git('branch', '-qf', 'main');
    rules({ base_url: elsewhere.baseUrl });
    const { diagnostics } = await refused();
    expect(diagnostics[0]?.message).toContain('tradeform.yaml does not exist there');
  });

  test('if the project file of the base cannot be read', async () => {
    project.write('tradeform.yaml', 'kind: [');
    project.commit();
    project.git('branch', '-qf', 'main');
    rules({ base_url: elsewhere.baseUrl });
    const { diagnostics } = await refused();
    expect(diagnostics[0]?.message).toContain('tradeform.yaml cannot be used there');
  });

  test('if the environment is new, or takes the URL of another one', async () => {
    change(
      environments({}, { staging: { base_url: elsewhere.baseUrl } }),
      environments({}, { staging: { base_url: elsewhere.baseUrl }, trial: { base_url: elsewhere.baseUrl } }),
    );
    await refused({ environment: 'trial' });
    change(
      environments({}, { staging: { base_url: elsewhere.baseUrl } }),
      environments({ base_url: elsewhere.baseUrl }, { staging: { base_url: elsewhere.baseUrl } }),
    );
    await refused({ environment: 'production' });
  });

  test('environments that are introduced around the same URL are allowed', async () => {
    change({}, environments({}));
    expect(await against({ environment: 'production' })).toMatchObject({ code: 2 });
  });

  test('credentials in a base URL of the base are never shown', async () => {
    change({ base_url: 'https://mira:hunter2@example.invalid/v1' }, {});
    for (const output of ['json', 'text', 'markdown']) {
      const { stdout, stderr, diagnostics } = await against({ output });
      expect(stdout + stderr + JSON.stringify(diagnostics)).not.toContain('hunter2');
    }
    const named = await against({ baseUrl: project.baseUrl, output: 'text' });
    expect(named.stdout).toContain('base_url loosened: (cannot be used');
    expect(named.stdout).not.toContain('hunter2');
  });
});

describe('an account pin that is removed', () => {
  test('still applies in the change that removes it', async () => {
    change({ account: { login_username: 'minnows' } }, { account: undefined });
    const before = project.sandbox.log.length;
    const { code, diagnostics } = await against();
    expect(code).toBe(4);
    expect(diagnostics).toMatchObject([
      {
        code: 'account-mismatch',
        message: expect.stringMatching(/^the base, main \([0-9a-f]{7}\), pins login_username minnows/),
      },
    ]);
    expect(project.sandbox.log.slice(before).map(({ method }) => method)).not.toContain('POST');
  });

  test('of the same account is no refusal', async () => {
    rules({ account: undefined });
    expect(await against()).toMatchObject({ code: 2 });
  });
});
