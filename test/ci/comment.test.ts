import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CiJob, HEAD, MERGED, openJob } from './comment.ts';
import { BOT, FORGE_TOKEN, HOSTS } from './host.ts';

/** `tradeform comment` on each host: the comment about a plan, and the issue about drift. */

const D1 = '1'.repeat(64);
const D2 = '2'.repeat(64);

function header(digest: string, environment = 'production', project = 'core', command = 'plan'): string {
  return `<!-- tradeform:${command} project=${project} environment=${environment} digest=${digest} -->`;
}

const PLAN = { format: 'tradeform.plan/1', diagnostics: [], changes: [] };
const REFUSED = { ...PLAN, diagnostics: [{ severity: 'error' }] };
const failed = (exit_code: number) => ({ format: 'tradeform.result/1', command: 'plan', exit_code });

describe.each(HOSTS)('%s', (name) => {
  let job: CiJob;
  beforeAll(async () => {
    job = await openJob(name);
  });
  beforeEach(() => job.reset());

  const firstLines = () => job.host.comments.map(({ body }) => body.split('\n')[0]);

  describe('the comment about a plan', () => {
    async function plan(
      digest = D1,
      { document = PLAN as object | null, text = 'What it does', more = [] as string[] } = {},
    ) {
      if (document === null) job.reported('plan');
      else job.reported('plan', document, `${header(digest)}\n## ${text}\n`);
      return job.onPull(['plan', 'plan', ...more]);
    }

    it('is written, and its URL printed', async () => {
      const { code, stdout, stderr } = await plan();
      expect(code, stderr).toBe(0);
      const [comment] = job.host.comments;
      expect(comment?.body).toMatch(new RegExp(`^${header(D1)}\n## What it does\n`));
      expect(comment?.body).toMatch(
        /\n---\nMerging applies only what this plan shows\. Commit bbbbbbbbbbbb, \[this (?:run|pipeline)\]\(http[^)#]+\)\.\n(?:\n<!-- tradeform:label \S+ -->)*$/,
      );
      expect(stdout).toMatch(new RegExp(`^http\\S+7#(?:issuecomment-|note_)${comment?.id}\n$`));
      const { urls } = JSON.parse((await plan(D1, { more: ['-o', 'json'] })).stdout) as { urls: string[] };
      expect(`${urls.join()}\n`).toBe(stdout);
    });

    it('shows no plan of a branch that lacks commits of its base, unless the host merged it for trial', async () => {
      const own = job.repository.git('rev-parse', 'HEAD');
      job.reported('plan', PLAN, `${header(D1)}\n## What it does\n`);
      const event = { headSha: own, sha: own };
      job.host.pullHead = () => own;
      expect(await job.onPull(['plan', 'plan'], event)).toMatchObject({ code: 0 });
      expect(firstLines()).toEqual([header(D1)]);
      job.host.head = () => 'e'.repeat(40);
      const { code, stderr } = await job.onPull(['plan', 'plan'], event);
      expect([code, stderr]).toEqual([4, expect.stringContaining('[behind-base]')]);
      expect(firstLines()).toEqual([header('-')]);
      const [{ body } = { body: '' }] = job.host.comments;
      expect(body).toContain('this branch lacks commits of main');
      expect(body).not.toMatch(/What it does|Merging/);
      job.host.pullHead = () => HEAD;
      expect((await plan()).code).toBe(0);
    });

    it('stays as it is when its pull request has a newer commit, is merged or is closed', async () => {
      await plan();
      const before = job.host.comments.map(({ body }) => body);
      job.host.pullHead = () => 'e'.repeat(40);
      expect(await plan(D2)).toMatchObject({ code: 5, stderr: expect.stringContaining('eeeeeeeeeeee') });
      job.host.pullHead = () => HEAD;
      job.host.pulls.push({ number: 7, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: MERGED });
      for (const document of [PLAN, failed(3)])
        expect(await plan(D2, { document })).toMatchObject({
          code: 5,
          stderr: expect.stringMatching(/merged or closed/),
        });
      expect(job.host.comments.map(({ body }) => body)).toEqual(before);
    });

    it('names what nobody reviewed of what is not applied yet, first, and counts for nothing then', async () => {
      const { repository, host } = job;
      const applied = repository.git('rev-parse', 'HEAD');
      job.recorded(applied);
      repository.write('note.txt', name);
      repository.git('add', 'note.txt');
      repository.git('-c', 'user.name=Mallory *x*', 'commit', '-qm', 'Raise @dawn');
      const own = repository.git('rev-parse', 'HEAD');
      host.pullHead = () => own;
      const field = { path: 'config.buy_amount', before: '0.1', after: '2.5', provenance: 'before' };
      const change = {
        ...{ address: 'sniper/dawn', action: 'update', operations: ['1'], fields: [field], former: null },
        ...{ exposure: { before: '0.1', after: '2.5' }, starts_trading: false, stops_trading: false },
      };
      const propose = async (provenance: string) => {
        const changes = [{ ...change, provenance }];
        job.reported('plan', { ...PLAN, changes }, `${header(D1)}\n## \`core\` — 1 change\n\nThe plan\n`);
        return job.onPull(['plan', 'plan'], { headSha: own, sha: own, baseSha: own });
      };
      expect(await propose('this-change')).toMatchObject({ code: 0 });
      const refused = await propose('before');
      expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('[not-reviewed]') });
      expect(refused.stderr).toContain(`commit ${own.slice(0, 12)} by Mallory *x*, “Raise @dawn”`);
      const body = host.comments[0]?.body ?? '';
      expect(body.split('\n').slice(0, 4)).toEqual([
        header('-'),
        '## `core` — 1 change · ⚠ NOT REVIEWED (1)',
        '',
        expect.stringMatching(/^\*\*Nobody reviewed this/),
      ]);
      expect(body).toMatch(
        new RegExp(
          `- commit .*${own.slice(0, 12)}.*Mallory[^]*- .sniper/dawn.: amount 0\\.1 → 2\\.5 SOL[^]*The plan`,
        ),
      );
      expect(body).not.toMatch(/ @dawn|Merging applies/);
      // A pull request brought it, whose plan was seen; then one whose plan was not.
      host.pulls.push({ number: 9, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: own });
      expect((await propose('both')).stderr).toMatch(
        /no comment of this account shows a plan: \w+ request 9/,
      );
      host.comment(BOT, header(D2), 9);
      expect(await propose('both')).toMatchObject({ code: 0 });
      expect(firstLines()[0]).toBe(header(D1));
    });

    it('is updated in place, also when the plan is empty', async () => {
      await plan();
      const [first] = job.host.comments;
      expect((await plan(D2, { text: 'Nothing' })).code).toBe(0);
      expect(job.host.comments.map(({ id }) => id)).toEqual([first?.id]);
      expect(first?.body).toMatch(new RegExp(`^${header(D2)}\n## Nothing\n`));
    });

    it.each([
      ['fails', failed(3), 'It failed'],
      ['is refused: nobody could apply it as reviewed', REFUSED, 'It is refused'],
      ['leaves no report', undefined, 'There is no plan'],
    ])('loses its digest when planning %s', async (_name, document, text) => {
      await plan();
      const first = document === REFUSED ? header(D2) : header('-', '-', '-');
      job.reported('plan', document, document && `${first}\n## ${text}\n`);
      expect((await job.onPull(['plan', 'plan'])).code).toBe(0);
      expect(firstLines()).toEqual([header('-')]);
      expect(job.host.comments[0]?.body).toContain(text);
      expect(job.host.comments[0]?.body).not.toContain('Merging');
    });

    it('is the only one of the pull request even if the project file cannot be read', async () => {
      await plan();
      job.repository.write('tradeform.yaml', 'kind: [');
      await plan(D1, { document: null });
      expect(firstLines()).toEqual([header('-', '-', '-')]);
      job.repository.write('tradeform.yaml', 'apiVersion: x');
      await plan();
      expect(firstLines()).toEqual([header(D1)]);
    });

    it('is one for each project and environment', async () => {
      const others = [header(D2, 'staging'), header(D2, 'production', 'desk-2'), header(D2, '-')];
      for (const first of others) job.host.comment(BOT, `${first}\nAnother\n`);
      await plan();
      await plan();
      expect(firstLines()).toEqual([...others, header(D1)]);
    });

    it('of a foreign author, or one that only quotes a header, is neither changed nor taken for ours', async () => {
      const forged = `${header(D2)}\nApprove this\n`;
      job.host.comment('mallory', forged);
      job.host.comment('github-actions', forged);
      job.host.comment(BOT, `Somebody wrote:\n${header(D2)}\n`);
      await plan();
      expect(firstLines()).toEqual([header(D2), header(D2), 'Somebody wrote:', header(D1)]);
    });

    it('is found on a later page', async () => {
      for (let index = 0; index < 24; index += 1) job.host.comment('mira', `Comment ${index}`);
      const { id } = job.host.comment(BOT, `${header(D2)}\nBefore\n`);
      expect((await plan()).stdout).toContain(String(id));
      expect(job.host.comments).toHaveLength(25);
    });

    it('replaces two that a race left behind', async () => {
      job.host.comment(BOT, `${header(D2)}\nOne\n`);
      job.host.comment(BOT, `${header(D2)}\nTwo\n`);
      await plan();
      expect(firstLines()).toEqual([header(D1)]);
    });

    it('is left unchanged by an interrupted run', async () => {
      await plan();
      expect((await plan(D2, { document: failed(130) })).code).toBe(0);
      expect(firstLines()).toEqual([header(D1)]);
    });

    it('of a fleet has a digest if all accounts have a plan', async () => {
      const fleet =
        'apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "https://x.invalid/v1", units: [{ project: ., token_env: TRADEFORM_TOKEN_A }] }\n';
      job.repository.write('fleet.yaml', fleet);
      for (const [exit_code, digest] of [
        [2, D1],
        [1, '-'],
        [0, D1],
        [4, '-'],
      ] as const) {
        const first = header(D1, '-', 'desk', 'fleetplan');
        job.reported('plan', { format: 'tradeform.fleet/1', exit_code, units: [] }, `${first}\nAll\n`);
        await job.onPull(['plan', 'plan', '--fleet', 'fleet.yaml']);
        expect(firstLines(), String(exit_code)).toEqual([header(digest, '-', 'desk', 'fleetplan')]);
      }
      // A fleet that could not begin.
      job.reported('plan', failed(3), `${header('-', '-', '-', 'fleet')}\nNo fleet\n`);
      await job.onPull(['plan', 'plan', '--fleet', 'fleet.yaml']);
      expect(firstLines()).toEqual([header('-', '-', 'desk', 'fleetplan')]);
    });

    it('shows no report that is none', async () => {
      for (const text of ['{', '[]', 'null']) {
        job.repository.write('plan.json', text);
        const { code, stderr } = await job.onPull(['plan', 'plan']);
        expect([code, stderr]).toEqual([3, expect.stringContaining('plan.json is not what tradeform wrote')]);
      }
      expect(job.host.requests).toEqual([]);
    });

    it('shows no report that is a file of the repository', async () => {
      job.reported('plan', PLAN, `${header(D1)}\nApprove this\n`);
      job.repository.git('add', '-f', 'plan.md');
      const { code, stderr } = await job.onPull(['plan', 'plan']);
      expect([code, job.host.requests]).toEqual([4, []]);
      expect(stderr).toContain('plan.md is a file of the repository');
      job.repository.git('rm', '-q', '--cached', 'plan.md');
    });

    it('sets labels that say what the pull request does, and touches no other label', async () => {
      const change = {
        ...{ address: 'sniper/dawn', action: 'update', operations: ['1'], fields: [], blocked: null },
        ...{ starts_trading: false, provenance: 'this-change' },
      };
      const of = (...changes: object[]) => ({
        ...PLAN,
        changes: changes.map((one) => ({ ...change, ...one })),
      });
      const starts = { action: 'create', starts_trading: true };
      const deletes = { action: 'delete' };
      const fleet = (...plans: object[]) => ({
        format: 'tradeform.fleet/1',
        exit_code: 2,
        units: plans.map((document) => ({ document })),
      });
      const theirs = ['mine', 'tradeform: mine'];
      const before = [...theirs, 'tradeform: refused', 'x starts'];
      job.host.labels.push(...before);
      job.host.pullLabels.set(7, before);
      const more = name === 'gitlab' ? ['--labels', 'tradeform: '] : [];
      for (const [document, held] of [
        [of(starts, deletes), ['starts', 'deletes', 'changes']],
        [of({}), ['changes']],
        [
          of({ fields: [{ path: 'state', provenance: 'before' }] }, { blocked: {} }, { operations: [] }),
          ['nothing'],
        ],
        [fleet(of(), of(deletes)), ['deletes', 'changes']],
        [REFUSED, ['refused']],
        [failed(4), ['refused']],
        [null, ['refused']],
      ] as const) {
        job.host.requests = [];
        const { code, stderr } = await plan(D1, { document, more });
        expect(code, stderr).toBe(0);
        const expected = [...theirs, 'x starts', ...held.map((one) => `tradeform: ${one}`)];
        expect([...(job.host.pullLabels.get(7) ?? [])].sort()).toEqual(expected.sort());
      }
      expect(job.host.comments.map(({ body }) => body.match(/\n<!-- tradeform:label .*/g))).toEqual([
        ['\n<!-- tradeform:label tradeform%3A%20refused -->'],
      ]);
      // With another beginning, for another project or environment. Then with none.
      await plan(D1, { document: of(starts), more: ['--labels', 'x '] });
      expect(job.host.pullLabels.get(7)).toEqual(
        expect.arrayContaining(['x starts', 'x changes', 'tradeform: refused']),
      );
      job.host.requests = [];
      await plan(D1, { document: of(), more: name === 'gitlab' ? [] : ['--labels', ''] });
      expect(job.host.requests.filter((line) => /labels|^PUT .*merge_requests\/7$/.test(line))).toEqual([]);
    });

    describe('labels', () => {
      const starts = {
        ...{ address: 'sniper/dawn', action: 'update', operations: ['1'], fields: [], blocked: null },
        ...{ starts_trading: true, provenance: 'this-change' },
      };
      const STARTING = { ...PLAN, changes: [starts] };
      const more = ['--labels', 'tradeform: '];
      const set = () => [...(job.host.pullLabels.get(7) ?? [])].sort();
      const present = (...labels: string[]) => {
        job.host.labels.push(...labels);
        job.host.pullLabels.set(7, labels);
      };
      const staging = (document: object, prefix = 'tradeform: ') => {
        job.reported('plan', document, `${header(D2, 'staging')}\n## Of staging\n`);
        return job.onPull(['plan', 'plan', '--labels', prefix]);
      };

      it('are those of all plans of the pull request', async () => {
        await plan(D1, { document: STARTING, more });
        await staging(PLAN);
        expect(set()).toEqual(['tradeform: changes', 'tradeform: starts']);
        await staging(REFUSED);
        expect(set()).toEqual(['tradeform: changes', 'tradeform: refused', 'tradeform: starts']);
        await staging(PLAN, 'staging: ');
        await plan(D1, { more });
        expect(set().filter((one) => /nothing|starts/.test(one))).toEqual([
          ...['staging: nothing', 'tradeform: nothing'],
        ]);
      });

      it('are those of a plan that another job wrote at the same time as well', async () => {
        await staging(STARTING);
        const [{ body } = { body: '' }] = job.host.comments;
        job.host.comments = [];
        // The second read of comments, before labels are set, does not have it yet.
        const read = /^GET .*7\/(?:comments|notes)/;
        job.host.faults.push({ on: read, status: 200, value: [] }, { on: read, status: 200, value: [] });
        job.host.comment(BOT, body);
        await plan(D1, { more });
        expect(set()).toEqual(['tradeform: changes', 'tradeform: starts']);
      });

      it('cannot have a comma in their beginning', async () => {
        const { code, stderr } = await plan(D1, { more: ['--labels', 'prod, eu: '] });
        expect([code, job.host.requests], stderr).toEqual([3, []]);
      });

      it.runIf(name !== 'gitlab')(
        'that are wrong go, in whatever case, gone already, or without the right one',
        async () => {
          present('Tradeform: Nothing', 'Tradeform: STARTS');
          await plan(D1, { document: STARTING, more });
          expect(set()).toEqual(['Tradeform: STARTS', 'tradeform: changes']);
          present('tradeform: nothing', 'tradeform: refused');
          job.host.faults.push({ on: /^DELETE .*labels/, status: 404, done: true });
          const { stderr } = await plan(D1, { document: STARTING, more });
          expect([stderr, set()]).toEqual(['', ['tradeform: changes', 'tradeform: starts']]);
          present('tradeform: nothing');
          job.host.faults.push({ on: /^POST .*7\/labels/, status: 403 });
          expect((await plan(D1, { document: STARTING, more })).stderr).toContain('could not be set');
          expect(set()).toEqual([]);
        },
      );
    });

    it('a right to set labels that is missing costs one warning, and not the comment', async () => {
      job.host.permissions.delete('labels');
      const { code, stdout, stderr } = await plan(D1, { more: ['--labels', 'tradeform: '] });
      expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^http/)]);
      expect(stderr).toMatch(
        /^warning\[forge-error\]: the labels of the \w+ request could not be set: .* 403/,
      );
      expect(stderr).toMatch(/issues: write|write:issue|for labels, Developer/);
      expect(firstLines()).toEqual([header(D1)]);
    });

    it('needs a pull request and a token; no output has the token', async () => {
      expect((await job.onMain(['plan', 'plan'])).code).toBe(3);
      const own = job.host.env;
      const without = { ...own, GITHUB_TOKEN: '', TRADEFORM_GITLAB_TOKEN: '' };
      Object.defineProperty(job.host, 'env', { value: without, configurable: true });
      const { code, stderr } = await plan();
      Object.defineProperty(job.host, 'env', { value: own, configurable: true });
      expect([code, stderr]).toEqual([3, expect.stringMatching(/TOKEN is empty or not a token/)]);
      job.reported('plan', PLAN, `${header(D1)}\nIt is ${FORGE_TOKEN}\n`);
      const { stdout, stderr: said } = await job.onPull(['plan', 'plan', '-v']);
      expect([stdout, said, job.host.comments[0]?.body].join('')).not.toContain(FORGE_TOKEN);
      expect(job.host.comments[0]?.body).toContain('It is ');
    });

    it('that the token may not write: the message names the right', async () => {
      job.host.permissions.clear();
      const { code, stderr } = await plan();
      expect(code).toBe(1);
      expect(stderr.replace(/\s+/g, ' ')).toMatch(
        /with 403: Resource not accessible by integration.*(?:pull-requests: write|write:issue|with the scope api)/,
      );
    });
  });

  describe('the issue about drift', () => {
    const HEADER = header('-', 'production', 'core', 'drift');
    const LOOKED = { format: 'tradeform.drift/1', complete: true, digest: D1 };
    const CHANGED = { class: 'changed', fails: true, fields: [], refused: [] };

    async function look(drift: boolean, text: string, more: readonly string[] = [], item: object = CHANGED) {
      job.reported('drift', { ...LOOKED, drift, items: drift ? [item] : [] }, `${HEADER}\n## ${text}\n`);
      const done = await job.onMain(['drift', 'drift', ...more], 'schedule');
      expect(done.code, done.stderr).toBe(0);
      return done;
    }
    const drift = (text: string, more?: readonly string[]) => look(true, text, more);
    const none = (more?: readonly string[]) => look(false, 'No drift', more);

    it('is opened, updated, closed when the drift is gone, and opened again', async () => {
      const { stdout } = await drift('A person changed whale-7');
      const title = 'tradeform: core (production) differs from git';
      expect(job.host.issues).toMatchObject([{ state: 'open', title, labels: ['tradeform-drift'] }]);
      const [issue] = job.host.issues;
      expect(issue?.body).toMatch(
        new RegExp(
          `^${HEADER}\n## A person changed whale-7\n[^]*\nLast checked by \\[this (?:run|pipeline)\\]\\(`,
        ),
      );
      expect(stdout).toMatch(new RegExp(`issues/${issue?.number}\n$`));
      const advice =
        name === 'gitlab'
          ? 'run the pipeline of the default branch by hand with an empty `TRADEFORM_ONLY` and `EXPECT`'
          : 'run the apply workflow by hand with `only` = `all` and `expect`';
      expect(issue?.body).toContain(`To restore the state in git everywhere, ${advice} = \`${D1}\`.`);
      await look(true, 'Only stopped', [], { ...CHANGED, class: 'stopped' });
      expect(issue?.body).not.toContain('To restore');
      await drift('Two');
      expect(issue?.body).toContain('## Two\n');
      await none();
      expect(job.host.issues).toMatchObject([{ state: 'closed' }]);
      expect(issue?.body).toContain('## No drift\n');
      await drift('Three');
      expect(job.host.issues).toMatchObject([{ state: 'open' }]);
    });

    it('is one of two that a race left, and nothing is written without drift and without one', async () => {
      await none();
      expect(job.host.issues).toEqual([]);
      await drift('One');
      job.host.issues.push({ ...job.host.issues[0]!, number: 990 });
      await drift('Two');
      expect(job.host.issues.map(({ state }) => state).sort()).toEqual(['closed', 'open']);
      await none();
      const before = job.host.requests.length;
      await none();
      expect(job.host.issues.map(({ state }) => state)).toEqual(['closed', 'closed']);
      const written = job.host.requests
        .slice(before)
        .filter((line) => /^(?:POST|PUT|PATCH) (?!\/api\/graphql)/.test(line));
      expect(written).toEqual([]);
    });

    it('of somebody else, or about something else, is left unchanged', async () => {
      const other = { labels: ['tradeform-drift'], title: 'x', state: 'open' };
      job.host.issues.push(
        { ...other, number: 901, login: 'mallory', body: `${HEADER}\n` },
        { ...other, number: 902, login: BOT, body: HEADER.replace('production', 'staging') },
        { ...other, number: 903, login: BOT, body: `Quoting ${HEADER}\n` },
      );
      const before = structuredClone(job.host.issues);
      await drift('One');
      await none();
      expect(job.host.issues.slice(0, 3)).toEqual(before);
      expect(job.host.issues.map(({ state }) => state)).toEqual(['open', 'open', 'open', 'closed']);
    });

    it('is found on a later page, and by another label', async () => {
      await drift('One', ['--label', 'drift']);
      const other = { labels: ['drift'], title: 'x', login: 'mira', body: '', state: 'open' };
      for (let number = 800; number < 812; number += 1) job.host.issues.push({ ...other, number });
      await none(['--label', 'drift']);
      expect(job.host.issues[0]?.state).toBe('closed');
    });

    it('stays as it is after a report that could not be made; that of a fleet says which account failed', async () => {
      await drift('One');
      for (const document of [
        failed(1),
        failed(4),
        { ...LOOKED, complete: false, drift: true, items: [] },
        undefined,
      ]) {
        job.reported('drift', document, `${HEADER}\n## It failed\n`);
        expect((await job.onMain(['drift', 'drift'])).code).toBe(0);
        expect(job.host.issues[0]?.body).toContain('## One\n');
      }
      const fleet = header('-', '-', 'desk', 'fleetdrift');
      job.reported(
        'drift',
        { format: 'tradeform.fleet/1', exit_code: 1, units: [] },
        `${fleet}\n## One failed\n`,
      );
      await job.onMain(['drift', 'drift', '--fleet', 'fleet.yaml']);
      const title = 'tradeform: desk differs from git';
      expect(job.host.issues[1]).toMatchObject({ state: 'open', title });
    });

    it.each([
      ['with an answer', { status: 502 }],
      ['with an answer, and done', { status: 502, done: true }],
      ['without one', { lost: true }],
      ['without one, and done', { lost: true, done: true }],
    ])('is one, also if the answer to its creation is lost %s', async (_name, fault) => {
      job.host.faults.push({ on: /^POST .*issues$/, ...fault });
      await drift('One');
      expect(job.host.issues).toHaveLength(1);
    });
  });
});

it('outside of a job of CI, nothing is sent', async () => {
  const job = await openJob('github');
  const { code, stderr } = await job.onPull(['plan', 'plan'], { sha: '' });
  expect([code, job.host.requests]).toEqual([3, []]);
  expect(stderr).toContain('this runs in a job of GitHub, Gitea or GitLab alone');
});

it('a workflow that calls itself GitLab sends no token elsewhere', async () => {
  const [github, gitlab] = await Promise.all([openJob('github'), openJob('gitlab')]);
  github.reported('plan', PLAN, `${header(D1)}\nText\n`);
  Object.defineProperty(github.host, 'env', {
    value: { ...gitlab.host.env, ...github.host.env, GITLAB_CI: 'true' },
  });
  expect((await github.onPull(['plan', 'plan'], { headSha: HEAD })).code).toBe(0);
  expect([github.host.comments.length, gitlab.host.requests]).toEqual([1, []]);
});
