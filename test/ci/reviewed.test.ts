import { beforeAll, describe, expect, it, vi } from 'vitest';
import { FULL } from '../support/sample.ts';
import { withoutVersion } from '../support/versions.ts';
import { type Desk, openDesk } from './desk.ts';
import type { JobResult } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * What may happen between review and apply, through the complete workflow files of examples/ci/github and the built program. Each test begins with an account that is as main has it, and one that is applied leaves it so. What combines parts that
 * other tests hold, test/ci/approval.test.ts and those of src/core/act, is left to `npm run night`.
 */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  for (const name of ['dawn', 'dusk', 'noon']) desk.sniper(name, '0.1');
  desk.sniper('ember', '0.1', { config: { buy_once: true } });
  desk.repository.commit();
  succeeded(await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none', only: 'all' }));
});

function succeeded(result: JobResult | undefined): void {
  expect(result?.code, result?.log).toBe(0);
}

let branches = 0;

/** Pushes the branch. What validates it is tested with the story of a whole change. */
async function planned(branch: string): Promise<void> {
  for (const result of await desk.push(branch, { validated: true })) succeeded(result);
}

/** A pull request that was planned, and with that reviewed. Its branch. */
async function reviewed(write: () => void): Promise<string> {
  branches += 1;
  const branch = `change-${branches}`;
  write();
  await planned(branch);
  return branch;
}

/** A comment about the plan, or about what came of it, on the pull request of that number. */
function comment(of: 'plan' | 'apply', pull: number): string {
  const found = desk.github.comments.filter(
    ({ pull: on, body }) => on === pull && body.startsWith(`<!-- tradeform:${of} `),
  );
  expect(found.length, `comments about ${of} on ${pull}`).toBe(1);
  return found[0]?.body ?? '';
}

/** The number of the pull request that was opened last: the desk counts from 7. */
const latest = () => branches + 6;

const writes = () => desk.sandbox.log.filter(({ method }) => method !== 'GET').length;

