import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gitIn } from '../support/repository.ts';
import type { Answer } from './child.ts';
import { BOT, type FakeGitHub, startGitHub } from './github.ts';
import { type Step, type StepOptions, step } from './step.ts';
import { BASE, MERGED, onMain, pullRequest } from './workflow-event.ts';

let github: FakeGitHub;
beforeAll(async () => {
  github = await startGitHub();
});
beforeEach(() => {
  github.reset();
  github.head = () => MERGED;
});
afterAll(() => github.close());

const DIGEST = '1'.repeat(64);
const OTHER = '2'.repeat(64);

function header(digest: string, environment = 'production', command = 'plan'): string {
  return `<!-- tradeform:${command} project=core environment=${environment} digest=${digest} -->\n`;
}

function answers(apply: Answer = {}): Record<string, Answer> {
  return {
    validate: { stdout: JSON.stringify({ project: 'core', environment: 'production' }) },
    apply: {
      json: {
        format: 'tradeform.report/1',
        project: 'core',
        environment: 'production',
        plan_digest: DIGEST,
        summary: { done: 2, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 0 },
      },
      ...apply,
    },
  };
}

function apply(
  inputs: Record<string, string> = {},
  outcome: Answer = {},
  more: Partial<StepOptions> = {},
): Promise<Step> {
  return step(github, {
    inputs: { command: 'apply', environment: 'production', ...inputs },
    event: (folder) => onMain(folder, 'push'),
    answers: answers(outcome),
    ...more,
  });
}

/** What tradeform was given as approved. */
function approvals({ calls }: Step): readonly string[] {
  return calls.flatMap(({ files }) => files);
}

/** The arguments of apply; undefined where it was not called. */
function applyLine({ calls }: Step): string | undefined {
  return calls.find(({ args }) => args[0] === 'apply')?.args.join(' ');
}

/** A checkout of this many commits, whose newest one is the head of main; `made` gets them, the newest first. */
function commits(
  count: number,
  made: (shas: readonly string[]) => void = () => undefined,
  event = 'push',
): Partial<StepOptions> {
  return {
    event: (folder) => {
      const git = gitIn(folder);
      git('init', '-q', '-b', 'main');
      for (let index = 0; index < count; index += 1) git('commit', '-q', '--allow-empty', '-m', `${index}`);
      const shas = git('rev-list', 'HEAD').split('\n');
      const [sha = '', before] = shas;
      github.head = () => sha;
      made(shas);
      return onMain(folder, event, sha, undefined, before);
    },
  };
}

const CONTEXT = 'tradeform/apply/core/production';

function recorded(sha = '', more: Partial<FakeGitHub['statuses'][number]> = {}): void {
  github.statuses.push({ sha, login: BOT, context: CONTEXT, state: 'success', ...more });
}

type Pull = FakeGitHub['pulls'][number];

function merged(number = 7, more: Partial<Pull> = {}): void {
  github.pulls.push({ number, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: MERGED, ...more });
}

/** Pull requests 7 and 8 in one push, as a merge queue makes it, after 6. */
function mergedTogether(): Partial<StepOptions> {
  return commits(4, ([last = '', first = '', former = '', ...before]) => {
    for (const sha of before) recorded(sha);
    recorded(former);
    merged(6, { merge_commit_sha: former });
    merged(8, { merge_commit_sha: first });
    merged(7, { merge_commit_sha: last });
  });
}

const ANEW = `make the plan (\`tradeform plan --environment production --only pending --base ${BASE}\`), review it, and run this workflow by hand with its digest as \`expect\``;

