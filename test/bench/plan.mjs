// `tradeform plan` on an account that is as the manifests want it, against the floor of its requests.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';
import { startService } from './service.mjs';

const FLOOR = fileURLToPath(new URL('./plan-floor.mjs', import.meta.url));

/**
 * One size and number of labels over several latencies, floor and tradeform in turn. With `owned` the manifests describe so many
 * of the tasks only: what is left is reading.
 */
export async function measurePlan(
  { program, work, bundle, say },
  { tasks, labels, latencies, runs, owned = tasks },
) {
  const project = join(work, 'project');
  writeProject(project, { tasks: owned, labels });
  const service = await startService(bundle, { tasks, labels, owned });
  try {
    const floorEnv = { BENCH_BASE_URL: service.baseUrl, BENCH_TOKEN: service.token };
    const env = { TRADEFORM_BASE_URL: service.baseUrl, TRADEFORM_TOKEN: service.token };
    const plan = async () => {
      const run = await measure([program, 'plan', '-C', project], { env });
      if (!run.stdout.includes('No changes.'))
        throw new Error(`the plan is not empty\n${run.stdout.slice(0, 2_000)}`);
      return { ...run, service: await service.figures() };
    };
    const results = [];
    for (const latency of latencies) {
      await service.setLatency(latency);
      await service.figures();
      const floor = [];
      const tradeform = [];
      for (let run = 0; run < runs; run += 1) {
        say(`plan: ${tasks} tasks, ${labels} labels, ${latency} ms, run ${run + 1} of ${runs}`);
        floor.push({ ...(await measure([FLOOR], { env: floorEnv })), service: await service.figures() });
        tradeform.push(await plan());
      }
      results.push({
        case: owned === tasks ? 'plan' : `plan, ${owned} manifests`,
        tasks,
        owned,
        labels,
        latency,
        floor,
        tradeform,
      });
    }
    return results;
  } finally {
    await service.stop();
  }
}
