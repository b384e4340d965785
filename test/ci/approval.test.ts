import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { type DueOptions, findDue, recordRollback } from '../../src/kit/comment/due.ts';
import type { Reviewed } from '../../src/kit/comment/reviewed.ts';
import { runInMemory } from '../features/in-memory.ts';
import { type CiJob, openJob } from './comment.ts';
import { BOT, HOSTS, type Pull } from './host.ts';

vi.setConfig({ testTimeout: 60_000 });

/** What approves an apply on each host: `comment reviewed` before it, `apply --reviewed`, and `comment result` after it. */

const DIGEST = '1'.repeat(64);
const OTHER = '2'.repeat(64);

function header(digest: string, environment = 'production', command = 'plan'): string {
  return `<!-- tradeform:${command} project=core environment=${environment} digest=${digest} -->\n`;
}

describe.each(HOSTS)('%s', (name) => {
  const request = name !== 'gitlab' ? 'pull request' : 'merge request';
  let job: CiJob;
  let line: readonly string[];
  beforeAll(async () => {
    job = await openJob(name);
    for (let index = 0; index < 5; index += 1) job.repository.commit();
  });
  beforeEach(() => {
    job.reset();
    line = job.repository.git('rev-list', 'HEAD').split('\n');
    job.recorded(line[1] ?? '');
  });

  const file = (path: string, at = job) => join(at.repository.path, 'approved', path);
  const approved = (at = job) => JSON.parse(readFileSync(file('reviewed.json', at), 'utf8')) as Reviewed;
  const find = (more: readonly string[] = [], event?: string, sha?: string, ref?: string) =>
    job.onMain(['reviewed', 'approved', '--only', 'pending', ...more], event, sha, ref);

  function merged(number = 7, sha = line[0] ?? '', more: Partial<Pull> = {}, at = job): void {
    at.host.pulls.push({ number, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: sha, ...more });
  }

  describe('comment reviewed', () => {
    it('finds the plan that the comment on the merged pull request showed', async () => {
      merged();
      job.host.comment(BOT, `${header(OTHER, 'staging')}Another environment`);
      job.host.comment(BOT, `${header(OTHER, 'production', 'drift')}Another command`);
      job.host.comment(BOT, `${header(DIGEST)}The plan`);
      const { code, stderr } = await find();
      expect(code, stderr).toBe(0);
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `The ${request} 7 was reviewed with plan ${DIGEST}: http`,
      );
      expect(approved()).toMatchObject({
        commit: line[0],
        due: true,
        given: false,
        base: line[1],
        expect: ['7.md'],
        tell: [7],
      });
      expect(readFileSync(file('7.md'), 'utf8')).toBe(`${header(DIGEST)}The plan`);
    });

    it('before the first record, only a run by hand of everything is applied', async () => {
      job.host.statuses.splice(0);
      merged();
      job.host.comment(BOT, header(DIGEST));
      for (const what of ['reviewed', 'none', DIGEST]) {
        const { code, stderr } = await find(['--expect', what], 'workflow_dispatch');
        const said = stderr.replace(/\s+/g, ' ');
        expect([code, said]).toEqual([
          4,
          expect.stringMatching(/nothing was applied before.* and (?:`only` = `all`|an empty)/),
        ]);
        expect(approved().refused).toMatch(/nothing was applied before/);
      }
      for (const what of ['none', DIGEST]) {
        expect((await job.onMain(['reviewed', 'approved', '--expect', what], 'workflow_dispatch')).code).toBe(
          0,
        );
        const expected = { base: null, expect: what === 'none' ? [] : [what], given: true, due: true };
        expect(approved()).toMatchObject(expected);
      }
    });

    it('goes out from the last commit that was applied whole, and what was merged since then counts', async () => {
      const [last = '', dropped = '', failed = '', whole = '', older = ''] = line;
      job.host.statuses.splice(0);
      for (const [index, sha] of [last, dropped, failed, whole].entries()) merged(7 + index, sha);
      // None of these says that it was applied whole here.
      if (name !== 'gitlab') job.recorded(dropped, { login: 'mallory' });
      job.recorded(dropped, { context: 'elsewhere' });
      job.recorded(failed, { state: name !== 'gitlab' ? 'failure' : 'failed' });
      job.recorded(older);
      job.recorded(whole);
      for (const [index, text] of ['Seven', 'Eight', 'Nine', 'Ten'].entries())
        job.host.comment(BOT, `${header(DIGEST)}${text}`, 7 + index);
      expect((await find()).code).toBe(0);
      expect(approved()).toMatchObject({ base: whole, expect: ['7.md', '8.md', '9.md'], tell: [7, 8, 9] });
      expect(readFileSync(file('9.md'), 'utf8')).toContain('Nine');
      // One that nobody planned approves nothing, and holds up no other.
      job.host.comments.splice(1, 1);
      const without = await find();
      expect(approved()).toMatchObject({ expect: ['7.md', '9.md'], tell: [7, 8, 9] });
      expect(without.stderr.replace(/\s+/g, ' ')).toContain(
        `no comment of this account shows a plan: ${request} 8, project core, environment production. It does not count as reviewed`,
      );
    });

    it('of a fleet, the plan is that of the newest pull request', async () => {
      job.repository.write(
        'fleet.yaml',
        'apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: core }\nspec: { base_url: "https://x.invalid/v1", units: [{ project: ., token_env: TRADEFORM_TOKEN_A }] }\n',
      );
      const place = name !== 'gitlab' ? 'tradeform/fleetapply/core/-' : 'production';
      job.host.statuses.splice(0);
      job.recorded(line[2] ?? '', { context: place });
      merged(8, line[1]);
      merged(7);
      job.host.comment(BOT, header(DIGEST, '-', 'fleetplan'));
      job.host.comment(BOT, header(OTHER, '-', 'fleetplan'), 8);
      expect((await find(['--fleet', 'fleet.yaml'])).code).toBe(0);
      expect(approved()).toMatchObject({ expect: [DIGEST, OTHER], given: false, place, tell: [7, 8] });
    });

    it('a commit that was applied whole has no review left; by hand it is applied, from itself', async () => {
      merged();
      job.host.comment(BOT, header(DIGEST));
      job.recorded(line[0] ?? '');
      expect((await find()).code).toBe(0);
      expect(approved()).toMatchObject({ due: false, expect: [], tell: [] });
      expect((await find(['--expect', DIGEST], 'workflow_dispatch')).code).toBe(0);
      expect(approved()).toMatchObject({ due: true, base: line[0], expect: [DIGEST], tell: [7] });
    });

    it('of a newer commit on the branch: ends with 5, finds nothing, and asks nobody to run it again', async () => {
      merged();
      job.host.head = () => 'e'.repeat(40);
      const { code, stderr } = await find();
      expect(code).toBe(5);
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `${line[0]?.slice(0, 12)} is superseded by eeeeeeeeeeee, the head of main; nothing was done`,
      );
      expect(stderr).not.toMatch(/again|by hand|error/);
      expect([existsSync(file('reviewed.json')), job.host.requests.length]).toEqual([false, 1]);
    });

    it('if the forge does not say where the branch is, nothing is found', async () => {
      for (const answer of [{ status: 404 }, { status: 200, value: {} }]) {
        job.host.faults.push({ on: /branches/, ...answer });
        expect((await find()).code).toBe(1);
        expect(existsSync(file('reviewed.json'))).toBe(false);
      }
    });

    it.each([
      ['a pull request', () => job.onPull(['reviewed', 'approved'])],
      ['another branch', () => find([], 'push', line[0], 'refs/heads/other')],
      ['a tag', () => find(['--expect', 'none'], 'push', line[0], 'refs/tags/v1')],
    ])('does not run on %s', async (_name, run) => {
      const { code, stderr } = await run();
      expect([code, job.host.requests]).toEqual([4, []]);
      expect(stderr).toMatch(/apply does not run on/);
    });

    it.each([12, 32, 63])('refuses the first %i digits of a digest: they approve nothing', async (length) => {
      const { code, stderr } = await find(['--expect', DIGEST.slice(0, length)]);
      expect([code, job.host.requests]).toEqual([3, []]);
      expect(stderr).toContain('complete digest');
    });

    const PLANNED = [BOT, header(DIGEST)] as const;
    it('refuses what nobody reviewed, and says how to make a plan', async () => {
      const none = new RegExp(`no ${request} was merged as`);
      const noPlan = new RegExp(`no comment of this account shows a plan: ${request} 7`);
      const rows: readonly (readonly [
        readonly Partial<Pull>[],
        readonly (readonly [string, string])[],
        RegExp,
      ])[] = [
        [[], [PLANNED], none],
        // The commit is only a part of it.
        [[{ merge_commit_sha: 'e'.repeat(40), commits: [line[0] ?? ''] }], [PLANNED], none],
        [[{ merged_at: null }], [PLANNED], none],
        ...(name !== 'gitlab' ? [[[{ repository: 'mallory/tasks' }], [PLANNED], none] as const] : []),
        [[{ into: 'develop' }], [PLANNED], none],
        [[{}], [], noPlan],
        [[{}], [['mallory', header(DIGEST)]], noPlan],
        [[{}], [[BOT, `Quoting:\n${header(DIGEST)}`]], noPlan],
        [[{}], [[BOT, header('-')]], /the comment shows no plan that counts/],
        [[{}], [PLANNED, [BOT, header(OTHER)]], /two comments disagree/],
        [
          [{ merged_at: '2026-11-21T07:59:59Z' }],
          [PLANNED],
          /edited after the merge: \w+ request 7.*http\S+7#/,
        ],
      ];
      await Promise.all(
        rows.map(async ([pulls, comments, says]) => {
          const own = await openJob(name);
          own.repository.commit();
          own.reset();
          const [sha = '', before = ''] = own.repository.git('rev-list', 'HEAD').split('\n');
          own.recorded(before);
          for (const pull of pulls) {
            const of = pull.commits === undefined ? pull : { ...pull, commits: [sha] };
            merged(7, sha, of, own);
          }
          for (const [login, body] of comments) own.host.comment(login, body);
          const { code, stderr } = await own.onMain([
            'reviewed',
            'approved',
            '--only',
            'pending',
            '-e',
            'production',
          ]);
          const said = stderr.replace(/\s+/g, ' ');
          expect(code, said).toBe(4);
          expect(said).toMatch(says);
          expect(said).toContain(
            `make the plan (\`tradeform plan --environment production --only pending --base ${before}\`), review it, and run`,
          );
          if (pulls.length === 1) expect(() => approved(own).refused).not.toThrow();
        }),
      );
    });

    it('takes the hash of an earlier commit to go back to, with a digest or none', async () => {
      const back = (commit: string, what: string) =>
        find(['--rollback', commit, '--expect', what], 'workflow_dispatch');
      expect((await back(line[2]?.slice(0, 9) ?? '', DIGEST)).code).toBe(0);
      expect(approved()).toMatchObject({ rollback: line[2], expect: [DIGEST], given: true });
      for (const [commit, what] of [
        [line[2] ?? '', 'reviewed'],
        [line[0] ?? '', DIGEST],
        ['main', DIGEST],
        ['', 'none'],
      ] as const)
        expect((await back(commit, what)).code, commit).toBe(3);
      expect((await find(['--rollback', line[2] ?? '', '--expect', 'none', '--fleet', 'f.yaml'])).code).toBe(
        3,
      );
    });

    it('asks again if the forge does not know the merge yet', async () => {
      merged();
      job.host.comment(BOT, header(DIGEST));
      const unknown = { on: /\/(?:pulls|merge_requests)\b/, status: 200, value: [] };
      job.host.faults.push(unknown, unknown);
      const { code, stderr } = await find();
      expect(code, stderr).toBe(0);
      expect(job.host.faults).toEqual([]);
    });
  });

  describe('comment newest', () => {
    it('is content with the head of the branch, and ends with 5 if there is a newer commit', async () => {
      expect((await job.onMain(['newest'])).code).toBe(0);
      job.host.head = () => 'e'.repeat(40);
      const { code, stderr } = await job.onMain(['newest']);
      expect([code, stderr]).toEqual([5, expect.stringContaining('superseded by eeeeeeeeeeee')]);
      expect((await job.onPull(['newest'])).code).toBe(4);
      expect((await job.onMain(['newest', 'x'])).code).toBe(3);
      expect((await job.onMain(['reviewed'])).code).toBe(3);
    });
  });

  describe('apply --reviewed', () => {
    const FOUND: Reviewed = {
      commit: '',
      due: true,
      given: false,
      base: 'c'.repeat(40),
      expect: ['7.md'],
      place: 'production',
      tell: [7],
    };

    /** The options that it decides, or the code and the message of its failure. */
    async function due(
      found: Partial<Reviewed>,
      options: DueOptions = { only: 'pending' },
      { head = line[0], event = job.variables() } = {},
    ) {
      mkdirSync(file('.'), { recursive: true });
      writeFileSync(file('reviewed.json'), JSON.stringify({ ...FOUND, commit: line[0], ...found }));
      writeFileSync(file('head'), head === '' ? '' : `${head}\trefs/heads/main\n`);
      let decided: Awaited<ReturnType<typeof findDue>>;
      const { code, stderr, diagnostics } = await inJob(event, async (io) => {
        decided = await findDue({ ...options, reviewed: 'approved' }, io);
      });
      if (code !== 0) return { code, said: diagnostics.map(({ message }) => message).join('\n') };
      return { options: decided, said: stderr };
    }

    function inJob(event: Record<string, string>, work: (io: Io) => Promise<void>) {
      const env = { PATH: process.env.PATH, HOME: job.repository.path, ...job.host.env, ...event };
      return runInMemory({ cwd: job.repository.path, env }, async (io) => {
        await work(io);
        return 0;
      });
    }

    it('of a rollback, applies the earlier commit, and records it', async () => {
      const rollback = line[2] ?? '';
      const { options } = await due({ given: true, expect: [DIGEST], rollback });
      expect(options).toEqual({ expect: [DIGEST], at: rollback });
      job.recorded(line[0] ?? '');
      await inJob(job.variables(), (io) => recordRollback('approved', io));
      expect((await find()).code).toBe(0);
      if (name === 'gitlab') expect(approved()).toMatchObject({ due: false, base: rollback });
      else expect(job.host.statuses).toHaveLength(2);
      const done = await due({ due: false, base: rollback });
      expect(done.said.replace(/\s+/g, ' ')).toContain(
        `was rolled back to ${rollback.slice(0, 12)}; nothing was done`,
      );
    });

    it('expects what was reviewed or given, from the base; without --only there is none', async () => {
      expect((await due({})).options).toMatchObject({ approvals: ['approved/7.md'], base: FOUND.base });
      const given = { given: true, expect: [DIGEST] };
      expect((await due(given)).options).toMatchObject({ expect: [DIGEST], base: FOUND.base });
      expect((await due({ given: true, expect: [], base: null })).options).toEqual({});
      expect((await due({}, {})).options).toEqual({ approvals: ['approved/7.md'] });
    });

    it.each<[string, Partial<Reviewed>]>([
      ['of another commit', { commit: 'e'.repeat(40) }],
      ['that was refused', { refused: 'nobody reviewed it' }],
      ['without any plan', { expect: [] }],
    ])('applies nothing %s', async (_name, found) => {
      expect(await due(found)).toMatchObject({ code: 4, said: expect.stringContaining('was approved') });
    });

    it('applies nothing that a commit brought, or that no job found', async () => {
      await due({});
      job.repository.git('add', '-f', 'approved');
      expect(await due({})).toMatchObject({
        code: 4,
        said: expect.stringContaining('is a file of the repository'),
      });
      job.repository.git('rm', '-rqf', 'approved');
      expect(existsSync(file('reviewed.json'))).toBe(false);
      const { code, stderr } = await job.onMain(['result', 'applied', '--reviewed', 'approved']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was done')]);
    });

    it('applies nothing on a pull request, nor what was applied whole, nor with another approval', async () => {
      const event = job.variables('push', line[0], 'refs/heads/change');
      if (name === 'gitlab') expect(await due({}, {}, { event })).toMatchObject({ code: 4 });
      const done = await due({ due: false, base: line[0] ?? '' });
      expect(done.options).toBeUndefined();
      expect(done.said).toContain('was applied whole before');
      const parts = [
        { target: ['sniper/a'] },
        { exclude: ['sniper/a'] },
        { select: ['a'] },
        { shard: '1/2' },
      ];
      for (const option of [{ base: 'main' }, { expect: DIGEST }, { expect: ['x.md'] }, ...parts])
        expect(await due({}, option)).toMatchObject({ code: 3 });
    });

    it.runIf(name === 'gitlab')(
      'looks again in the job that applies, which may have waited or be run again',
      async () => {
        const newer = await due({}, {}, { head: 'e'.repeat(40) });
        expect(newer).toMatchObject({
          code: 5,
          said: expect.stringContaining('is superseded by eeeeeeeeeeee'),
        });
        expect(await due({}, {}, { head: '' })).toMatchObject({ code: 3 });
        job.recorded(line[0] ?? '');
        const done = await due({});
        expect(done.options).toBeUndefined();
        expect(done.said).toContain('was applied whole before');
        // By hand once more.
        expect((await due({ given: true, expect: [DIGEST] })).options).toMatchObject({ expect: [DIGEST] });
        job.host.faults.push({ on: /deployments/, status: 404 });
        expect(await due({})).toMatchObject({ code: 1 });
      },
    );
  });

  describe('comment result', () => {
    const NONE = { done: 0, failed: 0, unknown: 0 };
    const DONE = { format: 'tradeform.report/2', outcome: 'done', summary: { ...NONE, done: 2 } };
    const INCOMPLETE = { ...DONE, outcome: 'incomplete', summary: { ...NONE, failed: 1 } };
    const failed = (exit_code: number) => ({ format: 'tradeform.result/1', command: 'apply', exit_code });

    async function tell(
      document: object | undefined,
      text = 'Applied: 2 done',
      more: readonly string[] = [],
    ) {
      const markdown = document && `${header(OTHER, 'production', 'apply')}${text}\n`;
      job.reported('applied', document, markdown);
      const args = ['result', 'applied', '--reviewed', 'approved', '--only', 'pending'];
      const done = await job.onMain([...args, ...more]);
      return {
        ...done,
        body: job.host.comments.find(({ body }) => /^<!-- tradeform:(?:fleet)?apply /.test(body))?.body ?? '',
      };
    }

    async function reviewed(): Promise<void> {
      merged();
      job.host.comment(BOT, `${header(DIGEST)}The plan`);
      expect((await find()).code).toBe(0);
    }

    it.each<[string, object | undefined, RegExp]>([
      ['done', DONE, /^(?!.*What to do next).*Applied: 2 done/s],
      [
        'refused',
        failed(4),
        new RegExp(`What to do next.*by hand with \`(?:expect|EXPECT)\` = \`${OTHER}\``, 's'),
      ],
      [
        'left',
        INCOMPLETE,
        new RegExp(`Run the job of \\[.*again.*= \`${OTHER}\` to apply the plan as it is`, 's'),
      ],
      [
        'invalid',
        failed(3),
        /Nothing was changed\. Correct what the report names, in a (?:pull|merge) request; (?!.*again)/,
      ],
      [
        'cut off',
        undefined,
        /There is no report of the apply.*Run the job of \[.*Or make the plan \(`tradeform plan /s,
      ],
    ])('says in a comment of its own what was %s, and only once', async (_name, document, says) => {
      await reviewed();
      const { code, stdout, stderr } = await tell(document);
      expect(code, stderr).toBe(0);
      const { body } = await tell(document);
      expect(job.host.comments).toHaveLength(2);
      expect(body).toMatch(says);
      expect(body).toMatch(new RegExp(`Commit ${line[0]?.slice(0, 12)}, \\[this (?:run|pipeline)\\]\\(`));
      expect(stdout).toContain(String(job.host.comments[1]?.id));
    });

    it('says why nothing was approved, and how to make a plan; the log of the run is not named', async () => {
      merged();
      expect((await find()).code).toBe(4);
      const { body } = await tell(undefined);
      expect(body).toMatch(/\*\*Refused\*\*: no comment of this account shows a plan/);
      expect(body).toMatch(
        /Nothing was changed\. To apply it, make the plan \(`tradeform plan --only pending --base \w{40}`\)/,
      );
      expect(body).not.toContain('If you agree');
    });

    it('of a fleet, asks for a new plan of what is left', async () => {
      await reviewed();
      const { body } = await tell(INCOMPLETE, 'One failed', ['--fleet', 'fleet.yaml']);
      expect(body).toMatch(
        /To apply what is left, make the plan \(`tradeform fleet plan --fleet fleet\.yaml /,
      );
    });

    it('of a run that did something keeps its place when another one for the same commit did nothing', async () => {
      await reviewed();
      const idle = { ...DONE, summary: NONE };
      const fleet = { format: 'tradeform.fleet/1', exit_code: 1, units: [{ document: INCOMPLETE }] };
      for (const document of [DONE, INCOMPLETE, fleet]) {
        const first = (await tell(document, 'What was done')).body;
        for (const [later, says] of [
          [idle, /did nothing\.\n$/],
          [failed(4), /did nothing\.\n.*by hand with `expect` = /is],
          [undefined, /There is no report of the apply.*Run the job of/s],
        ] as const) {
          const { body } = await tell(later, 'No changes');
          expect([body.startsWith(first), body.slice(first.length)]).toEqual([
            true,
            expect.stringMatching(says),
          ]);
          expect(body.split('ended later')).toHaveLength(2);
        }
        expect((await tell(document, 'More')).body).not.toContain('ended later');
      }
      // Of another commit, it says nothing of this one.
      const [, sha = ''] = /did (\w+) -->/.exec(job.host.comments[1]?.body ?? '') ?? [];
      Object.assign(job.host.comments[1] ?? {}, {
        body: job.host.comments[1]?.body.replace(sha, 'e'.repeat(40)),
      });
      expect((await tell(idle, 'No changes')).body).toMatch(/-->\nNo changes\n/);
    });

    it('tells nobody where nothing was done', async () => {
      await reviewed();
      expect((await tell(failed(5))).body).toBe('');
      job.host.statuses.splice(0);
      job.recorded(line[0] ?? '');
      await find();
      expect((await tell(undefined)).body).toBe('');
    });

    it('warns if the comment cannot be written: the apply is done', async () => {
      await reviewed();
      job.host.permissions.delete('comments');
      const { code, stderr } = await tell(DONE);
      expect(code).toBe(0);
      const said = stderr.replace(/\s+/g, ' ');
      expect(said).toContain(`the ${request} could not get a comment about this apply: `);
    });

    it.runIf(name !== 'gitlab')('records a whole apply alone, once', async () => {
      await reviewed();
      for (const document of [failed(1), failed(3), failed(4), failed(130), INCOMPLETE]) await tell(document);
      expect(job.host.statuses.splice(0)).toHaveLength(1);
      await tell(DONE);
      const context = 'tradeform/apply/core/production';
      const status = { sha: line[0], login: BOT, context, state: 'success', description: 'Applied whole' };
      expect(job.host.statuses).toEqual([status]);
      await find(['--expect', DIGEST], 'workflow_dispatch');
      await tell(DONE);
      expect(job.host.statuses).toHaveLength(1);
    });

    it.runIf(name !== 'gitlab')(
      'records a rollback: the next apply goes out from the earlier commit',
      async () => {
        const [, , earlier = ''] = line;
        await find(['--rollback', earlier, '--expect', DIGEST], 'workflow_dispatch');
        await tell(DONE);
        expect(job.host.statuses.slice(1)).toMatchObject([
          { sha: line[0], description: `Rolled back to ${earlier}` },
        ]);
        await find();
        expect(approved()).toMatchObject({ due: false, base: earlier });
        // Applied by hand after all.
        await find(['--expect', DIGEST], 'workflow_dispatch');
        await tell(DONE);
        await find();
        expect(approved()).toMatchObject({ due: false, base: line[0] });
      },
    );

    it.runIf(name !== 'gitlab')('fails if it cannot record, and says what is missing', async () => {
      await reviewed();
      job.host.permissions.delete('statuses');
      const { code, stderr } = await tell(DONE);
      expect(code).toBe(1);
      expect(stderr.replace(/\s+/g, ' ')).toMatch(
        /statuses\/\w{40} with 403.*apply needs statuses: write|for apply also write:repository/,
      );
    });
  });
});
