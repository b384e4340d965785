// What the bench must show, and whether it does.
import { exponent, mean, median, ratios } from './statistics.mjs';

/** Rows `{name, goal, value}`; the value is undefined where the case was not measured. */
export function goals({ startup, plans, validates, apply }, { goalSize, changes }) {
  const plan = (labels, latency, what) => {
    const found = plans.find(
      (row) =>
        row.tasks === goalSize && row.owned === goalSize && row.labels === labels && row.latency === latency,
    );
    return found && ratioOf(found, what).median;
  };
  const validate = (name) => {
    const found = validates.find((row) => row.case === name);
    return found && ratioOf(found, 'wall').median;
  };
  const version = startup && median(startup[1].values) / median(startup[0].values);
  const size = goalSize.toLocaleString('en');
  const cases = [
    ['`--version` against `node -e 0`, wall', 1.3, version],
    [`plan, ${size} tasks, 20 ms, 1 label: wall against the floor`, 1.2, plan(1, 20, 'wall')],
    [`plan, ${size} tasks, 20 ms, 20 labels: wall against the floor`, 0.25, plan(20, 20, 'wall')],
    [`plan, ${size} tasks, 0 ms: CPU against the floor`, 4, plan(1, 0, 'cpu')],
    [`plan, ${size} tasks: peak memory against the floor`, 3, plan(1, 0, 'memory')],
    [`validate, ${size} manifests: wall against a bare parse`, 0.7, validate('validate')],
    [
      `apply, ${changes.toLocaleString('en')} config changes: wall ÷ (requests × latency ÷ concurrency)`,
      1.3,
      apply && median(apply.results.map(({ wall, least }) => wall / least)),
    ],
    [
      'apply: mean paused time of a task ÷ round trip',
      2.3,
      apply && median(apply.results.map(({ paused, service }) => paused / service.roundTrip)),
    ],
    ['plan: growth of CPU, exponent', 1.1, growth(plans, 'cpu')],
    ['plan: growth of memory, exponent', 1.1, growth(plans, 'memory')],
  ];
  return cases.map(([name, goal, value]) => ({ name, goal, value }));
}

export function ratioOf({ floor, tradeform }, what) {
  return ratios(
    tradeform.map((run) => run[what]),
    floor.map((run) => run[what]),
  );
}

const GROWS_FROM = 1_000;

/** Over the sizes from 1,000 tasks on, without latency. */
export function growth(plans, what, who = 'tradeform') {
  const points = growthRows(plans).map((row) => [row.tasks, mean(row[who].map((run) => run[what]))]);
  return points.length < 2 ? undefined : exponent(points);
}

export function growthRows(plans) {
  return plans
    .filter(
      ({ tasks, owned, labels, latency }) =>
        tasks >= GROWS_FROM && owned === tasks && labels === 1 && latency === 0,
    )
    .sort((left, right) => left.tasks - right.tasks);
}
