import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Desk, openDesk, PULL_HEADER, SECRETS } from './desk.ts';
import { FORGE_TOKEN } from './host.ts';
import type { JobResult } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/**
 * The whole way of a change, through the complete workflow files of examples/ci/github and the built program: each test goes on
 * where the one before it stopped.
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

/** The comments that show a plan; those that say what came of it stand beside them. */
function planComments(): readonly string[] {
  return desk.github.comments.flatMap(({ body }) => (body.startsWith('<!-- tradeform:plan ') ? [body] : []));
}

function digestOf(index: number): string {
  const body = planComments()[index] ?? '';
  return PULL_HEADER.exec(body)?.[1] ?? expect.fail(`no header: ${body.slice(0, 200)}`);
}

function writes(): number {
  return desk.sandbox.log.filter(({ method }) => method !== 'GET').length;
}

it('the first manifests are applied by hand: nobody could review a plan yet', async () => {
  desk.sniper('dawn', '0.1');
  desk.sniper('dusk', '0.2');
  desk.repository.commit();
  const [applied] = noted(await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none', only: 'all' }));
  succeeded(applied);
  expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.1' } });
  const [looked] = noted(await desk.run('drift.yml', 'schedule'));
  succeeded(looked);
  expect(desk.github.issues).toEqual([]);
});

describe('a change', () => {
  it('on a branch is validated, planned and shown; only the comment is written', async () => {
    desk.sniper('dawn', '0.3');
    const before = writes();
    const [validated, planned] = noted(...(await desk.push('more')));
    succeeded(validated);
    succeeded(planned);
    expect(writes()).toBe(before);
    expect(desk.github.comments).toHaveLength(1);
    const body = desk.github.comments[0]?.body ?? '';
    expect(body).toContain('sniper/dawn');
    expect(body).not.toContain('sniper/dusk');
    expect(body).toMatch(
      /\| \[`sniper\/dawn`\]\(https?:\/\/[\w.:]+\/desk\/tasks\/blob\/[0-9a-f]{40}\/manifests\/[\w.-]+#L\d+\)/,
    );
    expect(planned?.document?.digest).toBe(digestOf(0));
    expect(planned?.summary).toContain('sniper/dawn');
  });

  it('is shown again in the same comment after another push', async () => {
    const first = digestOf(0);
    desk.repository.git('checkout', '-q', 'more');
    desk.sniper('dawn', '0.4');
    const [, planned] = noted(...(await desk.push('more', { validated: true })));
    succeeded(planned);
    expect(desk.github.comments).toHaveLength(1);
    expect(digestOf(0)).not.toBe(first);
  });

  it('is applied when it is merged, because the plan is the reviewed one', async () => {
    desk.merge('more');
    const [applied] = noted(await desk.run('apply.yml', 'push'));
    succeeded(applied);
    const said = applied?.log.replace(/\s+/g, ' ');
    expect(said).toContain(`The pull request 7 was reviewed with plan ${digestOf(0)}`);
    expect(applied?.document?.digest).toBe(digestOf(0));
    expect(applied?.summary).toContain('sniper/dawn');
    expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.4' } });
  });

  it('leaves no drift', async () => {
    const [looked] = noted(await desk.run('drift.yml', 'schedule'));
    succeeded(looked);
    expect(desk.github.issues).toEqual([]);
  });
});

describe('a person edits a task on the service', () => {
  it('an issue says which task and what changed', async () => {
    desk.sandbox.editStored(desk.live('dusk').id, { merge: { buy_amount: '0.9' } });
    const [looked] = noted(await desk.run('drift.yml', 'schedule'));
    succeeded(looked);
    expect(desk.github.issues).toMatchObject([
      { state: 'open', title: 'tradeform: core (production) differs from git' },
    ]);
    expect(desk.github.issues[0]?.body).toMatch(/^<!-- tradeform:drift project=core environment=production /);
    expect(desk.github.issues[0]?.body).toContain('sniper/dusk');
    expect(desk.github.issues[0]?.body).toContain('0.9');
  });

  it('a pull request shows its own change, and that this edit stays', async () => {
    desk.sniper('dawn', '0.5');
    const [, planned] = noted(...(await desk.push('again', { validated: true })));
    succeeded(planned);
    const [, body = ''] = planComments();
    expect(body).toMatch(/: 1 change — [\s\S]* · 1 left/);
    expect(body).toMatch(
      /### Left as they are on the service \(1\): service → git, not applied\s+- `sniper\/dusk` \(running\)/,
    );
  });

  it('edits again between review and merge: what was reviewed is applied, and the edit stays', async () => {
    desk.sandbox.editStored(desk.live('dusk').id, { merge: { buy_amount: '0.8' } });
    desk.merge('again');
    const [applied] = noted(await desk.run('apply.yml', 'push'));
    succeeded(applied);
    expect(applied?.document?.digest).toBe(digestOf(1));
    expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.5' } });
    expect(desk.live('dusk')).toMatchObject({ is_active: true, config: { buy_amount: '0.8' } });
    expect(desk.github.comments.at(-1)?.body).toContain('### Left as they are on the service (1)');
  });

  it('edits what was reviewed: the apply is refused, and the digest of the current plan reverts the edit', async () => {
    desk.sandbox.editStored(desk.live('dawn').id, { merge: { buy_amount: '0.4' } });
    const before = writes();
    const wanted = { expect: digestOf(1), only: 'all' };
    const [refused] = noted(await desk.run('apply.yml', 'workflow_dispatch', wanted));
    expect(refused?.code, refused?.log).toBe(4);
    expect(refused?.log).toContain('digest-differs');
    expect(writes()).toBe(before);
    const fresh = /--expect ([0-9a-f]{64})/.exec(refused?.log ?? '')?.[1] ?? '';
    const [applied] = noted(await desk.run('apply.yml', 'workflow_dispatch', { expect: fresh, only: 'all' }));
    succeeded(applied);
    expect(desk.live('dusk')).toMatchObject({ is_active: true, config: { buy_amount: '0.2' } });
    expect(desk.live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.5' } });
    const [looked] = noted(await desk.run('drift.yml', 'schedule'));
    succeeded(looked);
    expect(desk.github.issues).toMatchObject([{ state: 'closed' }]);
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
  succeeded(noted(...(await desk.push('wrong', { validated: true })))[1]);
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
