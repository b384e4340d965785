import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CANARY } from '../cmd/run.ts';
import type { Answer } from './child.ts';
import { BOT, type FakeGitHub, GITHUB_TOKEN, startGitHub } from './github.ts';
import { type Step, step } from './step.ts';
import { type PullEvent, pullRequest } from './workflow-event.ts';

let github: FakeGitHub;
beforeAll(async () => {
  github = await startGitHub();
});
beforeEach(() => github.reset());
afterAll(() => github.close());

const D1 = '1'.repeat(64);
const D2 = '2'.repeat(64);

function header(digest: string, environment = 'production', project = 'core'): string {
  return `<!-- tradeform:plan project=${project} environment=${environment} digest=${digest} -->`;
}

function planned(digest: string, more: Answer = {}, text = 'What it does'): Record<string, Answer> {
  const operations = digest === D1 ? [{ id: '1' }] : [];
  return {
    plan: {
      code: operations.length > 0 ? 2 : 0,
      json: { format: 'tradeform.plan/1', project: 'core', environment: 'production', digest, operations },
      markdown: `${header(digest)}\n## ${text}\n`,
      ...more,
    },
    validate: { stdout: JSON.stringify({ project: 'core', environment: 'production' }) },
  };
}

function plan(
  answers = planned(D1),
  inputs: Record<string, string> = {},
  event: PullEvent = {},
): Promise<Step> {
  return step(github, {
    inputs: { command: 'plan', environment: 'production', 'base-url': 'https://x.invalid/v1', ...inputs },
    event: (folder) => pullRequest(folder, event),
    answers,
  });
}

const FAILED: Record<string, Answer> = {
  plan: {
    code: 3,
    json: { format: 'tradeform.result/1', diagnostics: [] },
    markdown: '<!-- tradeform:plan project=- environment=- digest=- -->\n## It failed\n',
  },
  validate: { code: 3, stdout: JSON.stringify({ project: 'core', environment: 'production' }) },
};

