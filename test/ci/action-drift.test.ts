import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Answer } from './child.ts';
import { BOT, type FakeGitHub, startGitHub } from './github.ts';
import { type Step, step } from './step.ts';
import { onMain, pullRequest } from './workflow-event.ts';

let github: FakeGitHub;
beforeAll(async () => {
  github = await startGitHub();
});
beforeEach(() => github.reset());
afterAll(() => github.close());

const HEADER = '<!-- tradeform:drift project=core environment=production digest=- -->';

function look(answer: Answer, inputs: Record<string, string> = {}): Promise<Step> {
  return step(github, {
    inputs: { command: 'drift', ...inputs },
    event: (folder) => onMain(folder, 'schedule'),
    answers: {
      drift: {
        json: { format: 'tradeform.drift/1', project: 'core', environment: 'production' },
        ...answer,
      },
    },
  });
}

const drift = (text: string, inputs = {}) => look({ code: 2, markdown: `${HEADER}\n## ${text}\n` }, inputs);
const none = (inputs = {}) => look({ code: 0, markdown: `${HEADER}\n## No drift\n` }, inputs);

it('drift opens an issue, and the run succeeds', async () => {
  const { code, outputs, log } = await drift('A person changed whale-7');
  expect(code, log).toBe(0);
  expect(github.issues).toMatchObject([
    { state: 'open', title: 'tradeform: core (production) differs from git', labels: ['tradeform-drift'] },
  ]);
  expect(github.issues[0]?.body).toMatch(
    `${HEADER}\n<!-- tradeform:since 2026-11-21T09:00:00.000Z -->\n## A person changed whale-7\n`,
  );
  expect(github.issues[0]?.body).toContain('Seen first 2026-11-21 09:00 UTC, last looked by [this run](');
  const [issue] = github.issues;
  expect(outputs).toEqual({
    'exit-code': '2',
    changed: 'true',
    'issue-url': `${github.env.GITHUB_SERVER_URL}/desk/tasks/issues/${issue?.number}`,
  });
});

it('the issue is updated, closed when the drift is gone, and reopened', async () => {
  await drift('One');
  await drift('Two');
  expect(github.issues).toHaveLength(1);
  expect(github.issues[0]?.body).toContain('## Two\n');

  const closed = await none();
  expect(github.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }]);
  expect(github.issues[0]?.body).toContain('## No drift\n');
  expect(closed).toMatchObject({ code: 0, outputs: { changed: 'false', 'exit-code': '0' } });
  expect(closed.outputs['issue-url']).toMatch(/issues\/\d+$/);

  await drift('Three');
  expect(github.issues).toHaveLength(1);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect(github.issues[0]?.body).toContain('## Three\n');
});

it('the issue says since when: while it is open, and again from the start after it was closed', async () => {
  await drift('One');
  const [issue] = github.issues;
  const earlier = '2026-11-19T07:30:00.000Z';
  if (issue !== undefined) issue.body = issue.body.replace('2026-11-21T09:00:00.000Z', earlier);
  await drift('Two');
  expect(issue?.body).toContain(`<!-- tradeform:since ${earlier} -->\n## Two`);
  expect(issue?.body).toContain('Seen first 2026-11-19 07:30 UTC');
  await none();
  expect(issue?.body).not.toContain('een first');
  await drift('Three');
  expect(issue?.body).toContain('Seen first 2026-11-21 09:00 UTC');
});

it('of two issues from a race, one is kept', async () => {
  await drift('One');
  const [first] = github.issues;
  github.issues.push({ ...first!, number: 990, labels: ['tradeform-drift'] });
  await drift('Two');
  expect(github.issues.map(({ state }) => state).sort()).toEqual(['closed', 'open']);
  await none();
  expect(github.issues.map(({ state }) => state)).toEqual(['closed', 'closed']);
});

it('nothing is written without drift and without an issue, or with a closed one', async () => {
  await none();
  expect(github.issues).toEqual([]);
  await drift('One');
  await none();
  const before = github.requests.length;
  await none();
  expect(github.requests.slice(before).filter((line) => /^(POST|PATCH) \/repos/.test(line))).toEqual([]);
});

it('an issue of somebody else, or about something else, is left unchanged', async () => {
  const issue = { labels: ['tradeform-drift'], title: 'x', state: 'open', state_reason: null };
  github.issues.push(
    { ...issue, number: 901, login: 'mallory', body: `${HEADER}\n` },
    { ...issue, number: 902, login: BOT, body: HEADER.replace('production', 'staging') },
    { ...issue, number: 903, login: BOT, body: `Quoting ${HEADER}\n` },
  );
  const before = structuredClone(github.issues);
  await drift('One');
  expect(github.issues.slice(0, 3)).toEqual(before);
  expect(github.issues).toHaveLength(4);
  await none();
  expect(github.issues.map(({ state }) => state)).toEqual(['open', 'open', 'open', 'closed']);
});

it('the issue is found on a later page, and by another label', async () => {
  await drift('One', { 'issue-label': 'drift' });
  const [ours] = github.issues;
  for (let number = 800; number < 812; number += 1) {
    const title = 'x';
    github.issues.push({
      number,
      title,
      labels: ['drift'],
      login: 'mira',
      body: '',
      state: 'open',
      state_reason: null,
    });
  }
  await none({ 'issue-label': 'drift' });
  expect(ours?.state).toBe('closed');
});

it.each([1, 3, 4])(
  'a report that could not be made (%i) fails and leaves the issue as it is',
  async (code) => {
    await drift('One');
    const failed = await look({ code, json: { format: 'tradeform.result/1' }, markdown: '## It failed\n' });
    expect(failed.code).toBe(code);
    expect(github.issues).toMatchObject([{ state: 'open' }]);
    expect(github.issues[0]?.body).toContain('## One\n');
  },
);

it('without an issue, drift fails the step', async () => {
  expect((await drift('One', { issue: 'false' })).code).toBe(2);
  expect((await none({ issue: 'false' })).code).toBe(0);
  expect(github.requests).toEqual([]);
});

it.each([
  ['with an answer', { status: 502 }],
  ['with an answer, and done', { status: 502, done: true }],
  ['without one', { lost: true }],
  ['without one, and done', { lost: true, done: true }],
])('a creation that is lost %s creates no second issue', async (_name, fault) => {
  github.faults.push({ on: /^POST .*issues$/, ...fault });
  const { code, log } = await drift('One');
  expect(code, log).toBe(0);
  expect(github.issues).toHaveLength(1);
});

it('a token without permission for issues: the message names the permission', async () => {
  github.permissions.clear();
  const { code, log } = await drift('One');
  expect(code).toBe(1);
  expect(log).toMatch(/with 403: Resource not accessible by integration.*issues: write/);
});

it('does not run on a pull request of a fork', async () => {
  const { code, calls, log } = await step(github, {
    inputs: { command: 'drift' },
    event: (folder) => pullRequest(folder, { from: 'mallory/tasks' }),
    answers: {},
  });
  expect(code).toBe(4);
  expect(calls).toEqual([]);
  expect(log).toContain('it comes from a fork');
});
