import { describe, expect, it } from 'vitest';
import { processOf } from '../../cmd/github-action/action.ts';
import { CANARY, EXECUTABLE } from '../cmd/run.ts';
import { gitIn } from '../support/repository.ts';
import { type Answer, nameOf } from './child.ts';
import { FORGE_TOKEN } from './host.ts';
import { type Step, step } from './step.ts';
import { onMain, type PullEvent, pullRequest } from './workflow-event.ts';

function on(
  event: PullEvent,
  inputs: Record<string, string>,
  answers: Record<string, Answer> = { validate: {}, plan: {} },
): Promise<Step> {
  return step({ inputs, event: (folder) => pullRequest(folder, event), answers });
}

function commandsOf({ calls }: Step): readonly (string | undefined)[] {
  return calls.map(({ args }) => args[0]);
}

describe('a pull request without secrets', () => {
  it.each([
    ['of a fork', { from: 'mallory/tasks' }, /it comes from a fork/],
    ['whose repository is gone', { from: null }, /it comes from a fork/],
    ['of Dependabot', { actor: 'dependabot[bot]' }, /Dependabot started this run/],
  ])('%s is only validated, and the log says so', async (_name, event, says) => {
    const inputs = { command: 'plan', environment: 'production', arguments: '--first-apply' };
    const done = await on(event, inputs, { validate: { code: 0 } });
    expect(done.code, done.log).toBe(0);
    expect(done.log).toMatch(/^::notice title=tradeform::This pull request is only validated, not planned/m);
    expect(done.log).toMatch(says);
    expect(done.calls.map(({ args }) => args)).toEqual([['validate', '--environment', 'production']]);
    expect(done.calls[0]?.env).not.toHaveProperty('TRADEFORM_TOKEN');
    expect(done.outputs).toEqual({ 'exit-code': '0' });
  });

  it('ends as validation does', async () => {
    const done = await on({ from: 'mallory/tasks' }, { command: 'plan' }, { validate: { code: 3 } });
    expect(done.code).toBe(3);
    expect(done.outputs).toEqual({ 'exit-code': '3' });
  });
});

it.each(['validate', 'plan', 'apply', 'drift'])(
  'pull_request_target is refused for %s before anything is run',
  async (command) => {
    const done = await on({ event: 'pull_request_target' }, { command });
    expect(done.code).toBe(4);
    expect(done.log).toMatch(/^::error title=tradeform::pull_request_target is refused: .*on: pull_request/m);
    expect(commandsOf(done)).toEqual([]);
  },
);

it('validate needs no token of either kind', async () => {
  const done = await step({
    inputs: { command: 'validate', project: 'desk.yaml', arguments: '--report\nsarif=out.sarif' },
    event: (folder) => pullRequest(folder),
    answers: { validate: { stdout: 'OK  3 manifests\n' } },
    env: { GITHUB_TOKEN: '', TRADEFORM_TOKEN: '', TRADEFORM_DEADLIEN: '1m' },
  });
  expect(done.code, done.log).toBe(0);
  expect(done.calls[0]?.env, 'tradeform warns of it').toHaveProperty('TRADEFORM_DEADLIEN');
  expect(done.calls.map(({ args }) => args)).toEqual([
    ['validate', '--project', 'desk.yaml', '--report', 'sarif=out.sarif'],
  ]);
  expect(done.log).toBe('OK  3 manifests\n');
});