describe('the comment', () => {
  it('is written, and named in the outputs; changes are no failure', async () => {
    const { code, outputs, log } = await plan();
    expect(code, log).toBe(0);
    expect(github.comments).toHaveLength(1);
    const [comment] = github.comments;
    expect(comment?.body).toMatch(new RegExp(`^${header(D1)}\n## What it does\n`));
    expect(comment?.body).toMatch(
      /\n---\nMerging applies only what this plan shows\. Commit bbbbbbbbbbbb, \[this run\]\([^)#]+\)\.\n$/,
    );
    expect(outputs).toEqual({
      digest: D1,
      changed: 'true',
      'comment-url': `${github.env.GITHUB_SERVER_URL}/desk/tasks/pull/7#issuecomment-${comment?.id}`,
      'exit-code': '2',
    });
  });

  it('leads to the page, where the run makes one', async () => {
    await plan(planned(D1), { arguments: '--report=html=/tmp/plan.html' });
    expect(github.comments[0]?.body).toMatch(
      /the page is in \[its artifacts\]\(\S+\/actions\/runs\/\d+#artifacts\)\.\n$/,
    );
  });

  it('is updated in place, also when the plan is empty', async () => {
    await plan();
    const [first] = github.comments;
    const { code, outputs } = await plan(planned(D2, {}, 'Nothing'));
    expect(code).toBe(0);
    expect(outputs).toMatchObject({ changed: 'false', 'exit-code': '0', digest: D2 });
    expect(github.comments.map(({ id }) => id)).toEqual([first?.id]);
    expect(first?.body).toMatch(new RegExp(`^${header(D2)}\n## Nothing\n`));
  });

  it('loses its digest when planning fails; the step fails as tradeform does', async () => {
    await plan();
    const { code, outputs, calls } = await plan(FAILED);
    expect(code).toBe(3);
    expect(outputs).toMatchObject({ digest: '', changed: 'false', 'exit-code': '3' });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toMatch(`${header('-')}\n## It failed\n`);
    expect(github.comments[0]?.body).not.toContain('Merging');
    expect(calls.map(({ args }) => args[0])).toEqual(['plan', 'validate']);
  });

  it('holds no digest where the plan is refused: nobody could apply it as reviewed', async () => {
    const { code, outputs } = await plan(planned(D1, { code: 4 }));
    expect(code).toBe(4);
    expect(outputs).toMatchObject({ digest: D1, 'exit-code': '4' });
    expect(github.comments[0]?.body).toMatch(`${header('-')}\n## What it does\n`);
  });

  it('is the only one of the pull request even if the project file cannot be read', async () => {
    await plan();
    const broken = { ...FAILED, validate: { code: 3, stdout: JSON.stringify({ project: null }) } };
    expect((await plan(broken)).code).toBe(3);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toMatch(header('-', '-', '-'));
    await plan();
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([header(D1)]);
  });

  it('says that there is no report if tradeform leaves none', async () => {
    const { code } = await plan({ ...FAILED, plan: { code: 1 } });
    expect(code).toBe(1);
    expect(github.comments[0]?.body).toMatch(`${header('-')}\ntradeform plan ended with 1`);
  });

  it('is one for each project and environment', async () => {
    const others = [header(D2, 'staging'), header(D2, 'production', 'desk-2'), header(D2, '-')];
    for (const first of others) github.comment(BOT, `${first}\nAnother\n`);
    await plan();
    await plan();
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([...others, header(D1)]);
  });

  it('of a foreign author is neither changed nor taken for ours, whatever its first line', async () => {
    const forged = `${header(D2)}\nApprove this\n`;
    github.comment('mallory', forged);
    github.comment('github-actions', forged);
    await plan();
    expect(github.comments.map(({ login, body }) => [login, body.split('\n')[0]])).toEqual([
      ['mallory', header(D2)],
      ['github-actions', header(D2)],
      [BOT, header(D1)],
    ]);
  });

  it('of tradeform that only quotes a header is left unchanged', async () => {
    github.comment(BOT, `Somebody wrote:\n${header(D2)}\n`);
    await plan();
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual(['Somebody wrote:', header(D1)]);
  });

  it('is found on a later page', async () => {
    for (let index = 0; index < 24; index += 1) github.comment('mira', `Comment ${index}`);
    const { id } = github.comment(BOT, `${header(D2)}\nBefore\n`);
    const { outputs } = await plan();
    expect(outputs['comment-url']).toMatch(new RegExp(`-${id}$`));
    expect(github.comments).toHaveLength(25);
  });

  it('replaces two that a race left behind', async () => {
    github.comment(BOT, `${header(D2)}\nOne\n`);
    github.comment(BOT, `${header(D2)}\nTwo\n`);
    await plan();
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([header(D1)]);
  });

  it('is not written without a pull request, nor if it is not requested', async () => {
    await plan(planned(D1), { comment: 'false' });
    expect(github.requests).toEqual([]);
  });

  it('is left unchanged by an interrupted run', async () => {
    await plan();
    expect((await plan(planned(D1, { code: 130 }, 'Half'))).code).toBe(130);
    expect(github.comments[0]?.body).not.toContain('Half');
  });
});

describe('when GitHub fails', () => {
  it.each([502, 503, 500])('%i is retried', async (status) => {
    github.faults.push(
      { on: /^GET .*comments/, status },
      { on: /graphql/, status },
      { on: /^GET .*comments/, status },
    );
    const { code, log, waited } = await plan();
    expect(code, log).toBe(0);
    expect(waited).toBeGreaterThan(1_000);
    expect(github.comments).toHaveLength(1);
  });

  it.each([
    ['with an answer', { status: 502 }],
    ['with an answer, and done', { status: 502, done: true }],
    ['without one', { lost: true }],
    ['without one, and done', { lost: true, done: true }],
  ])('a write that is lost %s creates no second comment', async (_name, fault) => {
    github.faults.push({ on: /^POST .*comments/, ...fault });
    const { code, log } = await plan();
    expect(code, log).toBe(0);
    expect(github.comments).toHaveLength(1);
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    [
      'a secondary limit',
      { status: 403, message: 'You have exceeded a secondary rate limit.', headers: { 'retry-after': '30' } },
      30_000,
    ],
    [
      'a primary limit',
      {
        status: 403,
        message: 'API rate limit exceeded',
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Date.parse('2026-11-21T09:00:20Z') / 1_000),
        },
      },
      20_000,
    ],
  ])('%s is waited for', async (_name, fault, ms) => {
    github.faults.push({ on: /^POST .*comments/, ...fault });
    const { code, log, waited } = await plan();
    expect(code, log).toBe(0);
    expect(waited).toBe(ms);
    expect(github.comments).toHaveLength(1);
  });

  it('a limit that lasts an hour fails the step, and the plan is still in the log', async () => {
    github.faults.push({ on: /^POST .*comments/, status: 403, headers: { 'retry-after': '3600' } });
    const { code, log, waited } = await plan(planned(D1, { stdout: 'Plan for project core\n' }));
    expect(code).toBe(1);
    expect(waited).toBe(0);
    expect(log).toContain('Plan for project core');
    expect(log).toMatch(/^::error title=tradeform::GitHub answered POST .* with 403/m);
  });

  it('gives up after some attempts', async () => {
    for (let index = 0; index < 9; index += 1) github.faults.push({ on: /^GET .*comments/, status: 502 });
    const { code, log } = await plan();
    expect(code).toBe(1);
    expect(log).toContain('with 502');
    expect(github.faults.length).toBe(4);
  });

  it('a token without write permission: the message names the permission', async () => {
    github.permissions.clear();
    const { code, log, outputs } = await plan();
    expect(code).toBe(1);
    expect(log).toMatch(/with 403: Resource not accessible by integration.*pull-requests: write/);
    expect(outputs).toMatchObject({ digest: D1, 'exit-code': '1' });
  });

  it('a next page on another host is not followed', async () => {
    const link = '<http://127.0.0.1:1/api/v3/repos/desk/tasks/issues/7/comments?page=2>; rel="next"';
    github.faults.push({ on: /^GET .*comments/, status: 200, value: [], headers: { link } });
    const { code, log } = await plan();
    expect(code).toBe(1);
    expect(log).toContain('GitHub names a next page at an unexpected address');
    expect(github.comments).toEqual([]);
  });
});

