import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import rehearsalSchema from '../../schemas/rehearsal.schema.json' with { type: 'json' };
import { type RehearseOptions, runRehearse } from '../../src/features/rehearse/rehearse.ts';
import type { Rehearsal } from '../../src/model/generated/rehearsal.ts';
import type { SeedAccount, SeedTask } from '../../src/model/generated/sandbox.ts';
import { ALL_SCOPES } from '../../src/sandbox/seed.ts';
import { ACCOUNT, MANIFESTS, referenceRepository } from '../http/reference.ts';
import type { Manifest } from '../http/repository.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { uuid, walletOf } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

async function project(
  manifests: readonly Manifest[] = MANIFESTS,
  account: SeedAccount = ACCOUNT,
  spec: object = {},
): Promise<ProjectRun> {
  const repository = referenceRepository(manifests, { guardrails: { max_deletes: null }, ...spec });
  // A seed knows no keys: what it holds was created before the service would remember them.
  const created_at = '2026-01-01T00:00:00Z';
  const tasks = account.tasks?.map((task) => ({ created_at, ...task }));
  const accounts = [{ ...account, ...(tasks === undefined ? {} : { tasks }) }];
  const run = await openProject({ folder: repository.path, seed: { accounts } });
  return run;
}

async function rehearse(run: ProjectRun, options: RehearseOptions = {}) {
  const { code, stdout, stderr, diagnostics } = await run.run((io) =>
    runRehearse({ quiet: true, output: 'json', ...options }, io),
  );
  expect(stderr).toBe('');
  const rehearsal = (stdout === '' ? undefined : JSON.parse(stdout)) as Rehearsal;
  return { code, rehearsal, diagnostics };
}

/**
 * Requests as `address`-free lines: ids of what is created anew differ from run to run, and the clock decides how often the labels
 * are read before a start.
 */
function lines(
  requests: readonly { readonly method: string; readonly path: string; readonly status: number | null }[],
  known: ReadonlySet<string>,
): string[] {
  return withoutFreeze(requests).map(({ method, path, status }) => {
    const shown = path.replaceAll(/[0-9a-f-]{36}/g, (id) => (known.has(id) ? id : 'NEW'));
    return `${method} ${shown} ${status}`;
  });
}

function withoutFreeze<Request extends { readonly method: string; readonly path: string }>(
  requests: readonly Request[],
): readonly Request[] {
  return requests.filter(({ method, path }) => method !== 'GET' || path !== '/labels');
}

