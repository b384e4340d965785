import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Desk, openDesk, PULL_HEADER, SECRETS } from './desk.ts';
import { FORGE_TOKEN } from './host.ts';
import type { JobResult } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * The whole way of a change, through the complete workflow files of examples/ci/github and the built program: each test goes on
 * where the one before it stopped. What is decided on the way is tested in comment.test.ts, approval.test.ts and test/features.
 */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});

const logs: string[] = [];

function noted(...results: readonly JobResult[]): readonly JobResult[] {
  for (const { log, summary, outputs } of results) logs.push(log, summary, JSON.stringify(outputs));
  return results;
}

function succeeded(result: JobResult | undefined): void {
  expect(result?.code, result?.log).toBe(0);
}

async function run(...given: Parameters<Desk['run']>): Promise<JobResult> {
  const [result] = noted(await desk.run(...given));
  return result ?? expect.fail('no job');
}

const apply = (commit?: string) => run('apply.yml', 'push', {}, commit);
const byHand = (inputs: Record<string, string>) => run('apply.yml', 'workflow_dispatch', inputs);
const drift = async () => succeeded(await run('drift.yml', 'schedule'));

/** Pushes the branch of a pull request that is planned, and with that reviewed. */
async function planned(branch: string): Promise<JobResult> {
  const [, plan] = noted(...(await desk.push(branch, { validated: true })));
  succeeded(plan);
  return plan ?? expect.fail('no plan');
}

let branches = 0;

/** A change that was planned on its pull request and merged. Its commit on main, whose job has not run. */
async function merged(write: () => void, how?: 'merge' | 'squash' | 'rebase'): Promise<string> {
  branches += 1;
  write();
  await planned(`change-${branches}`);
  return desk.merge(`change-${branches}`, how);
}

/** The comments that show a plan; those that say what came of it stand beside them. */
function planComments(): readonly string[] {
  return desk.github.comments.flatMap(({ body }) => (body.startsWith('<!-- tradeform:plan ') ? [body] : []));
}

/** What the pull request that was merged last is told of its apply. */
function told(): string {
  const [last] = desk.github.pulls.slice(-1);
  const own = desk.github.comments.filter(
    ({ pull, body }) => pull === last?.number && body.startsWith('<!-- tradeform:apply '),
  );
  expect(own).toHaveLength(1);
  return own[0]?.body ?? '';
}

function digestOf(index: number): string {
  const body = planComments()[index] ?? '';
  return PULL_HEADER.exec(body)?.[1] ?? expect.fail(`no header: ${body.slice(0, 200)}`);
}

const writes = () => desk.sandbox.log.filter(({ method }) => method !== 'GET').length;
const named = (name: string) =>
  [...desk.sandbox.state.tasks.values()].filter(({ remark }) => remark.includes(`core/${name}@`));
const amounts = (...names: string[]) => names.map((name) => desk.live(name).config.buy_amount);
const remove = (name: string) => rmSync(join(desk.repository.path, `manifests/${name}.yaml`));

it('the first manifests are applied by hand: nobody could review a plan yet', async () => {
  desk.sniper('dawn', '0.1');
  desk.sniper('dusk', '0.2');
  desk.repository.commit();
  succeeded(await byHand({ expect: 'none', only: 'all' }));
  expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.1' } });
  await drift();
  expect(desk.github.issues).toEqual([]);
});

