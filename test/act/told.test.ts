import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/core/model/generated/sandbox.ts';
import type { ProgressEvent } from '../../src/core/ports/output.ts';
import { desiredState, desiredTask, removal, sniperConfig, uuid, wallet } from '../support/builders.ts';
import type { Over } from '../support/world.ts';
import { planAndCarryOut } from './ending.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage, type Meddler } from './stage.ts';

/** What a report says of a run that did not come to its end at once: interrupted, refused, or begun by another run. */

const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
const ONCE = sniperConfig({ buy_once: true });
const OTHER = { ...TASK, id: uuid(2), remark: 'Note [git:core/b@0]' };
const BOTH = desiredState([desiredTask('a', { config: NEW }), desiredTask('b', { config: NEW })]);

const refuse = (method: string, path: string, more: Partial<FaultRule> = {}): FaultRule => ({
  method,
  path,
  ...more,
  fault: { type: 'error', code: 'validation_error' },
});

/** Ctrl-C twice, right before the request that `at` names. */
function interruptedAt(at: (index: number, path: string) => boolean): [Meddler, Over] {
  const [soft, hard] = [new AbortController(), new AbortController()];
  const meddler: Meddler = (index, { path }) => {
    if (at(index, path)) for (const signal of [soft, hard]) signal.abort();
    return undefined;
  };
  return [meddler, { stop: { soft: soft.signal, hard: hard.signal } }];
}

test('hold: a task left paused is reported without the promise of a start', async () => {
  const stage = createStage({ tasks: [TASK] });
  stage.sandbox.faults.add(refuse('PATCH', ID, { skip: 1 }));
  const { report } = await planAndCarryOut(stage, CHANGED, undefined, { onFailure: 'hold' });
  expect(report.left_paused[0]?.text).toMatch(
    /\. It stays paused and held, as --on-failure hold requires\.$/,
  );
});

const LOW = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.1' }) })]);
const OFF = desiredState([desiredTask('a', { state: 'paused' })]);

test.each<[string, typeof LOW, FaultRule, Over, readonly string[]]>([
  ['a cut that is refused', LOW, refuse('PATCH', ID, { skip: 1 }), {}, ['0.5025 → 0.1025 SOL']],
  ['a cut that leaves its task paused', LOW, refuse('PATCH', ID, { skip: 1 }), { onFailure: 'hold' }, []],
  ['a stop that is refused', OFF, refuse('POST', '/pause'), {}, ['0.5025 → 0 SOL']],
  ['a stop whose mark alone is refused', OFF, refuse('PATCH', ID), {}, []],
  ['a raise that is refused', CHANGED, refuse('PATCH', ID, { skip: 1 }), {}, []],
])('%s: what still trades high is said', async (_, desired, fault, over, said) => {
  const stage = createStage({ tasks: [TASK] });
  stage.sandbox.faults.add(fault);
  const { report } = await planAndCarryOut(stage, desired, undefined, over);
  expect(report.outcome).toBe('incomplete');
  expect(report.still_high.map(({ id, text }) => `${id} ${text}`)).toEqual(said.map((one) => `${ID} ${one}`));
});

test('a replacement whose new task is held fails after the pause of the former one: the report names that one, and the way to a start', async () => {
  const half = { ...TASK, id: uuid(2), remark: 'Note [git:core/a@1~0001]', target_wallet: wallet(1) };
  const stage = createStage({ tasks: [TASK, { ...half, is_active: false, version: 2 }] });
  const desired = desiredState([desiredTask('a', { target_wallet: wallet(1) })]);
  stage.sandbox.faults.add(refuse('DELETE', ID));
  const { report } = await planAndCarryOut(stage, desired);
  expect(stage.owned('a').map(({ is_active }) => is_active)).toEqual([false, false]);
  expect(report.left_paused).toEqual([
    {
      address: 'sniper/a',
      id: ID,
      text: 'The deletion was refused (validation_error): This error was injected. It stays paused and held. Once the cause is mended, `tradeform apply --resume-stopped sniper/a` starts it.',
    },
  ]);
  expect((await stage.plan(desired)).operations.map(({ verb }) => verb)).toEqual(['delete']);
  await stage.apply(await stage.plan(desired, { resumeStopped: ['sniper/a'] }));
  expect(stage.owned('a')).toMatchObject([{ id: uuid(2), is_active: true }]);
});

test('a person starts the new task of a replacement and takes its marker away: the former one is left paused all the same', async () => {
  const stage = createStage({ tasks: [TASK] });
  const desired = desiredState([desiredTask('a', { target_wallet: wallet(1) })]);
  const { report } = await planAndCarryOut(stage, desired, (_, { method, path }) => {
    const [added] = stage.owned('a').filter(({ id }) => id !== ID);
    // Somebody stops the former task, which this run marks and pauses next.
    if (path.endsWith('/pause')) stage.edit(ID, { is_active: false });
    if (method === 'PATCH' && added !== undefined && path.endsWith(added.id))
      stage.sandbox.editStored(added.id, { is_active: true, remark: 'Mine' });
    return undefined;
  });
  expect(report.left_paused).toMatchObject([{ address: 'sniper/a', id: ID }]);
});

