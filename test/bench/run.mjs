// npm run bench: tradeform against floors that are taken in the same run. See options.mjs for what can be chosen.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureApply } from './apply.mjs';
import { goals } from './goals.mjs';
import { HELP, readOptions } from './options.mjs';
import { measurePlan } from './plan.mjs';
import { bundleSandbox } from './service.mjs';
import { measureStartup } from './startup.mjs';
import { applyTable, goalsTable, growthTable, planTable, startupTable } from './tables.mjs';
import { measureValidate } from './validate.mjs';

/** Manifests where reading alone is of interest. */
const FEW = 10;

const options = readOptions(process.argv.slice(2));
if (options === undefined) console.log(HELP);
else await bench(options);

async function bench({ only, program, sizes, latencies, runs, goalSize, changes }) {
  const work = mkdtempSync(join(tmpdir(), 'tradeform-bench-'));
  const say = (text) => process.stderr.write(`${text}\n`);
  const context = { program, work, say, bundle: await bundleSandbox(work) };
  const runsOf = (tasks) => (tasks > 10_000 ? 1 : runs);
  const measured = { plans: [], validates: [] };
  const load = () =>
    loadavg()
      .map((value) => value.toFixed(1))
      .join(' ');
  console.log(`Node ${process.versions.node}, ${cpus().length} cores, load ${load()} at the beginning\n`);
  const plan = async (settings) => {
    measured.plans.push(...(await measurePlan(context, settings)));
  };
  try {
    if (only.includes('startup')) {
      measured.startup = measureStartup(context, { runs: Math.max(15, runs) });
      console.log(startupTable(measured.startup));
    }
    if (only.includes('plan')) {
      for (const tasks of sizes) await plan({ tasks, labels: 1, latencies, runs: runsOf(tasks) });
      await plan({ tasks: goalSize, labels: 20, latencies, runs });
      const waiting = latencies.filter((latency) => latency > 0).slice(0, 1);
      for (const labels of [1, 20]) {
        await plan({ tasks: goalSize, labels, latencies: waiting, runs, owned: FEW });
      }
      console.log(planTable(measured.plans));
      console.log(growthTable(measured.plans));
    }
    if (only.includes('validate')) {
      measured.validates = await measureValidate(context, { tasks: goalSize, runs });
      console.log(planTable(measured.validates));
    }
    if (only.includes('apply')) {
      measured.apply = await measureApply(context, { changes, latency: 20, concurrency: 16, runs });
      console.log(applyTable(measured.apply));
    }
    console.log(goalsTable(goals(measured, { goalSize, changes })));
    console.log(`load ${load()} at the end`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