describe('a rehearsal', () => {
  it('predicts exactly the requests that apply then sends, and changes nothing itself', async () => {
    const run = await project();
    const known = new Set([
      ...run.sandbox.state.tasks.keys(),
      ...run.sandbox.state.templates.keys(),
      ...run.sandbox.state.labels.keys(),
    ]);
    const before = JSON.stringify(run.tasks());
    const { code, rehearsal } = await rehearse(run, { concurrency: 1 });
    expect(code).toBe(0);
    expect(JSON.stringify(run.tasks())).toBe(before);
    expect(run.written()).toEqual([]);
    run.sandbox.clearLog();

    expect(
      await run.apply(undefined, { autoApprove: true, firstApply: true, concurrency: 1, quiet: true }),
    ).toMatchObject({ code: 0 });
    // What apply reads before it begins is the plan's own reading.
    const reading = run.sandbox.log.findIndex(({ method }) => method !== 'GET');
    const lastMe = run.sandbox.log.findLastIndex(({ path }, index) => path === '/me' && index < reading);
    const sent = run.sandbox.log.slice(lastMe + 1);
    expect(rehearsal.requests.length).toBeGreaterThan(30);
    expect(lines(rehearsal.requests, known)).toEqual(lines(sent, known));
  });

  it('predicts the requests of a replacement within 24 hours of the create: the key is taken', async () => {
    const run = await openProject();
    run.write('manifests/sniper.yaml', sniper({ name: 'again' }));
    expect(await run.apply(undefined, { autoApprove: true, firstApply: true })).toMatchObject({ code: 0 });
    run.write('manifests/sniper.yaml', sniper({ name: 'again', wallet: WALLETS[1] }));
    const known = new Set(run.sandbox.state.tasks.keys());
    run.write('tradeform.yaml', `${PROJECT}spec:\n  settle: { replace: 0s }\n`);
    const { code, rehearsal } = await rehearse(run, { concurrency: 1 });
    expect(code).toBe(0);
    expect(
      rehearsal.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/configs')),
    ).toHaveLength(2);
    run.sandbox.clearLog();
    const options = { autoApprove: true, concurrency: 1, quiet: true };
    expect(await run.apply(undefined, options)).toMatchObject({ code: 0 });
    const reading = run.sandbox.log.findIndex(({ method }) => method !== 'GET');
    expect(lines(rehearsal.requests, known)).toEqual(lines(run.sandbox.log.slice(reading), known));
  });

  it('is a document of its schema, and says whom every write is for', async () => {
    const { rehearsal } = await rehearse(await project());
    const validate = new Ajv({ strict: false }).compile(rehearsalSchema);
    expect([validate(rehearsal), validate.errors]).toEqual([true, null]);
    expect(rehearsal).toMatchObject({
      ok: true,
      outcome: 'done',
      second_plan: [],
      failures: [],
      left_paused: [],
    });
    const writes = rehearsal.requests.filter(({ method }) => method !== 'GET');
    expect(writes.filter(({ address }) => address === undefined)).toEqual([]);
    expect(new Set(writes.map(({ address }) => address))).toContain('sniper/new');
  });

  it('counts the time without trading in round trips of the given latency', async () => {
    const run = await project();
    const pause = async (latency: number) => {
      const { rehearsal } = await rehearse(run, { latency, target: ['sniper/config'] });
      return rehearsal.paused;
    };
    // From the answer to the pause until that to the resume: a patch and the resume lie between.
    expect(await pause(100)).toEqual([{ address: 'sniper/config', paused_ms: 200 }]);
    expect(await pause(20)).toEqual([{ address: 'sniper/config', paused_ms: 40 }]);
  });

  it('waits in no time at all, and takes no longer with more concurrency', async () => {
    const run = await project();
    const began = Date.now();
    const { rehearsal: one } = await rehearse(run, { latency: 60_000, concurrency: 1 });
    const { rehearsal: eight } = await rehearse(run, { latency: 60_000, concurrency: 8 });
    expect(one.duration_ms).toBeGreaterThan(30 * 60_000);
    expect(Date.now() - began).toBeLessThan(one.duration_ms);
    expect(eight.duration_ms).toBeLessThan(one.duration_ms / 2);
    expect(withoutFreeze(eight.requests)).toHaveLength(withoutFreeze(one.requests).length);
  });

  it('finds what the service would refuse, before anything is sent', async () => {
    const scopes = ALL_SCOPES.filter((scope) => scope !== 'sniper:delete');
    const run = await project(MANIFESTS, { ...ACCOUNT, tokens: [{ scopes }] });
    const { code, rehearsal } = await rehearse(run);
    expect([code, rehearsal.ok, rehearsal.outcome]).toEqual([1, false, 'incomplete']);
    expect(rehearsal.failures).toContainEqual(
      expect.objectContaining({
        address: 'sniper/delete',
        status: 'failed',
        text: expect.stringContaining('scope'),
      }),
    );
    expect(rehearsal.requests.find(({ status }) => status >= 400)).toMatchObject({ method: 'DELETE' });
    expect(run.written()).toEqual([]);
  });

  it('ends as a refused plan does', async () => {
    const run = await project(MANIFESTS.slice(0, 1));
    const { code, diagnostics } = await rehearse(run);
    expect([code, diagnostics.map(({ code: name }) => name)]).toEqual([
      4,
      expect.arrayContaining(['all-owned-gone']),
    ]);
  });

  it('stops an apply that would fail, before anything is sent', async () => {
    // Nobody could know from the plan alone: the wait after a pause outlasts the token.
    const expires_at = new Date(Date.now() + 5 * 60_000).toISOString();
    const run = await project(
      MANIFESTS,
      { ...ACCOUNT, tokens: [{ expires_at }] },
      { settle: { replace: '10m' } },
    );
    const before = JSON.stringify(run.tasks());
    const options = { autoApprove: true, firstApply: true, rehearse: true, quiet: true };
    const { code, diagnostics } = await run.apply(undefined, options);
    expect([code, new Set(diagnostics.map((one) => one.code))]).toEqual([4, new Set(['rehearsal-failed'])]);
    expect(diagnostics.map(({ address }) => address)).toContain('sniper/move');
    expect(JSON.stringify(run.tasks())).toBe(before);
    expect(run.written()).toEqual([]);
  });

  it('lets an apply continue that would succeed, and says so', async () => {
    const run = await project();
    const options = { autoApprove: true, firstApply: true, rehearse: true, quiet: true };
    const { code, stdout } = await run.apply(undefined, options);
    expect(code).toBe(0);
    expect(stdout).toContain('The rehearsal went through, and a second plan is empty');
    expect((await rehearse(run)).rehearsal.requests).toEqual([]);
  });

  it('does not fail because of what the plan already reports as blocked', async () => {
    const whale = (ACCOUNT.tasks ?? []).find(({ kind }) => kind === 'copy-trade');
    const held = {
      ...whale,
      id: uuid(90),
      remark: 'Evening [git:desk-2/evening@0]',
      target_wallet: walletOf('copy-new'),
    };
    const run = await project(MANIFESTS, { ...ACCOUNT, tasks: [...(ACCOUNT.tasks ?? []), held as SeedTask] });
    const { code, rehearsal } = await rehearse(run);
    expect([code, rehearsal.ok]).toEqual([1, true]);
    expect(rehearsal.failures).toMatchObject([{ address: 'copy-trade/copy-new', status: 'blocked' }]);
  });

  it('shows people the verdict, each pause and each request', async () => {
    const run = await project();
    const { code, stdout } = await run.run((io) =>
      runRehearse({ quiet: true, target: ['sniper/config'] }, io),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Rehearsal of core · .* → .* SOL at stake/);
    expect(stdout).toContain('\nWithout trading (1): sniper/config ');
    expect(stdout).toContain(
      '\nThe rehearsal went through, and a second plan is empty: 5 requests, 4 of them writes',
    );
    expect(stdout.replace(/^\s+\d+\.\d+ s {2}/gm, '')).toContain(
      ['PATCH  sniper/config 200', 'POST   sniper/config pause 200'].join('\n'),
    );
  });
});
