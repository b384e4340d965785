import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { Fault, FaultRule } from '../../src/core/model/generated/sandbox.ts';
import { TransportError } from '../../src/core/ports/transport.ts';
import { reportText } from '../render/laid-out.ts';
import { desiredLabel, desiredState, desiredTask, uuid } from '../support/builders.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage, heal, type Meddler, type Stage } from './stage.ts';

/** One write on a known version: what becomes of it when its answer is a refusal, none, or somebody was faster. */

const CHANGED = desiredState([desiredTask('a', { config: NEW })]);

async function run(stage: Stage, desired = CHANGED, meddler?: Meddler): Promise<ApplyReport> {
  return (await stage.apply(await stage.plan(desired, { allowEmpty: true }), meddler)) as ApplyReport;
}

function sent(stage: Stage): readonly string[] {
  return stage.requests.map(
    ({ method, path }) => `${method} ${path.replace(/^.*\/(?=pause|resume|[^/]+$)/, '')}`,
  );
}

const refuse = (method: string, path: string, fault: Fault, more: Partial<FaultRule> = {}): FaultRule => ({
  method,
  path,
  ...more,
  fault,
});
const error = (code: 'validation_error' | 'version_conflict' | 'not_found' | 'insufficient_scope') =>
  ({ type: 'error', code }) as const;

describe('somebody deleted the task', () => {
  test.each([
    ['the mark', 0],
    ['the pause', 1],
    ['the patch', 2],
    ['the start', 3],
  ])('before %s: it is said, and not called done', async (_name, at) => {
    const stage = createStage({ tasks: [TASK] });
    const report = await run(stage, CHANGED, (index) => {
      if (index === at) stage.sandbox.apply([{ type: 'task-removed', id: ID }]);
      return undefined;
    });
    expect(report.outcome).toBe('incomplete');
    expect(report.changes).toMatchObject([{ status: 'failed' }]);
    expect(report.changes[0]?.text).toContain('deleted it');
    expect(sent(stage).filter((request) => !request.startsWith('GET'))).toHaveLength(at + 1);
  });

  test('before its deletion: the deletion counts as done', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false }] });
    const report = await run(stage, desiredState([]), () => {
      stage.sandbox.apply([{ type: 'task-removed', id: ID }]);
      return undefined;
    });
    expect(report.changes).toMatchObject([{ status: 'done' }]);
  });
});

