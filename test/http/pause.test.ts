import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApplyReport, SwitchReport } from '../../src/core/model/generated/report.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { HttpResponse } from '../../src/core/ports/transport.ts';
import { tradeform } from '../cmd/run.ts';
import { dice } from '../simulation/random.ts';
import { seedTask, sniperConfig, walletOf } from '../support/builders.ts';
import { FULL } from '../support/sample.ts';
import { json, killLeftovers, run } from './program.ts';
import { type Manifest, makeRepository, planOf, type Repository } from './repository.ts';
import { type Hooks, type Service, startService } from './service.ts';

const TASKS = FULL ? 1_000 : 200;
const ERRORS = 0.1;
const PAUSE = ['pause', '--all', '--concurrency', '16', '-o', 'json', '--quiet'];
const APPLY = ['apply', '--auto-approve', '--concurrency', '16', '-o', 'json', '--quiet'];

/** Marks as they come: settled, of an interrupted apply, out of date, none. */
const MARKS = ['@0', '@3', '@5', '@6', '@7', '', '@0', '@0', '@!', '@0'];
const WALLET = walletOf('pause');

function configOf(index: number) {
  return sniperConfig({ buy_amount: `0.${(index % 97) + 1}`, buy_once: index % 10 === 9 });
}

const tasks = Array.from({ length: TASKS }, (_, index) =>
  seedTask(index + 1, {
    remark: `Note [git:core/t-${index}${MARKS[index % MARKS.length]}]`,
    target_wallet: WALLET,
    config: configOf(index),
  }),
);
const manifests = tasks.map(
  ({ target_wallet, config }, index): Manifest => ({
    kind: 'SniperTask',
    metadata: { name: `t-${index}` },
    spec: { state: 'active', remark: 'Note', target_wallet, config },
  }),
);

let service: Service;
let repository: Repository;
beforeAll(async () => {
  service = await startService();
  repository = makeRepository(manifests, { stopped_tasks: 'resume' });
});
afterAll(() => killLeftovers());

function refusal(status: number, code: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'retry-after': '0' },
    body: `{"error":{"code":"${code}","message":"Not now."},"request_id":"r-1"}`,
  };
}

/** A tenth of all requests fails, in each of the ways that a network and a service have. */
function trouble(random: () => number): Hooks {
  const strike = () => random() < ERRORS / 2;
  return {
    before: () => {
      if (!strike()) return undefined;
      // A throttle halts everything for a moment: there are fewer of these.
      const kind = Math.floor(random() * 12);
      if (kind === 0) return refusal(429, 'rate_limit_exceeded');
      if (kind === 1) return refusal(503, 'service_unavailable');
      return kind < 7 ? refusal(500, 'internal_error') : 'drop';
    },
    after: () => (strike() ? (random() < 0.5 ? 'drop' : refusal(500, 'internal_error')) : undefined),
  };
}

function running(): readonly string[] {
  return [...service.sandbox.state.tasks.values()].filter(({ is_active }) => is_active).map(({ id }) => id);
}

it(`${TASKS} running tasks, a tenth of all requests fails, and a person resumes one: all are off and stay off`, async () => {
  const env = { cwd: repository.path, env: service.env };
  service.reset({ quota: { max: 2_000 }, tasks });
  const random = dice(6).next;
  const hooks = trouble(random);
  let resumed: string | undefined;
  service.hooks = {
    ...hooks,
    before: (index, request) => {
      // A person turns one on again that has just been paused.
      if (resumed === undefined && index % 50 === 0 && running().length < TASKS / 2) {
        resumed = tasks.find(({ id = '' }) => service.sandbox.state.tasks.get(id)?.is_active === false)?.id;
        if (resumed !== undefined) service.sandbox.editStored(resumed, { is_active: true });
      }
      return hooks.before?.(index, request);
    },
  };
  const ended = await run(PAUSE, env);
  const report = json<SwitchReport>(ended);
  const named = report.changes
    .filter(({ status }) => status === 'failed' || status === 'unknown')
    .map(({ id }) => id);

  expect(resumed).toBeDefined();
  expect(named).toEqual(expect.arrayContaining([...running()]));
  // A mark that met a fault each time is named and ends with 1, and the next pause writes it.
  const unwritten = report.changes.filter((task) => task.unwritten !== null);
  expect(unwritten.length).toBeLessThan(3);
  const [code, outcome] = unwritten.length === 0 ? [0, 'done'] : [1, 'incomplete'];
  expect({
    code: ended.code,
    left: running(),
    summary: report.summary,
    outcome: report.outcome,
  }).toMatchObject({ code, left: [], summary: { done: TASKS, failed: 0, unknown: 0 }, outcome });
  if (unwritten.length > 0) {
    service.hooks = {};
    expect((await run(PAUSE, env)).code).toBe(0);
  }
  // Where the answer to the pause of a task with buy_once was lost, it may have stopped by itself: `resume --all` leaves it.
  const unsure = new Set<string>();
  for (const { id, remark, config } of service.sandbox.state.tasks.values()) {
    const parsed = parseRemark(remark);
    expect(parsed).toMatchObject({
      note: 'Note',
      marker: { armed: expect.stringMatching(/^(?:kept-)?off$/) },
    });
    if (!remark.includes('@0!')) continue;
    // A task whose mark came late is left by `resume --all`, as its text said.
    expect(config.buy_once === true || unwritten.some((task) => task.id === id)).toBe(true);
    unsure.add(id);
  }
  expect(unsure.size).toBeLessThan(TASKS / 50);

  service.hooks = {};
  const plan = await planOf(repository, service.sandbox);
  expect(plan.changes.filter(({ starts_trading }) => starts_trading)).toEqual([]);
  expect(plan.summary.held).toBe(TASKS);
  expect(json<ApplyReport>(await tradeform(APPLY, env)).outcome).toBe('done');
  expect(running()).toEqual([]);

  const back = json<SwitchReport>(
    await tradeform(
      ['resume', '--all', '--auto-approve', '--concurrency', '16', '-o', 'json', '--quiet'],
      env,
    ),
  );
  expect(back.summary).toMatchObject({ done: TASKS, failed: 0, unknown: 0 });
  expect(running().filter((id) => unsure.has(id))).toEqual([]);
  expect(running().length).toBe(TASKS - unsure.size);
  expect([...service.starts.values()].every((starts) => starts === 1)).toBe(true);
  // A task whose mark came late was left with `@0`, and under `stopped_tasks: resume` a plan starts it.
  const late = new Set(unwritten.map(({ id }) => id));
  const { operations } = await planOf(repository, service.sandbox);
  expect(operations.filter(({ subject }) => !late.has(String(subject)))).toEqual([]);
}, 180_000);
