import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../../src/core/desired/state.ts';
import type { PauseResult } from '../../../src/core/features/switch/pausing.ts';
import type { Fault, SeedTask } from '../../../src/core/model/generated/sandbox.ts';
import { parseRemark } from '../../../src/core/model/marker.ts';
import type { Choices } from '../../../src/sandbox/choices.ts';
import { SCENARIOS } from '../../act/scenarios.ts';
import { type Blow, createStage, heal, type Meddler, type Stage } from '../../act/stage.ts';
import { desiredState, desiredTask, seedTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { isPlayed, sampled } from '../../support/sample.ts';
import { pauseAll } from './switching.ts';

/** A task in each state that a marker can be in; `%v` stands for its version. */
const MARKS = ['', '@0', '@3', '@5', '@6', '@7', '@9', '@!', '@0#b'];
const PLAIN = sniperConfig();
const ONCE = sniperConfig({ buy_once: true });

interface Subject {
  readonly name: string;
  readonly task: SeedTask;
}

const SUBJECTS: readonly Subject[] = [true, false].flatMap((running, half) =>
  [PLAIN, ONCE].flatMap((config, variant) =>
    MARKS.map((mark, index) => {
      const name = `t${half}${variant}${index}`;
      const remark = `Note [git:core/${name}${mark}]`;
      const over = { remark, target_wallet: wallet(index), config, is_active: running };
      return { name, task: seedTask(0x100 * (half + 1) + 0x40 * variant + index, over) };
    }),
  ),
);

function desiredOf(subjects: readonly Subject[], over: Partial<DesiredState> = {}): DesiredState {
  return desiredState(
    subjects.map(({ name, task }) =>
      desiredTask(name, {
        target_wallet: task.target_wallet,
        config: task.config ?? sniperConfig(),
        ...(task.remark?.includes('#b') === true ? { rearm: 'b' } : {}),
      }),
    ),
    [],
    over,
  );
}

/** A new start is asked for by the manifests alone: git had it paused, and has it active now. */
function isNewlyAsked({ task }: Subject): boolean {
  return task.is_active === false && /\[git:core\/[a-z0-9]+\]$/.test(task.remark ?? '');
}

function running(stage: Stage): readonly string[] {
  return [...stage.sandbox.state.tasks.values()].filter(({ is_active }) => is_active).map(({ id }) => id);
}

const BLOWS: readonly Blow[] = ['lost-before', 'lost-after', 'crash-before', 'crash-after'];
const POLICIES = ['hold', 'resume'] as const;

describe.each(POLICIES)('stopped_tasks: %s', (stoppedTasks) => {
  const policy = { project: 'core', stoppedTasks };
  const stageOf = (subject: Subject, choices: Partial<Choices> = {}) =>
    createStage({ tasks: [subject.task] }, choices);

  test.each(SUBJECTS)(
    '$task.remark, running $task.is_active: off, and the next apply leaves it off',
    async (subject) => {
      for (const choices of [{}, { version_step: 2 }, { version_step: 10 }] as const) {
        const stage = stageOf(subject, choices);
        const result = (await pauseAll(stage, { policy })) as PauseResult;
        expect(result).toMatchObject({ verified: true, interrupted: false });
        expect(running(stage)).toEqual([]);
        if (isNewlyAsked(subject)) continue;
        expect(result.tasks).toMatchObject([{ held: true }]);
        await heal(stage, desiredOf([subject], { stoppedTasks }));
        expect(running(stage)).toEqual([]);
      }
    },
  );

  const struck = SUBJECTS.filter(
    ({ task }) => task.is_active && (task.config === PLAIN || task.remark?.includes('@0]') === true),
  );
  test.each(sampled(struck, 3, POLICIES.indexOf(stoppedTasks)))(
    '$task.remark: whatever befalls any request, what was paused stays paused, and asking again ends it',
    async (subject) => {
      for (const blow of BLOWS) {
        // Writes, one after another; a reading that fails is read again.
        for (let at = 0; ; at += 1) {
          const stage = stageOf(subject);
          let writes = 0;
          const result = await pauseAll(stage, { policy }, (_index, { method }) => {
            if (method === 'GET') return undefined;
            writes += 1;
            return writes === at + 1 ? blow : undefined;
          });
          if (writes <= at) break;
          const where = `${blow} at ${at}: ${stage.task(subject.task.id ?? '')?.remark}`;
          const off = running(stage).length === 0;
          if (result !== 'crashed') expect(off, where).toBe(true);
          await heal(stage, desiredOf([subject], { stoppedTasks }));
          if (off) expect(running(stage), where).toEqual([]);
          await pauseAll(stage, { policy });
          await heal(stage, desiredOf([subject], { stoppedTasks }));
          expect(running(stage), where).toEqual([]);
        }
      }
    },
  );

  test('all at once: the whole of it under every failure', async () => {
    const subjects = SUBJECTS.filter((subject) => !isNewlyAsked(subject));
    for (const blow of BLOWS) {
      for (let at = 3; at < 90; at += 29) {
        const stage = createStage({ tasks: subjects.map(({ task }) => task) });
        await pauseAll(stage, { policy }, (index) => (index === at ? blow : undefined));
        const left = new Set(running(stage));
        const pending = new Set(
          subjects.filter(({ task }) => task.is_active === false).map(({ task }) => task.id ?? ''),
        );
        await heal(stage, desiredOf(subjects, { stoppedTasks }));
        // What this run has not come to yet goes on as if it had not been.
        expect(running(stage).filter((id) => !left.has(id) && !pending.has(id))).toEqual([]);
      }
    }
  });
});

test('a person resumes a task at any moment: it is paused again', async () => {
  for (const [index, subject] of SUBJECTS.filter(({ task }) => task.is_active).entries()) {
    for (let at = 0; at < 12; at += 1) {
      if (!isPlayed(at, 3, index)) continue;
      const stage = createStage({ tasks: [subject.task] });
      const { id = '' } = subject.task;
      await pauseAll(stage, {}, (index) => {
        if (index === at && stage.task(id)?.is_active === false)
          stage.sandbox.editStored(id, { is_active: true });
        return undefined;
      });
      // What happens after the last look is nobody's to see.
      const seen = stage.requests.slice(at + 1).some(({ path }) => path.startsWith('/sniper/configs?'));
      if (seen) expect(running(stage), `${subject.task.remark} at ${at}`).toEqual([]);
    }
  }
});

test('what is resumed directly after a reading of all lists is still found', async () => {
  const [subject] = SUBJECTS;
  const id = subject?.task.id ?? '';
  const stage = createStage({ tasks: subject === undefined ? [] : [subject.task] });
  let accounts = 0;
  await pauseAll(stage, {}, (_index, { path }) => {
    accounts += path === '/me' ? 1 : 0;
    // The account is read before and after the lists.
    if (path === '/me' && accounts === 2) stage.sandbox.editStored(id, { is_active: true });
    return undefined;
  });
  expect(running(stage)).toEqual([]);
});

test('somebody who never gives up is named', async () => {
  const [subject] = SUBJECTS;
  if (subject === undefined) throw new Error('no subject');
  const stage = createStage({ tasks: [subject.task] });
  const { id = '' } = subject.task;
  const result = (await pauseAll(stage, {}, (_index, { method }) => {
    if (method === 'GET') stage.sandbox.editStored(id, { is_active: true });
    return undefined;
  })) as PauseResult;
  expect(result).toMatchObject({ verified: false, tasks: [{ status: 'unknown' }] });
});

/** All that the pause has answered for is off at the end, whatever the apply does beside it. */
function expectHeld(stage: Stage, result: PauseResult, where: string): void {
  const held = result.tasks.filter(({ held }) => held === true).map(({ known }) => known.task.id);
  expect(
    running(stage).filter((id) => held.includes(id)),
    where,
  ).toEqual([]);
}

// A new `rearm` asks for a start anew, whatever was paused before.
const UNASKED = SCENARIOS.filter(({ desired }) => desired.tasks.every(({ rearm }) => rearm === undefined));

describe.each(UNASKED)('beside an apply: $name', (scenario) => {
  const { seed, desired, buyOnce } = scenario;
  const comesAt = (at: number) => isPlayed(at, 3, UNASKED.indexOf(scenario));

  test('the pause comes between any two of its requests', async () => {
    for (let at = 0; ; at += 1) {
      if (!comesAt(at)) continue;
      const stage = createStage(seed);
      const plan = await stage.plan(desired, { allowEmpty: true });
      let result: PauseResult | undefined;
      await stage.apply(plan, async (index) => {
        if (index === at) result = (await pauseAll(stage)) as PauseResult;
        return undefined;
      });
      if (result === undefined) break;
      expect(result.verified).toBe(true);
      // A known gap: a buy_once task that the apply has just paused looks like one that has fired.
      if (buyOnce && at === 2) continue;
      expectHeld(stage, result, `apply goes on from ${at}`);
      await heal(stage, desired);
      expectHeld(stage, result, `apply anew after ${at}`);
    }
  });

  test('the apply comes between any two requests of the pause', async () => {
    for (let at = 0; ; at += 1) {
      if (!comesAt(at)) continue;
      const stage = createStage(seed);
      const plan = await stage.plan(desired, { allowEmpty: true });
      let came = false;
      const result = (await pauseAll(stage, {}, async (index) => {
        if (index !== at) return undefined;
        came = true;
        await stage.apply(plan);
        return undefined;
      })) as PauseResult;
      if (!came) break;
      // The apply is over, so that all that it started is off but what no look showed any more.
      expectHeld(stage, result, `at ${at}`);
      await heal(stage, desired);
      expectHeld(stage, result, `apply anew after ${at}`);
    }
  });
});

describe('remarks', () => {
  const THEIRS = ['Mine alone', 'Theirs [git:other/a@7]', 'Hm [git:core/x@y]'].map((remark, index) =>
    seedTask(index + 1, { remark, version: 1 }),
  );

  test('tasks that are not owned are left alone unless requested, and their remarks always', async () => {
    const stage = createStage({ tasks: [...THEIRS] });
    await pauseAll(stage);
    expect(running(stage).length).toBe(3);
    const selection = { names: [], kinds: [], labels: [], includeUnmanaged: true };
    const result = (await pauseAll(stage, { selection })) as PauseResult;
    expect(running(stage)).toEqual([]);
    expect(result.tasks.map(({ held }) => held)).toEqual([null, null, null]);
    expect([...stage.sandbox.state.tasks.values()].map(({ remark }) => remark).sort()).toEqual(
      THEIRS.map(({ remark }) => remark).sort(),
    );
  });

  test('note, rearm and ~ stay; the most expensive is paused first', async () => {
    const tasks = ['0.1', '5', '0.5'].map((buy_amount, index) => {
      const remark = `A note  [git:core/n${index}@0#b~00ff]`;
      return seedTask(index + 1, { remark, config: sniperConfig({ buy_amount }), version: 1 });
    });
    const stage = createStage({ tasks });
    await pauseAll(stage);
    const paused = stage.requests
      .filter(({ path }) => path.endsWith('/pause'))
      .map(({ path }) => path.slice(16, 20));
    expect(paused).toEqual(['0002', '0003', '0001']);
    const writes = stage.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
    expect(writes).toEqual(['POST', 'POST', 'POST', 'PATCH', 'PATCH', 'PATCH']);
    expect(stage.task(uuid(1))?.remark).toBe('A note  [git:core/n0@!#b~00ff]');
  });
});

describe('while the lists are read', () => {
  const COUNT = 250;
  // Every tenth needs a mark before its pause.
  const TASKS = Array.from({ length: COUNT }, (_, index) =>
    seedTask(index + 1, { remark: `[git:core/n${index}${index % 10 === 0 ? '' : '@0'}]` }),
  );
  const stageOf = (choices: Partial<Choices> = {}) => createStage({ tasks: TASKS }, choices);
  const isPage = ({ path }: { readonly path: string }) => path.startsWith('/sniper/configs?');
  const isFirstReading = (request: { readonly path: string }) =>
    isPage(request) && request.path.includes('status=active');
  const isBeginning = (request: { readonly path: string }) =>
    isFirstReading(request) && !request.path.includes('cursor=');
  const isPause = ({ path }: { readonly path: string }) => path.endsWith('/pause');
  const pausesOf = ({ requests }: Stage) => requests.filter(isPause).map(({ path }) => path);

  test('the first pause goes out before the last page is asked for', async () => {
    const stage = stageOf();
    expect(await pauseAll(stage)).toMatchObject({ verified: true });
    expect(running(stage)).toEqual([]);
    const { requests } = stage;
    expect(requests.findIndex(isPause)).toBeLessThan(requests.findLastIndex(isFirstReading));
    expect(pausesOf(stage).length).toBe(COUNT);
  });

  /** Later pages come when ten tasks were paused. `paused` is told each of them. */
  const holdingPages = (paused: (id: string, index: number) => void, page = () => {}): Meddler => {
    const ids = new Set<string>();
    let seenTen = () => {};
    const ten = new Promise<void>((resolve) => {
      seenTen = resolve;
    });
    return async (_index, request) => {
      const id = request.path.split('/').at(-2) ?? '';
      if (isPause(request)) paused(id, ids.add(id).size);
      if (ids.size === 10) seenTen();
      if (request.path.includes('cursor=')) {
        await ten;
        page();
      }
      return undefined;
    };
  };

  test('nothing but pauses, also of a task that turns out to need a mark before', async () => {
    const stage = stageOf();
    let changed = '';
    const unmark = (id: string, index: number) => {
      if (index > 1) return;
      changed = id;
      stage.sandbox.editStored(id, { remark: '[git:core/changed]' });
    };
    await pauseAll(stage, {}, holdingPages(unmark));
    expect(running(stage)).toEqual([]);
    const writes = stage.requests.filter(({ method, path }) => method !== 'GET' && path.includes(changed));
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST', 'PATCH']);
    const mark = stage.requests.findIndex(({ method }) => method === 'PATCH');
    const again = stage.requests.findLastIndex(isBeginning);
    expect(mark).toBeGreaterThan(
      stage.requests.findLastIndex((request, index) => isFirstReading(request) && index < again),
    );
    // What needs a mark before does not wait for another reading.
    expect(mark).toBeLessThan(again);
  });

  test('it ends where each reading shows another task that runs', async () => {
    const more = Array.from({ length: 40 }, (_, index) => ({
      ...(TASKS[1] as SeedTask),
      id: uuid(1_000 + index),
      is_active: false,
    }));
    const stage = createStage({ tasks: [...TASKS, ...more] });
    const fault: Fault = { type: 'error', code: 'insufficient_scope' };
    stage.sandbox.faults.add({ fault, times: 0, method: 'POST', path: '/pause' });
    let started = 0;
    await pauseAll(stage, {}, (_index, request) => {
      const id = isBeginning(request) ? more[started]?.id : undefined;
      if (id === undefined) return undefined;
      started += 1;
      stage.sandbox.editStored(id, { is_active: true });
      return undefined;
    });
    expect(started).toBe(5);
  });

  test('after its time each task was paused, and no mark is sent', async () => {
    const stage = stageOf();
    const result = (await pauseAll(stage, {}, undefined, 0)) as PauseResult;
    const settled = TASKS.filter(({ remark }) => remark?.endsWith('@0]'));
    expect(running(stage)).toEqual([]);
    for (const { id } of settled)
      expect(
        stage.requests.filter(({ method, path }) => method === 'PATCH' && path.includes(id ?? '')),
      ).toEqual([]);
    expect(result.tasks.filter(({ missing }) => missing !== undefined).length).toBeGreaterThanOrEqual(
      settled.length,
    );
  });

  test('a task that is on two pages is paused once, and an older page does not count', async () => {
    const stage = stageOf();
    let first = '';
    const remember = (id: string, index: number) => {
      if (index === 1) first = id;
    };
    const showAgain = () => {
      const task = TASKS.find(({ id }) => id === first);
      stage.sandbox.faults.add({ path: 'cursor=', skip: 0, times: 1, fault: stalePage(task) });
    };
    const result = (await pauseAll(stage, {}, holdingPages(remember, showAgain))) as PauseResult;
    expect(pausesOf(stage).filter((path) => path.includes(first)).length).toBe(1);
    expect(pausesOf(stage).length).toBe(COUNT);
    expect(result.tasks.find(({ task }) => task.id === first)).toMatchObject({
      status: 'paused',
      held: true,
    });
  });

  test('a cursor that counts leaves tasks out when others are paused: they are paused before the whole account is read', async () => {
    const stage = stageOf({ cursor_kind: 'offset' });
    await pauseAll(stage);
    const whole = stage.requests.findIndex(
      (request) => isPage(request) && !request.path.includes('status=active'),
    );
    expect(
      new Set(
        stage.requests
          .slice(0, whole)
          .filter(isPause)
          .map(({ path }) => path),
      ).size,
    ).toBe(COUNT);
  });

  test('of a pause without an answer, the refusal of the next one does not say that the task runs', async () => {
    const stage = createStage({ tasks: TASKS.slice(0, 1) });
    let sent = 0;
    const result = (await pauseAll(stage, {}, (_index, request) => {
      if (isPause(request)) sent += 1;
      if (sent === 2)
        stage.sandbox.faults.add({ times: 0, fault: { type: 'error', code: 'invalid_api_token' } });
      return sent === 1 ? 'lost-before' : undefined;
    })) as PauseResult;
    expect(result.tasks).toMatchObject([
      { status: 'unknown', failure: { text: expect.stringContaining('It is unknown whether the pause') } },
    ]);
  });

  test('where a later page fails, what was paused is reported', async () => {
    const stage = stageOf();
    const result = (await pauseAll(stage, {}, (_index, { path }) =>
      path.includes('cursor=') ? 'lost-before' : undefined,
    )) as PauseResult;
    expect(result.verified).toBe(false);
    expect(result.survey?.failures.size).toBe(1);
    const off = result.tasks.filter(({ status }) => status === 'paused').map(({ known }) => known.task.id);
    // The first page shows others each time.
    expect(off.length).toBe(COUNT);
    expect(running(stage)).toEqual([]);
  });
});

test('a request that is refused for a missing scope is not sent for every task', async () => {
  const tasks = Array.from({ length: 20 }, (_, index) =>
    seedTask(index + 1, { remark: `[git:core/n${index}@0]`, version: 1 }),
  );
  const stage = createStage({
    tasks,
    tokens: [{ scopes: ['sniper:read', 'copytrade:read', 'transfersnipe:read'] }],
  });
  const result = (await pauseAll(stage)) as PauseResult;
  expect(stage.requests.filter(({ method }) => method === 'POST').length).toBe(1);
  expect(
    result.tasks.filter(({ status, failure }) => status === 'running' && failure !== undefined).length,
  ).toBe(20);
});

test('a task that somebody deletes in the meantime is gone, and nothing is left to do', async () => {
  const subjects = SUBJECTS.slice(0, 3);
  const stage = createStage({ tasks: subjects.map(({ task }) => task) });
  const id = subjects[1]?.task.id ?? '';
  const result = (await pauseAll(stage, {}, (_index, { path }) => {
    if (path.endsWith(`${id}/pause`)) stage.sandbox.apply([{ type: 'task-removed', id }]);
    return undefined;
  })) as PauseResult;
  expect(result.verified).toBe(true);
  expect(result.tasks.map(({ status }) => status).sort()).toEqual(['gone', 'paused', 'paused']);
});

test('the answer to a pause is believed rather than an older page', async () => {
  const [, subject] = SUBJECTS;
  const id = subject?.task.id ?? '';
  const stage = createStage({ tasks: subject === undefined ? [] : [subject.task] });
  let pauses = 0;
  const result = (await pauseAll(stage, {}, (index, { path }) => {
    if (path.endsWith('/pause')) pauses += 1;
    // The list as it was before the first pause, again and again.
    if (index === 0)
      stage.sandbox.faults.add({
        path: 'sniper/configs\\?limit=100$',
        skip: 0,
        times: 2,
        fault: stalePage(subject?.task),
      });
    return undefined;
  })) as PauseResult;
  expect({ pauses, verified: result.verified, status: result.tasks[0]?.status }).toEqual({
    pauses: 1,
    verified: true,
    status: 'paused',
  });
  const { remark = '' } = stage.task(id) ?? {};
  expect(parseRemark(remark)).toMatchObject({ type: 'marked', marker: { armed: 'off' } });
});

/** A page that shows the task as it was in the beginning. */
function stalePage(seed: SeedTask | undefined): Fault {
  const task = {
    risk_label_id: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...seed,
  };
  const body = JSON.stringify({ data: { items: [task], next_cursor: null }, meta: { request_id: 'r' } });
  return { type: 'status', status: 200, body, headers: { 'content-type': 'application/json' } };
}
