// The bench's results as text.
import { growth, growthRows, ratioOf } from './goals.mjs';
import { median, spread } from './statistics.mjs';

function table(head, rows) {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const texts = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  '),
  );
  return `${[texts[0], '-'.repeat(texts[0].length), ...texts.slice(1)].join('\n')}\n`;
}

const times = (value) => (value < 10_000 ? `${value.toFixed(0)} ms` : `${(value / 1_000).toFixed(1)} s`);
const three = ({ min, median: middle, max }) =>
  [min, middle, max].map((value) => value.toFixed(2)).join(' / ');
const counted = (number) => number.toLocaleString('en');

export function startupTable(cases) {
  const [floor] = cases;
  const rows = cases.map(({ name, values }) => {
    const { min, median: middle, max } = spread(values);
    return [
      name,
      ...[min, middle, max].map((value) => value.toFixed(1)),
      (middle / median(floor.values)).toFixed(2),
    ];
  });
  return table(['start, ms', 'min', 'median', 'max', 'ratio'], rows);
}

/** Cells: `floor → tradeform`, medians; ratios as minimum / median / maximum. */
export function planTable(plans) {
  const head = [
    'floor → tradeform',
    'tasks',
    'labels',
    'latency',
    'requests',
    'MB',
    'wall',
    'ratio',
    'CPU',
    'ratio',
    'peak MB',
    'ratio',
    'CPU of service a request',
  ];
  const rows = plans.map((row) => {
    const { floor, tradeform } = row;
    const both = (what, show) =>
      `${show(median(floor.map((run) => run[what])))} → ${show(median(tradeform.map((run) => run[what])))}`;
    const served = (runs, what) => median(runs.map(({ service }) => service?.[what] ?? 0));
    const bytes = (runs) => (served(runs, 'bytes') / 1e6).toFixed(1);
    const network = row.latency !== undefined;
    return [
      row.case,
      counted(row.tasks),
      network ? String(row.labels) : '',
      network ? `${row.latency} ms` : '',
      network ? `${served(floor, 'requests')} → ${served(tradeform, 'requests')}` : '',
      network ? `${bytes(floor)} → ${bytes(tradeform)}` : '',
      both('wall', times),
      three(ratioOf(row, 'wall')),
      both('cpu', times),
      three(ratioOf(row, 'cpu')),
      both('memory', (value) => value.toFixed(0)),
      three(ratioOf(row, 'memory')),
      network ? `${(served(floor, 'cpu') / served(floor, 'requests')).toFixed(1)} ms` : '',
    ];
  });
  return table(head, rows);
}

export function growthTable(plans) {
  const sizes = growthRows(plans)
    .map(({ tasks }) => counted(tasks))
    .join(', ');
  const cell = (who, what) => growth(plans, what, who)?.toFixed(2) ?? '-';
  return table(
    [`growth over ${sizes} tasks, exponent`, 'CPU', 'memory'],
    [
      ['floor', cell('floor', 'cpu'), cell('floor', 'memory')],
      ['tradeform', cell('tradeform', 'cpu'), cell('tradeform', 'memory')],
    ],
  );
}

export function applyTable({ changes, latency, concurrency, results }) {
  const middle = (pick) => median(results.map(pick));
  return table(
    [
      'apply',
      'changes',
      'latency',
      'side by side',
      'requests',
      'MB',
      'wall',
      'ratio',
      'CPU',
      'peak MB',
      'round trip',
      'mean pause',
      'pause ÷ round trip',
    ],
    [
      [
        'apply',
        counted(changes),
        `${latency} ms`,
        String(concurrency),
        counted(middle(({ service }) => service.requests)),
        (middle(({ service }) => service.bytes) / 1e6).toFixed(1),
        times(middle(({ wall }) => wall)),
        three(spread(results.map(({ wall, least }) => wall / least))),
        times(middle(({ cpu }) => cpu)),
        middle(({ memory }) => memory).toFixed(0),
        `${middle(({ service }) => service.roundTrip).toFixed(1)} ms`,
        `${middle(({ paused }) => paused).toFixed(1)} ms`,
        three(spread(results.map(({ paused, service }) => paused / service.roundTrip))),
      ],
    ],
  );
}

export function goalsTable(rows) {
  const cells = rows
    .filter(({ value }) => value !== undefined)
    .map(({ name, goal, value }) => [name, `≤ ${goal}`, value.toFixed(2), value <= goal ? 'met' : 'NOT MET']);
  return table(['case', 'goal', 'measured', ''], cells);
}