describe('the second Ctrl-C', () => {
  test('while a task is only read: nothing was begun, and nothing failed', async () => {
    const stage = createStage({ tasks: [{ ...TASK, config: ONCE }] });
    const desired = desiredState([desiredTask('a', { config: { ...ONCE, buy_amount: '0.75' } })]);
    const end = await planAndCarryOut(stage, desired, ...interruptedAt((index) => index === 0));
    expect([end.status, end.text]).toEqual(['skipped', 'Interrupted part-way.']);
    expect(end.operations).toEqual(['pause not-started', 'patch not-started', 'resume not-started']);
  });

  test('while a refused change is cleaned up: the failure is reported, and the start is unknown', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('PATCH', ID, { skip: 1 }));
    const end = await planAndCarryOut(
      stage,
      CHANGED,
      ...interruptedAt((_, path) => path.endsWith('/resume')),
    );
    expect(end.status).toBe('unknown');
    expect(end.operations).toEqual(['mark done', 'pause done', 'patch failed', 'resume unknown']);
    expect(end.report.left_paused).toEqual([]);
  });
});

describe('the report', () => {
  test('a refused credential ends the run, and is named at changes that were not begun', async () => {
    const stage = createStage({ tasks: [TASK, OTHER] });
    const { report } = await planAndCarryOut(stage, BOTH, (index) => {
      if (index === 0) stage.sandbox.rotate(stage.sandbox.tokens()[0]?.token.slice(0, 17) ?? '');
      return undefined;
    });
    expect(report.changes[1]).toMatchObject({
      status: 'skipped',
      text: 'Not started: the service refuses the token (invalid_api_token).',
    });
  });

  test('the end of each chain, and the times that a report shows', async () => {
    const stage = createStage({ tasks: [TASK, OTHER] });
    stage.sandbox.faults.add(refuse('PATCH', uuid(2)));
    const ends: ProgressEvent[] = [];
    const emit = (event: ProgressEvent) => {
      if (event.type === 'chain-end') ends.push(event);
    };
    const meddler: Meddler = (_, { path }) => {
      if (path.endsWith(`${ID}/pause`)) stage.edit(ID, { is_active: false });
      return undefined;
    };
    const both = desiredState([desiredTask('a', { config: NEW }), desiredTask('b', { note: 'Other' })]);
    const { report } = await planAndCarryOut(stage, both, meddler, { progress: { emit } });
    // A held task is as git wants it for now.
    expect(ends).toEqual([
      { type: 'chain-end', address: 'sniper/b', status: 'failed', text: report.changes[1]?.text },
      { type: 'chain-end', address: 'sniper/a', status: 'done', text: report.changes[0]?.text },
    ]);
    const calm = await planAndCarryOut(createStage({ tasks: [TASK] }), CHANGED);
    expect(calm.change.paused_ms).toBe(0);
    expect(calm.change).not.toHaveProperty('settle_ms');
    expect(calm.change).not.toHaveProperty('error');
  });

  test('a change without operations sent no request', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false }] });
    const { change } = await planAndCarryOut(stage, desiredState([desiredTask('a')]));
    expect(change).toMatchObject({ status: 'held', request_ids: [], operations: [] });
  });

  test('a release of a deleted task, or with an unknown result, does not say that its marker stays', async () => {
    const desired = desiredState([], [], { removals: [removal('sniper/a')] });
    const gone = createStage({ tasks: [TASK] });
    const deleted = await planAndCarryOut(gone, desired, () => {
      gone.sandbox.apply([{ type: 'task-removed', id: ID }]);
      return undefined;
    });
    expect(deleted.text).toBe('Somebody deleted it in the meantime.');
    const { status, text } = await planAndCarryOut(
      createStage({ tasks: [TASK] }),
      desired,
      () => 'lost-before',
    );
    expect(status).toBe('unknown');
    expect(text).not.toContain('keeps its marker');
  });
});

describe('a plan', () => {
  test('whose last patch, after the start of a manual task, was lost is done', async () => {
    const stage = createStage({ tasks: [{ ...TASK, remark: 'Note [git:core/a]' }] });
    const manual = desiredState([desiredTask('a', { state: 'manual', config: NEW })]);
    let started = false;
    const { status, operations } = await planAndCarryOut(stage, manual, (_, { method, path }) => {
      if (path.endsWith('/resume')) started = true;
      return started && method === 'PATCH' ? 'lost-after' : undefined;
    });
    expect([status, operations.at(-1)]).toEqual(['done', 'patch done']);
  });
});