describe('apply', () => {
  it('expects the digest in the comment on the merged pull request', async () => {
    merged();
    github.comment(BOT, `${header(OTHER, 'staging')}Another environment`);
    github.comment(BOT, `${header(OTHER, 'production', 'drift')}Another command`);
    github.comment(BOT, `${header(DIGEST)}The plan`);
    const done = await apply();
    expect(done.code, done.log).toBe(0);
    expect(applyLine(done)).toMatch(
      /^apply --environment production --only pending --base \w{40} --auto-approve --expect-changes \S+7\.md --report /,
    );
    expect(approvals(done)).toEqual([`${header(DIGEST)}The plan`]);
    expect(done.outputs).toMatchObject({ digest: DIGEST, changed: 'true', 'exit-code': '0' });
    expect(done.log).toContain(`Pull request 7 was reviewed with plan ${DIGEST}: http`);
  });

  it.each<[string, Record<string, string>, Partial<StepOptions>, string]>([
    ['a push carries out what git changed since the commit before', {}, {}, `--only pending --base ${BASE} `],
    ['only: change', { only: 'change' }, {}, `--only change --base ${BASE} `],
    ['only: all', { only: 'all' }, {}, ''],
    [
      'a run that is started again',
      {},
      { env: { GITHUB_RUN_ATTEMPT: '2' } },
      `--only pending --base ${BASE} `,
    ],
    [
      'a new branch',
      {},
      { event: (folder) => onMain(folder, 'push', MERGED, undefined, '0'.repeat(40)) },
      '--only pending ',
    ],
    ['a schedule', {}, { event: (folder) => onMain(folder, 'schedule') }, '--only pending '],
    [
      'whoever gives the digest of a plan by hand',
      { expect: DIGEST },
      commits(2, undefined, 'workflow_dispatch'),
      '--only pending --base \\w{40} ',
    ],
    ['whoever gives none', {}, commits(2, undefined, 'workflow_dispatch'), '--only pending '],
  ])('%s', async (_, inputs, more, only) => {
    const done = await apply({ expect: 'none', comment: 'false', ...inputs }, {}, more);
    expect(done.code, done.log).toBe(0);
    expect(applyLine(done)).toMatch(new RegExp(`^apply --environment production ${only}--auto-approve`));
  });

  it('refuses an unknown value of `only`', async () => {
    const { code, log } = await apply({ only: 'some' });
    expect([code, log]).toEqual([3, expect.stringContaining('only must be one of pending, change, all')]);
  });

  it('needs no permission to comment if it does not; without the permission it warns', async () => {
    github.permissions.delete('pull-requests: write');
    merged();
    github.comment(BOT, `${header(DIGEST)}The plan`);
    expect((await apply({ comment: 'false' })).code).toBe(0);
    github.statuses.splice(0);
    const { code, log } = await apply();
    expect(code, log).toBe(0);
    expect(log).toMatch(
      /^::warning title=tradeform::the pull request could not get a comment about this apply: .* 403/m,
    );
  });

  it('combines what was reviewed on all pull requests of one push', async () => {
    const queue = mergedTogether();
    github.comment(BOT, `${header(DIGEST)}Seven`);
    github.comment(BOT, `${header(OTHER)}Eight`, 8);
    github.comment(BOT, `${header(OTHER)}Six, merged before`, 6);
    const done = await apply({}, {}, queue);
    expect(done.code, done.log).toBe(0);
    expect(approvals(done)).toEqual([`${header(DIGEST)}Seven`, `${header(OTHER)}Eight`]);
    expect(github.comments.filter(({ body }) => body.startsWith('<!-- tradeform:apply '))).toMatchObject([
      { pull: 7 },
      { pull: 8 },
    ]);
    // One that nobody planned approves nothing, and holds up no other.
    github.comments.splice(1, 1);
    github.statuses.splice(0);
    github.pulls.splice(0);
    const without = await apply({}, {}, queue);
    expect(approvals(without)).toEqual([`${header(DIGEST)}Seven`]);
    expect(without.log).toMatch(/^::notice .*no comment of this action shows a plan: pull request 8/m);
  });

  it('of a fleet expects the digest that the newest of several pull requests showed', async () => {
    github.comment(BOT, header(DIGEST, '-', 'fleetplan'));
    github.comment(BOT, header(OTHER, '-', 'fleetplan'), 8);
    const inputs = { command: 'apply', fleet: 'fleet.yaml' };
    const answered = { fleet: { stdout: JSON.stringify({ fleet: 'core' }) } };
    const queue = mergedTogether();
    for (const status of github.statuses) expect(status.context).toBe(CONTEXT);
    const done = await step(github, { event: () => ({}), ...queue, inputs, answers: answered });
    expect(done.code, done.log).toBe(0);
    const line = done.calls.find(({ args }) => args[1] === 'apply')?.args.join(' ');
    expect(line).toMatch(`--expect-digest ${DIGEST} `);
    expect(line).not.toContain(OTHER);
    expect(github.statuses.at(-1)).toMatchObject({
      context: 'tradeform/fleetapply/core/-',
      state: 'success',
    });
  });

  it.each<[string, Answer, RegExp]>([
    ['done', {}, /^(?!.*What to do next).*Applied: 2 done/s],
    [
      'refused',
      {
        code: 4,
        json: { format: 'tradeform.result/1', digest: OTHER },
        markdown: `${header(OTHER, undefined, 'apply')}Moved\n`,
      },
      new RegExp(`Moved\\n.*What to do next.*by hand with \`expect: ${OTHER}\``, 's'),
    ],
    [
      'failed',
      { code: 1, markdown: `${header(OTHER, undefined, 'apply')}One failed\n` },
      new RegExp(`One failed\\n.*Run the job again.*\`expect: ${OTHER}\``, 's'),
    ],
  ])(
    'reports on the pull request in its own comment what was %s, and only once',
    async (_name, outcome, says) => {
      merged();
      github.comment(BOT, `${header(DIGEST)}The plan`);
      const markdown = `${header(DIGEST, undefined, 'apply')}Applied: 2 done\n`;
      const done = await apply({}, { markdown, ...outcome });
      github.statuses.splice(0);
      await apply({}, { markdown, ...outcome });
      expect(github.comments.map(({ body }) => body.split(' project')[0])).toEqual([
        '<!-- tradeform:plan',
        '<!-- tradeform:apply',
      ]);
      expect(github.comments[1]?.body).toMatch(says);
      expect(github.comments[1]?.body).toContain(`Commit ${MERGED.slice(0, 12)}, [this run](`);
      expect(done.outputs['comment-url']).toMatch(new RegExp(`-${github.comments[1]?.id}$`));
    },
  );

  it('fails as tradeform does if the plan has changed, and says how to continue', async () => {
    merged();
    github.comment(BOT, `${header(DIGEST)}The plan`);
    const json = { format: 'tradeform.result/1', digest: OTHER };
    const { code, outputs, log } = await apply({}, { code: 4, json });
    expect(code).toBe(4);
    expect(outputs).toMatchObject({ digest: OTHER, changed: 'false', 'exit-code': '4' });
    expect(log).toMatch(
      new RegExp(`^::notice title=tradeform::Nothing was changed\\. .*\`expect\`: ${OTHER}$`, 'm'),
    );
  });

  const PLANNED = [BOT, header(DIGEST)] as const;
  const NONE = /no pull request was merged as aaaaaaaaaaaa/;
  const NO_PLAN = /no comment of this action shows a plan: pull request 7/;
  it.each<[string, readonly Partial<Pull>[], readonly (readonly [string, string])[], RegExp]>([
    ['there is no pull request', [], [], NONE],
    [
      'the commit is only a part of one',
      [{ merge_commit_sha: 'e'.repeat(40), commits: [MERGED] }],
      [PLANNED],
      NONE,
    ],
    ['the pull request is not merged', [{ merged_at: null }], [PLANNED], NONE],
    ['the pull request is of another repository', [{ repository: 'mallory/tasks' }], [PLANNED], NONE],
    ['the pull request was merged into another branch', [{ into: 'develop' }], [PLANNED], NONE],
    [
      'there are two',
      [{}, { number: 8 }],
      [PLANNED],
      /several pull requests were merged as aaaaaaaaaaaa: 7, 8/,
    ],
    ['nobody planned it', [{}], [], NO_PLAN],
    ['only somebody else says so', [{}], [['mallory', header(DIGEST)]], NO_PLAN],
    ['the header is not where it belongs', [{}], [[BOT, `Quoting:\n${header(DIGEST)}`]], NO_PLAN],
    ['planning failed at last', [{}], [[BOT, header('-')]], /the comment contains no plan/],
    ['two comments disagree', [{}], [PLANNED, [BOT, header(OTHER)]], /two comments disagree/],
  ])('is refused if %s', async (_, pulls, comments, says) => {
    for (const pull of pulls) merged(7, pull);
    for (const [login, body] of comments) github.comment(login, body);
    const done = await apply();
    expect(done.code, done.log).toBe(4);
    expect(done.log).toMatch(says);
    expect(applyLine(done)).toBeUndefined();
    expect(done.outputs).toMatchObject({ 'exit-code': '4' });
    expect(done.log).toContain(ANEW);
  });

  it('a pull request without a plan is told how to make one, and is not sent to the run', async () => {
    merged();
    await apply();
    const [told] = github.comments;
    expect(told?.body).toContain(`Nothing was changed. To apply it, ${ANEW}.`);
    expect(told?.body).not.toContain('agrees');
  });

  it('asks again if GitHub does not know the merge yet', async () => {
    merged();
    github.comment(BOT, header(DIGEST));
    const unknown = { on: /\/pulls/, status: 200, value: [] };
    github.faults.push(unknown, unknown);
    const { code, log, waited } = await apply();
    expect(code, log).toBe(0);
    expect(waited).toBe(4_000);
  });

  it('does not treat an answer that is no list as an empty list', async () => {
    github.faults.push({ on: /\/pulls/, status: 200, value: {} });
    expect((await apply()).code).toBe(1);
  });

  it('accepts a given digest, or none', async () => {
    const given = await apply({ expect: DIGEST });
    expect(applyLine(given)).toContain(`--expect-digest ${DIGEST} `);
    expect(applyLine(await apply({ expect: 'none' }))).not.toContain('--expect');
  });

  it.each([12, 32, 63])('refuses the first %i digits of a digest: they approve nothing', async (length) => {
    const { code, log, calls } = await apply({ expect: DIGEST.slice(0, length) });
    expect({ code, calls }).toEqual({ code: 3, calls: [] });
    expect(log).toContain('expect must be reviewed, none or a complete digest (64 hex digits)');
  });

  it('does not run on a pull request', async () => {
    const done = await step(github, {
      inputs: { command: 'apply', expect: 'none' },
      event: (folder) => pullRequest(folder),
      answers: answers(),
    });
    expect(done.code).toBe(4);
    expect(done.calls).toEqual([]);
  });
});