describe('each command gets the token that it needs, and no other', () => {
  const tokens = 'TRADEFORM_TOKEN_DESK_1=svc_live_0000bbb1.canary-1';
  const url = { stdout: 'https://github.invalid/1\n' };
  /** The tokens that each command got: of the service, of a fleet, and of the forge, under whatever name. */
  const holding = ({ calls }: Step) =>
    calls.map(({ args, env }) => {
      const has = (token: string) => Object.values(env).some((value) => value.includes(token));
      const held = [has(CANARY) && 'service', has('canary-1') && 'fleet', has(FORGE_TOKEN) && 'forge'];
      const [name, of] = [nameOf(args), args[0] === 'fleet' ? args[1] : ''];
      return [name, of, ...held].filter(Boolean).join(' ');
    });

  it.each<[string, Record<string, string>, PullEvent | 'push' | 'schedule', readonly string[]]>([
    ['validate', { command: 'validate' }, {}, ['validate']],
    ['plan', { command: 'plan' }, {}, ['plan service', 'comment plan forge']],
    ['the plan of a fork', { command: 'plan' }, { from: 'mallory/tasks' }, ['validate']],
    [
      'apply',
      { command: 'apply' },
      'push',
      ['comment reviewed forge', 'apply service', 'comment result forge'],
    ],
    ['drift', { command: 'drift' }, 'schedule', ['drift service', 'comment drift forge']],
    ['the matrix of a fleet', { command: 'matrix', fleet: 'f.yaml', tokens }, {}, ['fleet matrix']],
    [
      'the plan of a fleet',
      { command: 'plan', base: 'main', fleet: 'f.yaml', tokens },
      {},
      ['fleet plan service fleet', 'comment plan forge'],
    ],
    [
      'a shard',
      { command: 'drift', fleet: 'f.yaml', tokens, shard: '1/2', documents: 'd' },
      'schedule',
      ['fleet drift service fleet'],
    ],
    [
      'a merge of the documents of shards',
      { command: 'plan', fleet: 'f.yaml', tokens, documents: 'd' },
      {},
      ['fleet merge', 'comment plan forge'],
    ],
  ])('%s', async (_name, inputs, event, held) => {
    const answers = { plan: {}, apply: {}, drift: {}, fleet: {}, validate: {}, 'comment plan': url };
    const done = await step({
      inputs: { ...(inputs.fleet ? {} : { 'base-url': 'https://x.invalid/v1' }), ...inputs },
      event: (folder) => (typeof event === 'string' ? onMain(folder, event) : pullRequest(folder, event)),
      answers,
      env: { GH_TOKEN: FORGE_TOKEN, REMOTE: `https://x:${FORGE_TOKEN}@github.invalid/` },
    });
    expect(holding(done), done.log).toEqual(held);
    for (const { env } of done.calls)
      expect(
        Object.keys(env).filter((name) => /^(?:INPUT_|GITHUB_OUTPUT|GITHUB_ENV|GH_TOKEN|REMOTE)/.test(name)),
      ).toEqual([]);
    expect(done.calls[0]?.env).toMatchObject({ GITHUB_ACTIONS: 'true' });
  });
});

describe('plan', () => {
  const json = { format: 'tradeform.plan/1', digest: 'd', operations: [{ id: '1' }] };
  const plan = (code: number, comment: Answer = {}, inputs = {}) =>
    on(
      {},
      { command: 'plan', environment: 'production', base: 'main', ...inputs },
      { plan: { code, json }, 'comment plan': comment },
    );

  it('comments on the reports of the plan, and names the comment; changes are no failure', async () => {
    const done = await plan(2, { stdout: 'https://github.invalid/1\n' });
    expect(done.code, done.log).toBe(0);
    const outputs = {
      digest: 'd',
      changed: 'true',
      'exit-code': '2',
      'comment-url': 'https://github.invalid/1',
    };
    expect(done.outputs).toEqual(outputs);
    const [planned, comment] = done.calls.map(({ args }) => args.join(' '));
    const [, file = ''] =
      /--report json=(\S+)\.json --report markdown=\1\.md --max-bytes 64000$/.exec(planned ?? '') ?? [];
    expect(comment).toBe(`comment --environment production plan ${file}`);
  });

  it.each([
    ['https://github.com', true],
    ['https://ghe.desk.invalid', false],
  ])('on %s, says that the run keeps a page: %s', async (server, keeps) => {
    const done = await step({
      inputs: { command: 'plan', base: 'main', arguments: '--report=html=/tmp/plan.html' },
      event: (folder) => ({ ...pullRequest(folder), GITHUB_SERVER_URL: server }),
      answers: { plan: { code: 2, json } },
    });
    expect(done.calls[1]?.args.at(-1) === '--page').toBe(keeps);
  });

  it('comments also after a failure or a refusal, and ends as the plan does', async () => {
    for (const code of [1, 3, 4]) {
      const done = await plan(code);
      expect([done.code, done.outputs['exit-code'], done.calls.length]).toEqual([code, String(code), 2]);
    }
  });

  it('fails if the comment cannot be written, and does not write one where none is wanted', async () => {
    const failed = await plan(2, { code: 1 });
    expect([failed.code, failed.outputs]).toEqual([1, { digest: 'd', changed: 'true', 'exit-code': '1' }]);
    expect((await plan(2, {}, { comment: 'false' })).calls).toHaveLength(1);
  });
});