describe('a note or a label is written at the wrong moment', () => {
  const note =
    (stage: Stage, at: number): Meddler =>
    (index) => {
      const remark = stage.task(ID)?.remark ?? '';
      if (index === at) stage.edit(ID, { remark: remark.replace('Note', 'Memo') });
      return undefined;
    };
  const labels = { labels: [{ name: 'theirs', id: uuid(0x41) }] };
  const label =
    (stage: Stage, at: number): Meddler =>
    (index) => {
      if (index === at) stage.edit(ID, { risk_label_id: uuid(0x41) });
      return undefined;
    };

  test('a label between mark and pause: the mark is renewed, so that the run’s own pause is recognised even after a crash', async () => {
    const stage = createStage({ tasks: [TASK], ...labels });
    const plan = await stage.plan(CHANGED);
    const between = label(stage, 1);
    // Mark, pause, the reading, the mark anew, the pause anew: and there it dies.
    const end = await stage.apply(plan, async (index, request) => {
      await between(index, request);
      return index === 4 ? 'crash-after' : undefined;
    });
    expect(end).toBe('crashed');
    expect(sent(stage)).toEqual([`PATCH ${ID}`, 'POST pause', `GET ${ID}`, `PATCH ${ID}`, 'POST pause']);
    expect(stage.task(ID)?.is_active).toBe(false);
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('between patch and start: the run patches again before the start, and never starts at a version that it only read', async () => {
    const stage = createStage({ tasks: [TASK] });
    await run(stage, CHANGED, note(stage, 3));
    expect(sent(stage).slice(3)).toEqual(['POST resume', `GET ${ID}`, `PATCH ${ID}`, 'POST resume']);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('a label again and again: it gives up after five times, with the task running', async () => {
    const stage = createStage({ tasks: [TASK], ...labels });
    let edits = 0;
    const report = await run(stage, CHANGED, (_, { method }) => {
      if (method !== 'PATCH' || edits > 20) return undefined;
      edits += 1;
      stage.edit(ID, { risk_label_id: edits % 2 === 1 ? uuid(0x41) : null });
      return undefined;
    });
    expect(report.changes).toMatchObject([{ status: 'failed' }]);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: TASK.config });
    expect(edits).toBe(6);
    await heal(stage, CHANGED);
  });
});

describe('no answer', () => {
  test('to any attempt of the pause: five times, then it is reported, and the mark is rolled back', async () => {
    const stage = createStage({ tasks: [TASK] });
    const report = await run(stage, CHANGED, (_, { path }) =>
      path.endsWith('/pause') ? 'lost-before' : undefined,
    );
    expect(sent(stage).filter((request) => request === 'POST pause')).toHaveLength(5);
    expect(report.changes).toMatchObject([{ status: 'failed' }]);
    expect(report.changes[0]?.text).toContain('The pause failed 5 times. The last time: ');
    expect(report.left_paused).toEqual([]);
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Note [git:core/a@0]' });
  });

  test.each([
    ['the start of the new config', undefined],
    ['the start of the former config, after a refusal', { skip: 1 }],
  ])(
    'to %s, and no reading either: it may be running, and is in no list of what is off',
    async (_, refused) => {
      const stage = createStage({ tasks: [TASK] });
      if (refused !== undefined)
        stage.sandbox.faults.add(refuse('PATCH', ID, error('validation_error'), refused));
      let cut = false;
      const report = await run(stage, CHANGED, (_index, { path }) => {
        const resume = path.endsWith('/resume');
        cut ||= resume;
        return cut ? (resume ? 'lost-after' : 'lost-before') : undefined;
      });
      expect(report).toMatchObject({ left_paused: [], changes: [{ status: 'unknown' }] });
      const text = reportText(report, { columns: 400, color: false });
      expect(text).toMatch(
        /^MAY BE RUNNING \(1\): the start got no answer\n.*It is unknown whether the start/m,
      );
      expect(text).toContain('→ Run `tradeform plan`');
      expect(text).not.toMatch(/LEFT PAUSED|stays paused|Unknown \(/);
      expect(stage.task(ID)?.is_active).toBe(true);
      await heal(stage, CHANGED);
    },
  );

  test('and no reading either: unknown, and the next apply finds out', async () => {
    const stage = createStage({ tasks: [TASK] });
    let cut = false;
    const report = await run(stage, CHANGED, (_, { path }) => {
      cut ||= path.endsWith('/pause');
      return cut ? (path.endsWith('/pause') ? 'lost-after' : 'lost-before') : undefined;
    });
    expect(report.changes).toMatchObject([{ status: 'unknown' }]);
    expect(report.changes[0]?.text).toContain('It is unknown whether the pause was carried out');
    expect(report.left_paused).toMatchObject([
      { id: ID, text: expect.stringContaining('It may be paused.') },
    ]);
    expect(stage.task(ID)?.is_active).toBe(false);
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test.each([
    ['pause', [{ id: ID, text: expect.stringContaining('It may be paused.') }], false],
    ['resume', [], true],
  ])(
    'no reading after the refusal of a %s that a proxy delivered twice: it may have been carried out',
    async (verb, left, runs) => {
      const stage = createStage({ tasks: [TASK] });
      let cut = false;
      const report = await run(stage, CHANGED, (_, { method, path }) => {
        if (path.endsWith(`/${verb}`)) {
          stage.edit(ID, { is_active: verb === 'resume' });
          cut = true;
        }
        return cut && method === 'GET' ? 'lost-before' : undefined;
      });
      expect(report).toMatchObject({ left_paused: left, changes: [{ status: 'unknown' }] });
      expect(report.changes[0]?.text).toContain('the service answered version_conflict');
      expect(stage.task(ID)?.is_active).toBe(runs);
      await heal(stage, CHANGED);
      expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
    },
  );

  test('because it could not be sent: nothing was done', async () => {
    const stage = createStage({ tasks: [TASK] });
    const report = await run(stage, CHANGED, (index) => {
      if (index > 0) throw new TransportError('unsent', 'connection refused');
      return undefined;
    });
    expect(report.changes).toMatchObject([{ status: 'failed', error: { code: 'unsent' } }]);
    expect(report.changes[0]?.text).toContain('The pause could not be sent: connection refused');
    expect(sent(stage).filter((request) => request.startsWith('GET'))).toEqual([]);
  });
});

describe('a refusal', () => {
  test('with version_conflict for an unchanged task is no reason to give up', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('PATCH', ID, error('version_conflict'), { skip: 1 }));
    expect((await run(stage)).outcome).toBe('done');
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('with not_found for an existing task means the label, if one was sent', async () => {
    const label = { id: uuid(8), name: 'high', sort_order: 0 };
    const desired = desiredState([desiredTask('a', { label: 'high' })], [desiredLabel('high')]);
    const stage = createStage({ tasks: [TASK], labels: [label] });
    stage.sandbox.faults.add(refuse('PATCH', ID, error('not_found')));
    const report = await run(stage, desired);
    expect(report.changes.at(-1)?.text).toContain(`The label ${uuid(8)} no longer exists on the service.`);
    expect(sent(stage).filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  });

  test('with not_found for an existing task without a label: sent again', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('PATCH', ID, error('not_found')));
    expect((await run(stage)).outcome).toBe('done');
  });

  test('of the pause, for any reason: if somebody paused the task first, it stays paused', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'pause$', error('validation_error')));
    const report = await run(stage, CHANGED, (_, { path }) => {
      if (path.endsWith('/pause')) stage.edit(ID, { is_active: false });
      return undefined;
    });
    expect(report.changes[0]?.text).toContain('held');
    expect(report.changes[0]?.text).not.toContain('trades');
    expect(report.changes[0]?.status).toBe('held');
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: NEW });
  });

  test('of the start, for any reason: if somebody already started the task, it is done', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'resume$', error('validation_error')));
    const report = await run(stage, CHANGED, (_, { path }) => {
      if (path.endsWith('/resume')) stage.edit(ID, { is_active: true });
      return undefined;
    });
    expect(report.outcome).toBe('done');
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test.each(['pause', 'resume'])('of the %s for the credential is not looked into', async (verb) => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', `${verb}$`, error('insufficient_scope')));
    const report = await run(stage);
    expect(report.changes).toMatchObject([{ status: 'failed', error: { code: 'insufficient_scope' } }]);
    const at = sent(stage).indexOf(`POST ${verb}`);
    expect(sent(stage)[at + 1] ?? '').not.toMatch(/^GET/);
  });

  test('of the patch is final, and nothing is read', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('PATCH', ID, error('validation_error'), { skip: 1 }));
    await run(stage);
    expect(sent(stage)).toEqual([`PATCH ${ID}`, 'POST pause', `PATCH ${ID}`, 'POST resume']);
  });
});

