import { expect, test } from 'vitest';
import type { Choices } from '../../src/sandbox/choices.ts';
import { copyTradeConfig, desiredState, desiredTask, seedTask, uuid, wallet } from '../support/builders.ts';
import { sampled } from '../support/sample.ts';
import { prepare, type WorldSpec } from './base.ts';
import { PLAIN, type Verdict } from './case.ts';
import { type Disturbance, type Kind, parseDisturbance, tell } from './kinds.ts';
import { play } from './shrink.ts';

/**
 * A service that remembers refusals answers a create with the same one for 24 hours, whatever has become of its cause. Every
 * case must come to rest as one apply without disturbances leaves it: `undisturbed-run-finishes`, `second-plan-empty`.
 */
const REMEMBERS: Partial<Choices> = { idempotency_failures: 'replayed' };

function run(spec: WorldSpec, disturbances: readonly Disturbance[], concurrency = 1): Promise<Verdict> {
  return play({ base: prepare(spec), disturbances, seed: 1, concurrency, way: PLAIN });
}

// Requests: 0 to 7 read, 8 creates; somebody has taken the last place right before it.
test.each([9, 10, 14, 18, 19])('there is room again at request %i: the task is created', async (at) => {
  const theirs = seedTask(1, { remark: 'Theirs', target_wallet: wallet(3), is_active: false, version: 1 });
  const desired = desiredState([desiredTask('a')]);
  const account = { quota: { max: 2 }, tasks: [theirs] };
  const spec = { name: 'quota', account, desired, other: desired, choices: REMEMBERS };
  const { violations, fired } = await run(spec, [
    parseDisturbance('clone@8'),
    parseDisturbance(`delete@${at}`),
  ]);
  expect(violations).toEqual([]);
  expect(fired).toHaveLength(2);
});

/** Running copy-trade tasks go from their targets to others, of which some are still taken; `places` are free beside them. */
function moving(from: readonly number[], to: readonly number[], places: number): WorldSpec {
  const tasks = from.map((target, index) => ({
    kind: 'copy-trade' as const,
    id: uuid(index + 1),
    remark: `Note [git:core/t${index}@0]`,
    target_wallet: wallet(target),
    config: copyTradeConfig(),
    is_active: true,
    version: 5,
  }));
  const wants = (targets: readonly number[]) =>
    desiredState(
      targets.map((target, index) =>
        desiredTask(`t${index}`, { collection: 'copy-trade', target_wallet: wallet(target) }),
      ),
    );
  return {
    name: 'moving',
    account: { quota: { max: tasks.length + places }, tasks },
    desired: wants(to),
    other: wants(from),
    choices: REMEMBERS,
  };
}

const MEANWHILE: readonly Kind[] = ['runner-other', 'runner-other-mixed', 'crash-after', 'lost-after'];

test.each([
  ['swap without room', moving([0, 1], [1, 0], 0)],
  ['swap with room', moving([0, 1], [1, 0], 1)],
  ['shift without room', moving([0, 1, 2], [1, 2, 3], 0)],
  ['shift with room', moving([0, 1, 2], [1, 2, 3], 3)],
])(
  'targets %s, and at any request the former revision is applied, or a run dies: they converge',
  async (_how, spec) => {
    const plain = await run(spec, [], 2);
    expect(plain.violations).toEqual([]);
    const begins = plain.requests.map(({ path }) => path).lastIndexOf('/me') + 1;
    const bad: string[] = [];
    const after = plain.requests.map((_, at) => at).slice(begins);
    const all = after.flatMap((at) => MEANWHILE.map((kind) => ({ at, kind, pick: 0 })));
    for (const disturbance of sampled(all, 6)) {
      const { violations } = await run(spec, [disturbance], 2);
      bad.push(...violations.map(({ text }) => `${tell(disturbance)}: ${text}`));
    }
    expect(bad).toEqual([]);
  },
);