describe('a change', () => {
  it('on a branch is validated, planned and shown; only the comment is written', async () => {
    desk.sniper('dawn', '0.3');
    const before = writes();
    const [validated, plan] = noted(...(await desk.push('more')));
    succeeded(validated);
    succeeded(plan);
    expect([writes(), desk.github.comments.length]).toEqual([before, 1]);
    const body = desk.github.comments[0]?.body ?? '';
    expect(body).not.toContain('sniper/dusk');
    expect(body).toMatch(
      /\| \[`sniper\/dawn`\]\(https?:\/\/[\w.:]+\/desk\/tasks\/blob\/[0-9a-f]{40}\/manifests\/[\w.-]+#L\d+\)/,
    );
    expect(plan?.document?.digest).toBe(digestOf(0));
    expect(plan?.summary).toContain('sniper/dawn');
  });

  it('is shown again in the same comment after another push, and applied as it was reviewed', async () => {
    const first = digestOf(0);
    desk.repository.git('checkout', '-q', 'more');
    desk.sniper('dawn', '0.4');
    await planned('more');
    expect(desk.github.comments).toHaveLength(1);
    expect(digestOf(0)).not.toBe(first);
    desk.merge('more');
    const applied = await apply();
    succeeded(applied);
    expect(applied.log.replace(/\s+/g, ' ')).toContain(
      `The pull request 7 was reviewed with plan ${digestOf(0)}`,
    );
    expect(applied.log).toMatch(/#issuecomment-\d+$/m);
    expect(applied.document?.digest).toBe(digestOf(0));
    expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.4' } });
    await drift();
    expect(desk.github.issues).toEqual([]);
  });

  it('that was cut off is applied by the same job, run again', async () => {
    await merged(() => ['dawn', 'dusk'].forEach((name) => void desk.sniper(name, '0.7')));
    // The token is revoked right after the first pause: nothing of the run is left but what it wrote.
    const revoked = { type: 'error', code: 'invalid_api_token' } as const;
    desk.sandbox.faults.add({ method: 'POST', skip: 1, times: 0, fault: revoked });
    const cut = await apply();
    expect(cut.code, cut.log).toBe(1);
    desk.sandbox.faults.clear();
    expect(told()).toMatch(/FAILED: .*What to do next.*Run the job of .* again/s);
    const [, left] = /`expect` = `([0-9a-f]{64})`/.exec(told()) ?? [];
    const again = await apply();
    succeeded(again);
    expect(again.document?.digest).toBe(left);
    for (const name of ['dawn', 'dusk'])
      expect(desk.live(name), name).toMatchObject({ is_active: true, config: { buy_amount: '0.7' } });
    expect(told()).not.toContain('What to do next');
  });

  it('of a task that was paused since the review is refused; the digest that the comment names carries it out', async () => {
    // Two commits: by hand the base is the same, so that what the first one added is created.
    desk.sniper('fresh', '0.1');
    await planned('several');
    desk.repository.git('checkout', '-q', 'several');
    desk.sniper('dawn', '0.8');
    await planned('several');
    desk.sandbox.editStored(desk.live('dawn').id, { is_active: false });
    desk.merge('several', 'rebase');
    const before = writes();
    const refused = await apply();
    expect([refused.code, writes()], refused.log).toEqual([4, before]);
    const says = /sniper\/dawn was paused: it would be changed and stay paused/;
    for (const text of [refused.log.replace(/\s+/g, ' '), refused.summary, told()])
      expect(text.replaceAll('`', '')).toMatch(says);
    const [, way = ''] = /`expect` = `([^`]+)`/.exec(told()) ?? [];
    expect(way).toBe(refused.document?.digest);
    succeeded(await byHand({ expect: way }));
    expect(told()).toMatch(/## Applied: \d+ done/);
    expect(desk.live('dawn')).toMatchObject({ is_active: false, config: { buy_amount: '0.8' } });
    expect(desk.live('fresh').is_active).toBe(true);
    desk.sandbox.editStored(desk.live('dawn').id, { is_active: true });
  });
});

describe('a person edits a task on the service', () => {
  it('an issue says which task and what changed, and a pull request that this edit stays', async () => {
    desk.sandbox.editStored(desk.live('dusk').id, { merge: { buy_amount: '0.9' } });
    await drift();
    expect(desk.github.issues).toMatchObject([
      { state: 'open', title: 'tradeform: core (production) differs from git' },
    ]);
    expect(desk.github.issues[0]?.body).toMatch(
      /^<!-- tradeform:drift project=core environment=production .*sniper\/dusk.*0\.9/s,
    );
    await merged(() => desk.sniper('dawn', '0.5'));
    expect(planComments().at(-1)).toMatch(
      /: 1 change — .* · 1 left.*### Left as they are on the service \(1\): service → git, not applied\s+- `sniper\/dusk` \(running\)/s,
    );
  });

  it('edits again between review and merge: what was reviewed is applied, and the edit stays', async () => {
    desk.sandbox.editStored(desk.live('dusk').id, { merge: { buy_amount: '0.8' } });
    succeeded(await apply());
    expect(amounts('dawn', 'dusk')).toEqual(['0.5', '0.8']);
    expect(told()).toContain('### Left as they are on the service (1)');
  });

  it('by hand, the digest of the current plan takes the edit back', async () => {
    const before = writes();
    const refused = await byHand({ expect: digestOf(0), only: 'all' });
    expect([refused.code, writes()], refused.log).toEqual([4, before]);
    expect(refused.log).toContain('digest-differs');
    const fresh = /--expect ([0-9a-f]{64})/.exec(refused.log)?.[1] ?? '';
    succeeded(await byHand({ expect: fresh, only: 'all' }));
    expect(amounts('dawn', 'dusk')).toEqual(['0.5', '0.7']);
    await drift();
    expect(desk.github.issues).toMatchObject([{ state: 'closed' }]);
  });
});

describe('a job that is late', () => {
  it('of an old commit does nothing, asks for nothing, and says so; the newest, run again, does nothing either', async () => {
    const created = await merged(() => desk.sniper('eve', '0.1'));
    succeeded(await apply());
    const head = await merged(() => remove('eve'));
    succeeded(await apply());
    const comments = structuredClone(desk.github.comments);
    const asked = desk.sandbox.log.length;
    const old = await apply(created);
    expect(old.code, old.log).toBe(5);
    expect(old.log.replace(/\s+/g, ' ')).toContain(
      `${created.slice(0, 12)} is superseded by ${head.slice(0, 12)}, the head of main; nothing was done`,
    );
    expect(old.log).not.toMatch(/again|by hand/);
    const again = await apply();
    succeeded(again);
    expect(again.log).toContain('was applied whole before');
    expect([desk.github.comments, desk.sandbox.log.length, named('eve')]).toEqual([comments, asked, []]);
  });

  it('after a rollback: what it deleted is not taken for deleted by somebody; the next merge offers it, and asks', async () => {
    const created = await merged(() => desk.sniper('iris', '0.1'));
    succeeded(await apply());
    const before = desk.repository.git('rev-parse', `${created}^1`);
    succeeded(await byHand({ expect: 'none', rollback: before }));
    // Its own job does not bring it back.
    const again = await apply();
    succeeded(again);
    expect(again.log.replace(/\s+/g, ' ')).toContain(`was rolled back to ${before.slice(0, 12)}`);
    expect(named('iris')).toEqual([]);
    await merged(() => desk.sniper('dusk', '0.6'));
    const asked = await apply();
    expect([asked.code, asked.log]).toEqual([
      4,
      expect.stringMatching(/sniper\/iris would now also be created/),
    ]);
    succeeded(await byHand({ expect: asked.document?.digest ?? '' }));
    expect(amounts('iris', 'dusk')).toEqual(['0.1', '0.6']);
  });
});

describe('a pull request without secrets', () => {
  it.each([
    ['of a fork', { from: 'mallory/tasks' }],
    ['of Dependabot', { actor: 'dependabot[bot]' }],
  ])('%s is only validated', async (name, options) => {
    desk.sniper('dawn', '0.7');
    const before = desk.sandbox.log.length;
    const comments = desk.github.comments.length;
    const [validated, planned] = noted(...(await desk.push(name.replaceAll(' ', '-'), options)));
    succeeded(validated);
    expect(planned).toMatchObject({ job: 'plan', code: undefined });
    expect(desk.sandbox.log.length).toBe(before);
    expect(desk.github.comments).toHaveLength(comments);
  });
});

it('a plan that fails is red, and takes the place of the former one in the comment and the label', async () => {
  desk.sniper('dusk', '0.7');
  await planned('wrong');
  desk.repository.git('checkout', '-q', 'wrong');
  desk.sniper('dusk', 'much');
  const failed = noted(...(await desk.push('wrong')));
  expect(failed).toMatchObject([
    { job: 'validate', code: 3 },
    { job: 'plan', code: 3 },
  ]);
  const body = planComments().at(-1) ?? '';
  expect(body).toMatch(/ digest=- -->\n.*manifests\/dusk\.yaml/s);
  expect(body).not.toContain('Merging applies');
  expect([...desk.github.pullLabels.values()].at(-1)).toEqual(['tradeform: refused']);
});

it('no log, summary, output, comment or issue contains a token', () => {
  const { comments, issues } = desk.github;
  const all = [...logs, ...comments.map(({ body }) => body), ...issues.map(({ body }) => body)].join('\n');
  for (const token of [FORGE_TOKEN, ...Object.values(SECRETS)]) {
    expect(all).not.toContain(token.split('.').at(-1));
  }
});