describe('apply', () => {
  const json = {
    format: 'tradeform.report/2',
    digest: 'd',
    summary: { done: 2, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 0 },
  };
  const apply = (inputs = {}, answers: Record<string, Answer> = {}, ref?: string) =>
    step({
      inputs: { command: 'apply', environment: 'production', ...inputs },
      event: (folder) => onMain(folder, 'push', undefined, ref),
      answers: { apply: { json }, ...answers },
    });
  const lines = ({ calls }: Step) =>
    calls.map(({ args }) => args.join(' ').replaceAll(/[^\s=]*\/tradeform-\w+/g, 'F'));

  it('finds what was reviewed, applies that, and tells what came of it', async () => {
    const done = await apply(
      {},
      { 'comment result': { stdout: 'https://github.invalid/1\nhttps://github.invalid/2\n' } },
    );
    expect(done.code, done.log).toBe(0);
    expect(lines(done)).toEqual([
      'comment --environment production reviewed F --expect reviewed --only pending',
      'apply --environment production --only pending --auto-approve --reviewed F --report json=F/report.json --report markdown=F/report.md --max-bytes 64000',
      'comment --environment production result F/report --reviewed F --only pending',
    ]);
    expect(done.outputs).toEqual({
      digest: 'd',
      changed: 'true',
      'exit-code': '0',
      'comment-url': 'https://github.invalid/2',
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a digest', { expect: 'a'.repeat(64) }, /reviewed F --expect a{64} --only pending/],
    ['everything', { expect: 'none', only: 'all' }, /reviewed F --expect none\n(?!.*--only)/s],
    ['with no comment', { comment: 'false' }, /--no-tell/],
    [
      'a part, which is not recorded',
      { arguments: '--target\nsniper/a' },
      /--target sniper\/a\n.*--no-record$/s,
    ],
    ['another part', { arguments: '--exclude=sniper/a' }, /--no-record$/],
  ])('%s', async (_name, inputs, says) => {
    expect(lines(await apply(inputs)).join('\n')).toMatch(says);
  });

  it('of an old commit ends with 5; where nothing was reviewed, with 4 and a comment', async () => {
    const old = await apply({}, { 'comment reviewed': { code: 5 } });
    expect([old.code, lines(old).length, old.outputs]).toEqual([
      5,
      1,
      { digest: '', changed: 'false', 'exit-code': '5' },
    ]);
    const refused = await apply({}, { 'comment reviewed': { code: 4 } });
    expect([refused.code, lines(refused).length, refused.log]).toEqual([4, 2, '']);
    expect(refused.outputs).toMatchObject({ 'exit-code': '4' });
  });

  it('fails as tradeform does if the plan has changed, and says how to continue', async () => {
    const result = { format: 'tradeform.result/1', digest: 'e' };
    const { code, outputs, log } = await apply({}, { apply: { code: 4, json: result } });
    expect(code).toBe(4);
    expect(outputs).toMatchObject({ digest: 'e', changed: 'false', 'exit-code': '4' });
    expect(log).toMatch(/^::notice title=tradeform::Nothing was changed\. .*`expect`: e$/m);
  });

  it('that cannot be recorded fails', async () => {
    const done = await apply({}, { 'comment result': { code: 1 } });
    expect([done.code, done.outputs['exit-code']]).toEqual([1, '1']);
  });
});

describe('drift', () => {
  const look = (code: number, inputs = {}, comment: Answer = {}) =>
    step({
      inputs: { command: 'drift', ...inputs },
      event: (folder) => onMain(folder, 'schedule'),
      answers: { drift: { code }, 'comment drift': comment },
    });

  it('that an issue reports is no failure; without an issue it is one', async () => {
    const done = await look(2, {}, { stdout: 'https://github.invalid/1\n' });
    expect(done.code, done.log).toBe(0);
    expect(done.outputs).toEqual({
      'exit-code': '2',
      changed: 'true',
      'issue-url': 'https://github.invalid/1',
    });
    expect(done.calls[1]?.args.slice(-2)).toEqual(['--label', 'tradeform-drift']);
    const without = await look(2, { issue: 'false' });
    expect([without.code, without.calls.length]).toEqual([2, 1]);
    expect((await look(2, {}, { code: 1 })).code).toBe(1);
  });

  it.each([1, 3, 4])('a report that could not be made (%i) fails', async (code) => {
    expect((await look(code)).code).toBe(code);
  });

  it('does not run on a pull request of a fork', async () => {
    const done = await on({ from: 'mallory/tasks' }, { command: 'drift' });
    expect([done.code, done.calls]).toEqual([4, []]);
    expect(done.log).toContain('it comes from a fork');
  });
});

it('a plan without a pull request has no comment, no base, and needs no GitHub token', async () => {
  const done = await step({
    inputs: { command: 'plan', 'base-url': 'https://x.invalid/v1' },
    event: (folder) => onMain(folder, 'workflow_dispatch'),
    answers: { plan: { code: 2, json: { format: 'tradeform.plan/1', digest: 'd', operations: [] } } },
    env: { GITHUB_TOKEN: '' },
  });
  expect(done.code, done.log).toBe(0);
  const line = done.calls[0]?.args.join(' ') ?? '';
  expect(line).toMatch(
    /^plan --base-url https:\/\/x\.invalid\/v1 --detailed-exitcode --only pending --report json=/,
  );
  expect(line).not.toContain('--base ');
});

describe('the base of a plan on a pull request', () => {
  let folder = '';
  const git = (...args: readonly string[]) => gitIn(folder)(...args);

  async function baseOf(
    checkedOut: 'trial' | 'named trial' | 'trial of before' | 'head' | 'merged-head' | 'elsewhere',
    inputs: Record<string, string> = {},
  ): Promise<string | undefined> {
    const shas = { headSha: '', baseSha: '' };
    const done = await step({
      inputs: { command: 'plan', comment: 'false', ...inputs },
      prepare: (workspace) => {
        folder = workspace;
        git('init', '-q', '-b', 'main');
        git('commit', '-q', '--allow-empty', '-m', 'base');
        git('checkout', '-q', '-b', 'change');
        git('commit', '-q', '--allow-empty', '-m', 'change');
        shas.headSha = git('rev-parse', 'HEAD');
        git('checkout', '-q', 'main');
        git('commit', '-q', '--allow-empty', '-m', 'meanwhile');
        shas.baseSha = git('rev-parse', 'HEAD');
        if (checkedOut === 'named trial') git('update-ref', 'refs/remotes/origin/main', 'main');
        if (checkedOut === 'trial of before') git('update-ref', 'refs/remotes/origin/main', 'main^');
        if (checkedOut.includes('trial')) git('merge', '-q', '--no-ff', '-m', 'trial', 'change');
        if (checkedOut === 'head') git('checkout', '-q', 'change');
        if (checkedOut === 'merged-head') {
          git('checkout', '-q', 'change');
          git('merge', '-q', '--no-ff', '-m', 'main into change', 'main');
          shas.headSha = git('rev-parse', 'HEAD');
        }
        if (checkedOut === 'elsewhere') git('checkout', '-q', '--orphan', 'other');
        if (checkedOut === 'elsewhere') git('commit', '-q', '--allow-empty', '-m', 'other');
      },
      event: (workspace) => pullRequest(workspace, shas),
      answers: { plan: {} },
    });
    const args = done.calls[0]?.args ?? [];
    if (done.calls.length === 0) return `${done.code} ${done.log}`;
    expect(done.log.includes('fetch-depth: 0')).toBe(!args.includes('--base'));
    return args.includes('--base')
      ? args[args.indexOf('--base') + 1]?.replace(shas.baseSha, 'BASE')
      : undefined;
  }

  it('the trial merge: the commit with which it was merged', async () => {
    expect(await baseOf('trial')).toBe('HEAD^1');
    expect(await baseOf('trial of before')).toBe('HEAD^1');
  });
  it('the trial merge: by the name of the branch, where the checkout has it at this commit', async () => {
    expect(await baseOf('named trial')).toBe('origin/main');
  });
  it('its head: the commit where both diverged', async () => expect(await baseOf('head')).toBe('BASE...'));
  it('its head after it merged main itself: the same commit', async () => {
    expect(await baseOf('merged-head')).toBe('BASE...');
  });
  it('without a history and without a base URL: nothing runs', async () => {
    expect(await baseOf('elsewhere')).toMatch(/^4 .*which host gets the token.*vars\.TRADEFORM_BASE_URL/s);
  });
  it('without a history: no base, and a warning', async () => {
    expect(await baseOf('elsewhere', { 'base-url': 'https://x.invalid/v1' })).toBeUndefined();
  });
});

it('further arguments are one on each line, and no shell reads them', async () => {
  const done = await on(
    {},
    { command: 'plan', base: 'main', comment: 'false', arguments: '--target\n sniper/*; rm -rf $HOME \n\n' },
  );
  expect(done.calls[0]?.args.slice(-2)).toEqual(['--target', 'sniper/*; rm -rf $HOME']);
  expect(done.calls[0]?.args.join(' ')).toContain('--base main');
});

it('everything that is wrong with the inputs is reported at once, and nothing runs', async () => {
  const done = await on(
    {},
    { command: 'destroy', comment: 'yes', issue: '1', expect: 'me', 'issue-label': 'a,b' },
  );
  expect(done.code).toBe(3);
  for (const part of [
    'command must be one of',
    'comment is neither',
    'issue is neither',
    'expect must be',
    'issue-label',
  ]) {
    expect(done.log).toContain(part);
  }
  expect(commandsOf(done)).toEqual([]);
});

it('a missing working directory is reported', async () => {
  const done = await step({
    inputs: { command: 'validate', 'working-directory': 'nowhere' },
    event: (folder) => pullRequest(folder),
    answers: {},
    start: processOf(EXECUTABLE),
  });
  expect(done.code).toBe(1);
  expect(done.log).toMatch(/^::error title=tradeform::tradeform could not be started in .*nowhere: ENOENT/m);
});

it('outputs cannot begin other outputs', async () => {
  const json = { format: 'tradeform.plan/1', digest: 'a\nend-0\nissue-url<<x\ny\nx', operations: [] };
  const done = await on({}, { command: 'plan', comment: 'false', base: 'main' }, { plan: { json } });
  expect(done.outputs.digest).toBe(json.digest);
  expect(done.outputs).not.toHaveProperty('issue-url');
});
