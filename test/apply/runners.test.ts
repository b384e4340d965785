import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { runs } from '../support/sample.ts';
import { numbers } from './numbers.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { createStage, heal, type Stage } from './stage.ts';
import { expectStartsAsked } from './starts.ts';

const ORDERS = Number(process.env.RUNNERS_ORDERS ?? runs(40));

/** What the slower one says; of a switch that git leaves alone, the spent mark is the last thing to go. */
const SLOWER =
  /^(Another apply is working|Somebody deleted it|Somebody else changed the task before its mark)/;

function said(...reports: (ApplyReport | undefined)[]): string {
  return JSON.stringify(
    reports.map((report) => report?.changes.map(({ address, status, text }) => [address, status, text])),
  );
}

/** Nothing twice, nothing left to do by itself, and the task as git wants it. */
async function expectConverged(scenario: Scenario, stage: Stage, label: string) {
  const { desired, runs: wanted, buyOnce } = scenario;
  await heal(stage, desired);
  const switches = stage.owned('a').map(({ is_active }) => is_active);
  expect(switches.length, label).toBe(wanted === undefined ? 0 : 1);
  if (buyOnce === true) expectStartsAsked(scenario, stage, label);
  // Without a mark another runner's pause looks like a person's: held, as DESIGN 3 says.
  if (wanted !== undefined && buyOnce !== true) expect(switches, label).toEqual([wanted]);
  for (const list of [stage.sandbox.state.labels, stage.sandbox.state.templates]) {
    const names = [...list.values()].map(({ name }) => name);
    expect(new Set(names).size, label).toBe(names.length);
  }
}

describe.each(SCENARIOS)('$name', (scenario) => {
  test.each(['the same plan', 'a plan of its own'])(
    'a second runner with %s comes in between',
    async (kind) => {
      let length = 1;
      for (let at = 0; at < length; at += 1) {
        const stage = createStage(scenario.seed);
        const plan = await stage.plan(scenario.desired, { allowEmpty: true });
        let second: ApplyReport | undefined;
        const first = (await stage.apply(plan, async (index) => {
          if (index !== at) return undefined;
          const own =
            kind === 'the same plan' ? plan : await stage.plan(scenario.desired, { allowEmpty: true });
          second = (await stage.apply(own)) as ApplyReport;
          return undefined;
        })) as ApplyReport;
        length = Math.max(length, stage.requests.length);
        const label = `before request ${at}: ${said(first, second)}`;
        const failures = [first, second].flatMap((report) =>
          (report?.changes ?? []).filter(({ status }) => status !== 'done').map(({ text }) => text),
        );
        if (scenario.buyOnce !== true) {
          expect([first.outcome, second?.outcome], label).toContain('done');
          for (const text of failures) expect(text, label).toMatch(SLOWER);
          expect((await stage.plan(scenario.desired, { allowEmpty: true })).operations, label).toEqual([]);
        }
        await expectConverged(scenario, stage, label);
      }
    },
  );

  test(`two runners at the same time, in ${ORDERS} orders`, async () => {
    for (let seed = 1; seed <= ORDERS; seed += 1) {
      const stage = createStage(scenario.seed);
      const random = numbers(seed);
      const wait = async () => {
        for (let turns = Math.floor(random() * 60); turns > 0; turns -= 1) await Promise.resolve();
        return undefined;
      };
      const plan = await stage.plan(scenario.desired, { allowEmpty: true });
      const [first, second] = (await Promise.all([
        stage.apply(plan, wait, { concurrency: 3 }),
        stage.apply(plan, wait, { concurrency: 3 }),
      ])) as [ApplyReport, ApplyReport];
      await expectConverged(scenario, stage, `order ${seed}: ${said(first, second)}`);
    }
  });
});
