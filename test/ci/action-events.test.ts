import { describe, expect, it } from 'vitest';
import { gitIn } from '../support/repository.ts';
import { nameOf } from './child.ts';
import { type Step, step } from './step.ts';
import { MERGED, onMain, type PullEvent, pullRequest } from './workflow-event.ts';

const ANSWERS = {
  validate: {},
  plan: { code: 2, json: { format: 'tradeform.plan/1', digest: 'd', operations: [] } },
  apply: { json: { format: 'tradeform.report/2', digest: 'd', summary: { done: 0 } } },
  drift: {},
} as const;
const INPUTS = { expect: 'none', issue: 'false', comment: 'false', 'base-url': 'https://x.invalid/v1' };

function on(event: string, command: string, ref?: string): Promise<Step> {
  return step({
    inputs: { command, ...INPUTS },
    event: (folder) => onMain(folder, event, undefined, ref),
    answers: ANSWERS,
  });
}

function onPull(event: PullEvent, command: string): Promise<Step> {
  return step({
    inputs: { command, ...INPUTS },
    event: (folder) => pullRequest(folder, event),
    answers: ANSWERS,
  });
}

function commandsOf({ calls }: Step): readonly (string | undefined)[] {
  return calls.map(({ args }) => nameOf(args));
}

const OWN = ['push', 'workflow_dispatch', 'schedule', 'merge_group'];
const PULLS = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];
/** Some can be started by a stranger; what GitHub adds tomorrow stands for the others. */
const ELSEWHERE = [
  'workflow_run',
  'issue_comment',
  'issues',
  'repository_dispatch',
  'release',
  'check_suite',
  'status',
  'workflow_call',
  'something_of_tomorrow',
  '',
];

describe('apply', () => {
  it.each(OWN)('runs on %s', async (event) => {
    const done = await on(event, 'apply');
    expect(done.code, done.log).toBe(0);
    expect(commandsOf(done)).toEqual(['comment reviewed', 'apply', 'comment result']);
    expect(done.log).not.toContain('::warning');
  });

  it.each([...PULLS, ...ELSEWHERE])('does not run on %s, and says where it does', async (event) => {
    const pull = PULLS.includes(event);
    const done = pull ? await onPull({ event }, 'apply') : await on(event, 'apply');
    expect(done.code, done.log).toBe(4);
    expect(done.calls).toEqual([]);
    expect(done.outputs).toEqual({ 'exit-code': '4' });
    const name = event === '' ? 'an event without a name' : event;
    expect(done.log).toContain(`::error title=tradeform::apply does not run on ${name}: `);
    expect(done.log).toMatch(
      /apply runs on push, workflow_dispatch, schedule, merge_group: .*protected environment/,
    );
  });

  it('of a branch other than the default one gets a notice', async () => {
    const done = await on('push', 'apply', 'refs/heads/attic');
    expect(done.code, done.log).toBe(0);
    expect(done.log).toMatch(/^::warning .*refs\/heads\/attic.* not the default branch main/m);
  });
});

describe('on Gitea', () => {
  const GITEA = { GITHUB_GRAPHQL_URL: '', GITHUB_SERVER_URL: 'https://git.invalid' };
  const apply = (inputs: Record<string, string>, from = 'schedule') =>
    step({
      inputs: { command: 'apply', ...INPUTS, ...inputs },
      event: (folder) => ({
        ...(from === 'schedule' ? onMain(folder, from) : pullRequest(folder)),
        ...GITEA,
        GITHUB_REPOSITORY: 'desk/apply',
      }),
      answers: ANSWERS,
      prepare: (folder) => {
        const git = gitIn(folder);
        git('init', '-q', '-b', 'main');
        git('commit', '-q', '--allow-empty', '-m', 'One');
      },
    });

  it('an apply in the repository whose writers read its token says so', async () => {
    const done = await apply({});
    expect(done.code, done.log).toBe(0);
    expect(done.log).toMatch(/^::warning .*whoever can push a branch can read it/m);
  });

  it('the commands of an apply for another repository see that one, and the page of their own run', async () => {
    const done = await apply({ repository: 'desk/tasks@release/1' });
    expect(done.code, done.log).toBe(0);
    expect(done.log).not.toContain('::warning');
    for (const { env } of done.calls) {
      expect(env).toMatchObject({
        ...{ GITHUB_REPOSITORY: 'desk/tasks', GITHUB_RUN_REPOSITORY: 'desk/apply' },
        ...{ GITHUB_REF: 'refs/heads/release/1', GITHUB_SHA: expect.stringMatching(/^[0-9a-f]{40}$/) },
      });
      expect([MERGED, undefined]).not.toContain(env.GITHUB_SHA);
      expect(env.GITHUB_EVENT_PATH).toBeUndefined();
    }
  });

  it.each([
    ['of a pull request', 'pull_request', 'desk/tasks@main', 4, /a pull request is not merged/],
    ['without a branch', 'schedule', 'desk/tasks', 3, /repository is not OWNER\/NAME@BRANCH: desk\/tasks/],
  ])('%s, it sends nothing', async (_name, from, repository, code, says) => {
    const done = await apply({ repository }, from);
    expect([done.code, done.calls], done.log).toEqual([code, []]);
    expect(done.log).toMatch(says);
  });
});

describe.each(['plan', 'drift'])('%s', (command) => {
  it.each([...OWN, ...PULLS])('runs on %s', async (event) => {
    const done = PULLS.includes(event) ? await onPull({ event }, command) : await on(event, command);
    expect(done.code, done.log).toBe(0);
    expect(commandsOf(done)).toEqual([command]);
  });

  it.each(ELSEWHERE)(
    'does not run on %s: the checkout may be of a fork, and the token is there',
    async (event) => {
      const done = await on(event, command);
      expect(done.code, done.log).toBe(4);
      expect(done.calls).toEqual([]);
      expect(done.log).toMatch(/::error .*does not run on .*workflow_dispatch/);
    },
  );

  it.each(PULLS)('gets no token on %s of a fork', async (event) => {
    const done = await onPull({ event, from: 'mallory/tasks' }, command);
    expect(done.code, done.log).toBe(command === 'plan' ? 0 : 4);
    expect(commandsOf(done)).toEqual(command === 'plan' ? ['validate'] : []);
    for (const { env } of done.calls) expect(env).not.toHaveProperty('TRADEFORM_TOKEN');
  });
});

it.each(['workflow_run', 'issue_comment'])('validate runs on %s as well, without a token', async (event) => {
  const done = await on(event, 'validate');
  expect(done.code, done.log).toBe(0);
  expect(done.calls[0]?.env).not.toHaveProperty('TRADEFORM_TOKEN');
});