describe('the tokens', () => {
  it('of GitHub is nowhere in the output nor in the environment of tradeform; that of the service is there alone', async () => {
    const stdout = `a line with ${GITHUB_TOKEN} and ${CANARY}\n`;
    const { log, outputs, calls } = await step(github, {
      inputs: { command: 'plan', 'base-url': 'https://x.invalid/v1' },
      event: (folder) => pullRequest(folder),
      answers: planned(D1, { stdout, markdown: `It is ${GITHUB_TOKEN}\n` }),
      env: { GH_TOKEN: GITHUB_TOKEN, REMOTE: `https://x:${GITHUB_TOKEN}@github.invalid/` },
    });
    const written = [log, JSON.stringify(outputs), github.comments.map(({ body }) => body).join('\n')].join(
      '\n',
    );
    expect(written).not.toContain(GITHUB_TOKEN);
    expect(written).not.toContain(CANARY);
    expect(log).toContain('a line with [token] and svc_live_0ca9a21e.…');
    expect(calls.length).toBeGreaterThan(0);
    for (const { env } of calls) {
      expect(JSON.stringify(env)).not.toContain(GITHUB_TOKEN);
      expect(Object.keys(env).filter((name) => /^(INPUT_|GITHUB_OUTPUT|GITHUB_ENV)/.test(name))).toEqual([]);
    }
    expect(calls[0]?.env).toMatchObject({ TRADEFORM_TOKEN: CANARY, GITHUB_ACTIONS: 'true' });
  });
});