async function isRefused(run: Promise<JobResult>, says: RegExp): Promise<string> {
  const before = writes();
  const refused = await run;
  expect(refused.code, refused.log).toBe(4);
  expect(writes()).toBe(before);
  const told = comment('apply', latest());
  for (const text of [refused.log.replace(/\s+/g, ' '), refused.summary, told])
    expect(text.replaceAll('`', '')).toMatch(says);
  const [, way = ''] = /`expect` = `([^`]+)`/.exec(told) ?? [];
  expect(way).toBe(refused.document?.digest);
  return way;
}

/** Whoever agrees with the plan of now starts the workflow by hand with the digest that the comment names. */
async function byHand(way: string): Promise<void> {
  succeeded(await desk.run('apply.yml', 'workflow_dispatch', { expect: way }));
  expect(comment('apply', latest())).toMatch(/## Applied: \d+ done/);
}

describe('unrelated events leave the review valid', () => {
  it('a pause, and a task that fired: the merge is applied, and the pull request is told', async () => {
    const branch = await reviewed(() => desk.sniper('dawn', '0.2'));
    desk.sandbox.editStored(desk.live('dusk').id, { is_active: false });
    desk.sandbox.fire(desk.live('ember').id);
    desk.merge(branch);
    const applied = await desk.run('apply.yml', 'push');
    succeeded(applied);
    expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.2' } });
    for (const name of ['dusk', 'ember']) expect(desk.live(name).is_active, name).toBe(false);
    expect(comment('apply', latest())).toMatch(/## Applied: 1 done, 2 held.*1 off for /s);
    expect(comment('apply', latest())).not.toContain('What to do next');
    expect(applied.log).toMatch(/#issuecomment-\d+$/m);
    desk.sandbox.editStored(desk.live('dusk').id, { is_active: true });
  });

  it.runIf(FULL)('a held task that somebody resumes; merged as a squash', async () => {
    desk.sandbox.editStored(desk.live('dusk').id, { is_active: false });
    const branch = await reviewed(() => desk.sniper('dawn', '0.3'));
    expect(comment('plan', latest())).toContain('sniper/dusk');
    desk.sandbox.editStored(desk.live('dusk').id, { is_active: true });
    desk.merge(branch, 'squash');
    succeeded(await desk.run('apply.yml', 'push'));
    expect(desk.live('dawn').config.buy_amount).toBe('0.3');
  });
});

describe('changes that are no longer needed are left out, and the rest is applied', () => {
  it('a change that somebody made by hand in the meantime; merged by rebase', async () => {
    const branch = await reviewed(() => {
      desk.sniper('dawn', '0.4');
      desk.sniper('noon', '0.4');
    });
    desk.sandbox.editStored(desk.live('dawn').id, { merge: { buy_amount: '0.4' } });
    desk.merge(branch, 'rebase');
    const before = desk.live('dawn');
    const applied = await desk.run('apply.yml', 'push');
    succeeded(applied);
    // Only its marker is written: the version, and that no start is pending.
    const { remark, version, updated_at: _, ...kept } = desk.live('dawn');
    expect(before).toMatchObject(kept);
    expect(withoutVersion(remark)).toBe('Note [git:core/dawn@0]');
    expect(version).toBe(before.version + 1);
    expect(desk.live('noon').config.buy_amount).toBe('0.4');
    for (const text of [applied.log, applied.summary, comment('apply', latest())]) {
      expect(text).toContain('approved-change-gone');
    }
  });

  it.runIf(FULL)(
    'two pull requests merged one after the other, the second one planned before the first was applied',
    async () => {
      const first = await reviewed(() => desk.sniper('dawn', '0.5'));
      const other = await reviewed(() => desk.sniper('dusk', '0.5'));
      desk.merge(first);
      const third = await reviewed(() => desk.sniper('noon', '0.5'));
      expect(comment('plan', latest())).toContain('sniper/dawn');
      succeeded(await desk.run('apply.yml', 'push'));
      desk.merge(other);
      succeeded(await desk.run('apply.yml', 'push'));
      desk.merge(third);
      succeeded(await desk.run('apply.yml', 'push'));
      for (const name of ['dawn', 'dusk', 'noon'])
        expect(desk.live(name).config.buy_amount, name).toBe('0.5');
      for (const pull of [latest() - 2, latest() - 1, latest()])
        expect(comment('apply', pull)).toContain('## Applied: 1 done');
    },
  );

  it.runIf(FULL)('a merge queue that merges two with one push: what was reviewed on both', async () => {
    const branches = [
      await reviewed(() => desk.sniper('dawn', '0.6')),
      await reviewed(() => desk.sniper('dusk', '0.6')),
    ];
    for (const branch of branches) desk.merge(branch);
    succeeded(await desk.run('apply.yml', 'push'));
    for (const name of ['dawn', 'dusk']) expect(desk.live(name).config.buy_amount, name).toBe('0.6');
    for (const pull of [latest() - 1, latest()])
      expect(comment('apply', pull)).toContain('## Applied: 2 done');
  });

  it('an interrupted apply that is run again', async () => {
    const branch = await reviewed(() => {
      desk.sniper('dawn', '0.7');
      desk.sniper('dusk', '0.7');
    });
    desk.merge(branch);
    // The token is revoked right after the first pause: nothing of the run is left but what it wrote.
    const revoked = { type: 'error', code: 'invalid_api_token' } as const;
    desk.sandbox.faults.add({ method: 'POST', skip: 1, times: 0, fault: revoked });
    const cut = await desk.run('apply.yml', 'push');
    expect(cut.code, cut.log).toBe(1);
    desk.sandbox.faults.clear();
    expect([desk.live('dawn'), desk.live('dusk')].some(({ is_active }) => !is_active)).toBe(true);
    expect(comment('apply', latest())).toMatch(/FAILED: .*What to do next.*Run the job of .* again/s);
    const [, left] = /`expect` = `([0-9a-f]{64})`/.exec(comment('apply', latest())) ?? [];
    const again = await desk.run('apply.yml', 'push');
    succeeded(again);
    expect(again.document?.digest).toBe(left);
    for (const name of ['dawn', 'dusk']) {
      expect(desk.live(name), name).toMatchObject({ is_active: true, config: { buy_amount: '0.7' } });
    }
    expect(comment('apply', latest())).not.toContain('What to do next');
  });
});

describe('every new or different change is refused, and the message says how to continue', () => {
  it('a person set another value: the change is left, so it is not done. What git takes back does not hold up the next', async () => {
    const former = desk.live('dawn').config.buy_amount as string;
    const branch = await reviewed(() => desk.sniper('dawn', '0.05'));
    desk.sandbox.editStored(desk.live('dawn').id, { merge: { buy_amount: '9' } });
    desk.merge(branch);
    const says =
      /sniper\/dawn stays as it is on the service: config.buy_amount is 9, not 0.05: changed in git and on/;
    await isRefused(desk.run('apply.yml', 'push'), says);
    desk.sandbox.editStored(desk.live('dawn').id, { merge: { buy_amount: former } });
    const next = await reviewed(() => {
      desk.sniper('dawn', former);
      desk.sniper('noon', '0.45');
    });
    desk.merge(next);
    succeeded(await desk.run('apply.yml', 'push'));
    expect(desk.live('dawn').config.buy_amount).toBe(former);
    expect(desk.live('noon').config.buy_amount).toBe('0.45');
  });

  it('the task of a reviewed change was paused', async () => {
    const branch = await reviewed(() => desk.sniper('dawn', '0.8'));
    desk.sandbox.editStored(desk.live('dawn').id, { is_active: false });
    desk.merge(branch);
    const says = /sniper\/dawn was paused: it would be changed and stay paused/;
    await byHand(await isRefused(desk.run('apply.yml', 'push'), says));
    expect(desk.live('dawn')).toMatchObject({ is_active: false, config: { buy_amount: '0.8' } });
  });

  it.runIf(FULL)(
    'another task would start as well; the edited task is not started, unless somebody asks for all',
    async () => {
      const branch = await reviewed(() => desk.sniper('dawn', '0.8', { spec: { rearm: 'b' } }));
      expect(comment('plan', latest())).toMatch(/^\| ► (?:update, )?start \| \[`sniper\/dawn`\]/m);
      desk.sandbox.editStored(desk.live('dawn').id, { merge: { buy_amount: '9' } });
      desk.merge(branch);
      desk.sniper('ember', '0.1', { config: { buy_once: true }, spec: { rearm: 'b' } });
      desk.repository.git('add', '-A');
      desk.repository.git('commit', '-q', '--amend', '--no-edit');
      const [last] = desk.github.pulls.slice(-1);
      desk.github.pulls.splice(-1, 1, {
        ...last!,
        merge_commit_sha: desk.repository.git('rev-parse', 'main'),
      });
      const says = /Since then: sniper\/ember would now also start/;
      await byHand(await isRefused(desk.run('apply.yml', 'push'), says));
      expect(desk.live('dawn')).toMatchObject({ is_active: false, config: { buy_amount: '9' } });
      const all = { expect: 'none', only: 'all' };
      succeeded(await desk.run('apply.yml', 'workflow_dispatch', all));
      expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.8' } });
      expect((await desk.run('drift.yml', 'schedule')).log).not.toContain('Drift');
    },
  );

  it('a push of several commits: by hand it has the same base, so that what the first commit added is created', async () => {
    const branch = await reviewed(() => desk.sniper('fresh', '0.1'));
    desk.repository.git('checkout', '-q', branch);
    desk.sniper('dusk', '0.85');
    await planned(branch);
    desk.sandbox.editStored(desk.live('dusk').id, { is_active: false });
    desk.merge(branch, 'rebase');
    const way = await isRefused(desk.run('apply.yml', 'push'), /sniper\/dusk was paused/);
    await byHand(way);
    expect(desk.live('fresh').is_active).toBe(true);
    expect(desk.live('dusk')).toMatchObject({ is_active: false, config: { buy_amount: '0.85' } });
  });

  it.runIf(FULL)('a digest by hand is exactly that plan', async () => {
    const branch = await reviewed(() => {
      desk.sniper('dawn', '0.9');
      desk.sniper('noon', '0.9');
    });
    const [, digest = ''] = /digest=([0-9a-f]{64})/.exec(comment('plan', latest())) ?? [];
    desk.sandbox.editStored(desk.live('noon').id, { merge: { buy_amount: '0.9' } });
    desk.merge(branch);
    const run = desk.run('apply.yml', 'workflow_dispatch', { expect: digest });
    await byHand(await isRefused(run, /Current plan: sniper\/dawn would be updated/));
    expect(desk.live('dawn').config.buy_amount).toBe('0.9');
  });
});
