import { describe, expect, it } from 'vitest';
import { nameOf } from './child.ts';
import { type Step, step } from './step.ts';
import { onMain, type PullEvent, pullRequest } from './workflow-event.ts';

const ANSWERS = {
  validate: {},
  plan: { code: 2, json: { format: 'tradeform.plan/1', digest: 'd', operations: [] } },
  apply: { json: { format: 'tradeform.report/2', plan_digest: 'd', summary: { done: 0 } } },
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
