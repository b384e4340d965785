import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processOf } from '../../cmd/github-action/child.ts';
import { EXECUTABLE } from '../cmd/run.ts';
import { gitIn } from '../support/repository.ts';
import type { Answer, Call } from './child.ts';
import { type FakeGitHub, startGitHub } from './github.ts';
import { type Step, step } from './step.ts';
import { onMain, type PullEvent, pullRequest } from './workflow-event.ts';

let github: FakeGitHub;
beforeAll(async () => {
  github = await startGitHub();
});
beforeEach(() => github.reset());
afterAll(() => github.close());

function on(
  event: PullEvent,
  inputs: Record<string, string>,
  answers: Record<string, Answer> = { validate: {}, plan: {} },
): Promise<Step> {
  return step(github, { inputs, event: (folder) => pullRequest(folder, event), answers });
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
    expect(github.requests, 'its token cannot write').toEqual([]);
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
    expect(github.requests).toEqual([]);
  },
);

it('validate needs no token of either kind', async () => {
  const done = await step(github, {
    inputs: { command: 'validate', project: 'desk.yaml', arguments: '--report\nsarif=out.sarif' },
    event: (folder) => pullRequest(folder),
    answers: { validate: { stdout: 'OK  3 manifests\n' } },
    env: { GITHUB_TOKEN: '', TRADEFORM_TOKEN: '' },
  });
  expect(done.code, done.log).toBe(0);
  expect(done.calls.map(({ args }) => args)).toEqual([
    ['validate', '--project', 'desk.yaml', '--report', 'sarif=out.sarif'],
  ]);
  expect(done.log).toBe('OK  3 manifests\n');
});

it.each<[string, Record<string, string>, PullEvent, readonly (readonly [string, readonly string[]])[]]>([
  ['validate', { command: 'validate' }, {}, [['validate', []]]],
  ['matrix', { command: 'matrix' }, {}, [['matrix', []]]],
  ['the plan of a fork', { command: 'plan' }, { from: 'mallory/tasks' }, [['validate', []]]],
  [
    'a merge of the documents of shards',
    { command: 'plan', documents: 'shards', comment: 'false' },
    {},
    [['merge', []]],
  ],
  [
    'a plan, and not what only names its subject',
    { command: 'plan', base: 'main' },
    {},
    [
      ['plan', ['TRADEFORM_TOKEN_DESK_1']],
      ['validate', []],
    ],
  ],
])(
  'only a command that talks to the service gets the tokens of a fleet: %s',
  async (_, inputs, event, gets) => {
    const tokens = 'TRADEFORM_TOKEN_DESK_1=svc_live_0000bbb1.canary-1';
    const { calls } = await on(event, { fleet: 'fleet.yaml', tokens, ...inputs }, { fleet: {} });
    const holding = ({ env }: Call) => Object.keys(env).filter((name) => env[name]?.includes('canary-1'));
    expect(calls.map((call) => [call.args[1], holding(call)])).toEqual(gets);
  },
);

it('a plan without a pull request has no comment, no base, and needs no GitHub token', async () => {
  const done = await step(github, {
    inputs: { command: 'plan', 'redact-wallets': 'true', 'base-url': 'https://x.invalid/v1' },
    event: (folder) => onMain(folder, 'workflow_dispatch'),
    answers: { plan: { code: 2, json: { format: 'tradeform.plan/1', digest: 'd', operations: [] } } },
    env: { GITHUB_TOKEN: '' },
  });
  expect(done.code, done.log).toBe(0);
  const line = done.calls[0]?.args.join(' ') ?? '';
  expect(line).toMatch(
    /^plan --base-url https:\/\/x\.invalid\/v1 --redact-wallets --detailed-exitcode --only pending --report json=/,
  );
  expect(line).not.toContain('--base ');
  expect(github.requests).toEqual([]);
});

describe('the base of a plan on a pull request', () => {
  let folder = '';
  const git = (...args: readonly string[]) => gitIn(folder)(...args);

  async function baseOf(
    checkedOut: 'trial' | 'named trial' | 'trial of before' | 'head' | 'merged-head' | 'elsewhere',
    inputs: Record<string, string> = {},
  ): Promise<string | undefined> {
    const shas = { headSha: '', baseSha: '' };
    const done = await step(github, {
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

it('a GitHub token is required only if it is needed', async () => {
  const done = await step(github, {
    inputs: { command: 'plan', 'base-url': 'https://x.invalid/v1' },
    event: (folder) => pullRequest(folder),
    answers: {
      plan: { json: { format: 'tradeform.plan/1', project: 'core', environment: null, operations: [] } },
    },
    env: { GITHUB_TOKEN: '' },
  });
  expect(done.code).toBe(3);
  expect(done.log).toContain('github-token is empty');
});

it('a missing working directory is reported', async () => {
  const done = await step(github, {
    inputs: { command: 'validate', 'working-directory': 'nowhere' },
    event: (folder) => pullRequest(folder),
    answers: {},
    start: processOf(EXECUTABLE),
  });
  expect(done.code).toBe(1);
  expect(done.log).toMatch(/^::error title=tradeform::tradeform could not be started in .*nowhere: ENOENT/m);
});

describe('the log', () => {
  const HOSTILE = [
    '::add-mask::a',
    '  ::stop-commands::x',
    'remark ##[add-mask]a',
    '::error title=x::text',
    '::set-output name=digest::x',
  ].join('\n');

  it('contains no command from stdout', async () => {
    const done = await on({}, { command: 'validate' }, { validate: { stdout: `${HOSTILE}\n` } });
    for (const line of done.log.split('\n')) {
      expect(line).not.toMatch(/^\s*::/);
      expect(line).not.toContain('##[');
    }
    expect(done.log).toContain('add-mask');
  });

  it('contains the annotations of stderr, and no command with an effect', async () => {
    const done = await on({}, { command: 'validate' }, { validate: { stderr: `${HOSTILE}\n` } });
    expect(done.log.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([
      '::error title=x::text',
    ]);
  });

  it('outputs cannot begin other outputs', async () => {
    const json = { format: 'tradeform.plan/1', digest: 'a\nend-0\nissue-url<<x\ny\nx', operations: [] };
    const done = await on({}, { command: 'plan', comment: 'false', base: 'main' }, { plan: { json } });
    expect(done.outputs.digest).toBe(json.digest);
    expect(done.outputs).not.toHaveProperty('issue-url');
  });
});