describe('the record of what was applied', () => {
  it('a newer commit on the branch: nothing is done, with a code of its own, and nobody is asked to run it again', async () => {
    merged();
    github.comment(BOT, header(DIGEST));
    github.head = () => 'e'.repeat(40);
    const done = await apply();
    expect(done.code, done.log).toBe(5);
    expect(done.calls).toEqual([]);
    expect(done.outputs).toMatchObject({ 'exit-code': '5', changed: 'false' });
    expect(done.log).toMatch(/^::warning .*aaaaaaaaaaaa is superseded by eeeeeeeeeeee.*nothing was done/m);
    expect(done.log).not.toMatch(/run (?:it|the job) again|by hand|::error/);
    expect(github.requests.map((line) => line.split('?')[0])).toEqual([
      'GET /repos/desk/tasks/branches/main',
    ]);
  });

  it('of a tag, no branch can move on', async () => {
    github.head = () => 'e'.repeat(40);
    const event = (folder: string) => onMain(folder, 'push', MERGED, 'refs/tags/v1');
    expect((await apply({ expect: 'none', comment: 'false' }, {}, { event })).code).toBe(0);
  });

  it('if GitHub does not say where the branch is, nothing is done', async () => {
    for (const answer of [{ status: 404 }, { status: 200, value: {} }]) {
      github.faults.push({ on: /branches/, ...answer });
      const done = await apply({ expect: 'none' });
      expect([done.code, done.calls]).toEqual([1, []]);
    }
  });

  it('is written for a whole apply alone', async () => {
    const expecting = { expect: 'none', comment: 'false' };
    for (const code of [1, 3, 4, 130]) expect((await apply(expecting, { code })).code).toBe(code);
    for (const part of ['--target\nsniper/a', '--exclude=sniper/a'])
      expect((await apply({ ...expecting, arguments: part })).code).toBe(0);
    expect(github.statuses).toEqual([]);
    expect((await apply(expecting)).code).toBe(0);
    expect(github.statuses).toEqual([{ sha: MERGED, login: BOT, context: CONTEXT, state: 'success' }]);
  });

  it('that cannot be written fails the run, and says what is missing; run again, nothing else is left to do', async () => {
    github.permissions.delete('statuses: write');
    const failed = await apply({ expect: 'none', comment: 'false' });
    expect(applyLine(failed)).toBeDefined();
    expect([failed.code, failed.outputs['exit-code']]).toEqual([1, '1']);
    expect(failed.log).toMatch(/^::error .*statuses\/a{40} with 403.*apply needs statuses: write/m);
  });

  it('of this commit: the review is used up, and nothing is done; by hand it is applied, from itself', async () => {
    merged();
    github.comment(BOT, header(DIGEST));
    recorded(MERGED);
    const again = await apply();
    expect(again.code, again.log).toBe(0);
    expect(applyLine(again)).toBeUndefined();
    expect(again.log).toMatch(/^::notice .*aaaaaaaaaaaa was applied whole before.*nothing was done/m);
    expect(again.outputs).toMatchObject({ changed: 'false', 'exit-code': '0' });
    const byHand = await apply({ expect: DIGEST });
    expect(applyLine(byHand)).toContain(`--base ${MERGED} `);
    expect(github.statuses).toHaveLength(1);
  });

  it('is the base of the next apply, and what was merged since then was not applied: its reviews count', async () => {
    let base = '';
    const history = commits(5, ([last, dropped, failed, whole = '', older]) => {
      base = whole;
      merged(7, { merge_commit_sha: last ?? '' });
      merged(8, { merge_commit_sha: dropped ?? '' });
      merged(9, { merge_commit_sha: failed ?? '' });
      merged(6, { merge_commit_sha: whole });
      // None of these says that it was applied whole here.
      recorded(dropped, { login: 'mallory' });
      recorded(dropped, { context: 'tradeform/apply/core/staging' });
      recorded(failed, { state: 'failure' });
      recorded(whole);
      // A success stays one.
      recorded(whole, { state: 'failure' });
      recorded(older);
    });
    for (const [pull, text] of ['Six', 'Seven', 'Eight', 'Nine'].entries())
      github.comment(BOT, `${header(DIGEST)}${text}`, pull + 6);
    const done = await apply({}, {}, history);
    expect(done.code, done.log).toBe(0);
    expect(applyLine(done)).toContain(`--only pending --base ${base} `);
    expect(approvals(done).map((body) => body.split('\n')[1])).toEqual(['Seven', 'Nine', 'Eight']);
    const told = github.comments.filter(({ body }) => body.startsWith('<!-- tradeform:apply '));
    expect(told.map(({ pull }) => pull)).toEqual([7, 9, 8]);
  });
});