describe('what an earlier sending may have done', () => {
  const NOTE = (remark = '') => ({ remark: remark.replace('Note', 'Memo') });
  const labels = { labels: [{ name: 'theirs', id: uuid(0x41) }] };

  test('no longer counts after a write of somebody else was accepted: a stop right before the next pause is a person’s', async () => {
    const stage = createStage({ tasks: [TASK], ...labels });
    const report = await run(stage, CHANGED, (index) => {
      if (index === 1) stage.edit(ID, { risk_label_id: uuid(0x41) });
      if (index === 4) stage.edit(ID, { is_active: false });
      return index === 1 ? 'lost-before' : undefined;
    });
    expect(sent(stage).slice(0, 6)).toEqual([
      `PATCH ${ID}`,
      'POST pause',
      `GET ${ID}`,
      `PATCH ${ID}`,
      'POST pause',
      `GET ${ID}`,
    ]);
    expect(report.changes[0]?.text).toContain('Somebody stopped the task in the meantime');
    expect(sent(stage)).not.toContain('POST resume');
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: NEW });
  });

  test('is looked for if the next one is refused: a late delivery counts as done', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false, remark: 'Note [git:core/a]' }] });
    stage.sandbox.faults.add(refuse('PATCH', ID, error('validation_error')));
    const desired = desiredState([desiredTask('a', { state: 'paused', config: NEW })]);
    const report = await run(stage, desired, (index) => {
      // The first sending is lost, and carried out right before the second one.
      if (index === 2) stage.edit(ID, { config: NEW });
      return index === 0 ? 'lost-before' : undefined;
    });
    expect(sent(stage)).toEqual([`PATCH ${ID}`, `GET ${ID}`, `PATCH ${ID}`, `GET ${ID}`]);
    expect(report.changes).toMatchObject([{ status: 'done' }]);
  });

  test('is rolled back if the change stops: a mark that arrived, and a note after it', async () => {
    const stage = createStage({ tasks: [TASK] });
    const report = await run(stage, CHANGED, (index) => {
      if (index === 1) stage.edit(ID, NOTE(stage.task(ID)?.remark));
      return index === 0 ? 'lost-after' : undefined;
    });
    expect(report.changes).toMatchObject([{ status: 'failed' }]);
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Memo [git:core/a@0]' });
  });
});
