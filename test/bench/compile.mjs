// How long 10,000 tasks of task sets take to compile, as a ratio against parsing the same YAML and serialising the result, in
// the same run:
//   node test/bench/compile.mjs [runs]
import { parseAllDocuments, stringify } from 'yaml';
import { compile, readProjectSettings, Source } from '../../dist/index.js';

const RUNS = Math.max(5, Number(process.argv[2] ?? 9));
const TASKS = 10_000;
const SETS = 10;
const GOAL = 3;
const WALLET = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1';

const PRESET = `apiVersion: tradeform/v1
kind: Preset
metadata: { name: base }
spec:
  for: sniper
  config:
    relay_mode: { tip_amount: 0.001, priority_fee: 0.0001, slippage: 15 }
    priority_mode: { tip_amount: 0.002, priority_fee: 0.0002, slippage: 25 }
    selected_dexes: [pump-fun, bags]
    dex_source: config
    auto_sell: { enabled: false, expiry_time: 0, tp_orders: [], sl_orders: [], follow_sell: false, proportional_sell: false }
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: 0 }
    timed_strategy: { enabled: false, orders: [] }
`;

function taskSet(number) {
  const rows = Array.from({ length: TASKS / SETS }, (_, row) => `  - {name: s${number}-${row}}\n`);
  return `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: set-${number} }
spec:
  for: sniper
  rows:
${rows.join('')}  task:
    spec:
      state: active
      remark: Row \${row.name}
      target_wallet: ${WALLET}
      extends: [base]
      config: { buy_amount: ${number + 1}.25 }
`;
}

const text = [PRESET, ...Array.from({ length: SETS }, (_, number) => taskSet(number))].join('---\n');
const project = new Source(
  'tradeform.yaml',
  'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n',
);
const { settings, manifest } = readProjectSettings(project, undefined);

function compiled() {
  const sources = [new Source('manifests/all.yaml', text)];
  const { state, diagnostics } = compile({ settings, project: manifest, sources, allRead: true });
  if (state?.tasks.length !== TASKS) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
  return state;
}

const state = compiled();
const cases = [
  { name: 'parse the YAML', run: () => parseAllDocuments(text).map((document) => document.toJS()) },
  { name: 'serialise the result as JSON', run: () => JSON.stringify(state.tasks) },
  { name: 'serialise the result as YAML', run: () => stringify(JSON.parse(JSON.stringify(state.tasks))) },
  { name: 'compile', run: compiled },
];
// Written out as YAML 10,000 tasks take long: a few runs tell enough.
const times = cases.map(({ name }) => ({ name, values: [] }));
for (let run = 0; run <= RUNS; run += 1) {
  for (const [index, { run: work, name }] of cases.entries()) {
    if (name.endsWith('as YAML') && run > 2) continue;
    const begun = process.hrtime.bigint();
    work();
    const elapsed = Number(process.hrtime.bigint() - begun) / 1e6;
    // The first run warms up.
    if (run > 0) times[index].values.push(elapsed);
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const [parse, json, yaml, compiling] = times.map(({ values }) => median(values));
console.log(
  `${TASKS} tasks from ${Math.round(text.length / 1024)} KiB, ${RUNS} runs, Node ${process.versions.node}; medians\n`,
);
for (const { name, values } of times)
  console.log(`${name.padEnd(32)}${median(values).toFixed(1).padStart(9)} ms`);
console.log(
  `\ncompile ÷ (parse + serialise as JSON)  ${(compiling / (parse + json)).toFixed(2)}  goal ≤ ${GOAL}`,
);
console.log(`compile ÷ (parse + serialise as YAML)  ${(compiling / (parse + yaml)).toFixed(2)}`);
