// `tradeform apply` of config changes on running tasks: how near it comes to what its requests take at the least, and how long
// each task is paused.
import { join } from 'node:path';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';
import { startService } from './service.mjs';
import { mean } from './statistics.mjs';

/** Some amounts can fall and rise. */
const REVISION = 5;

/** So many tasks have the wanted number of running ones among them. */
const tasksFor = (changes) => Math.ceil((changes * 4) / 3) + 10;

/** Of each run: wall time, the least that its requests take, mean pause and round trip, in milliseconds. */
export async function measureApply(
  { program, work, bundle },
  { changes, latency, concurrency, runs, mixed = false },
) {
  const project = join(work, 'project');
  const tasks = tasksFor(changes);
  writeProject(project, { tasks, labels: 1, revision: REVISION, changed: changes, mixed });
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    const service = await startService(bundle, { tasks, labels: 1, revision: REVISION });
    try {
      await service.setLatency(latency);
      await service.figures();
      const env = { TRADEFORM_BASE_URL: service.baseUrl, TRADEFORM_TOKEN: service.token };
      const args = ['apply', '--auto-approve', '--concurrency', String(concurrency), '-C', project];
      const taken = await measure([program, ...args], { env });
      const figures = await service.figures();
      const paused = pausedTimes(await service.log());
      if (paused.length !== changes)
        throw new Error(`${paused.length} tasks were paused and resumed, not ${changes}`);
      results.push({
        wall: taken.wall,
        roundTrip: figures.roundTrip,
        least: (figures.requests * latency) / concurrency,
        paused: mean(paused),
      });
    } finally {
      await service.stop();
    }
  }
  return results;
}

/** Milliseconds from the answer to a task's pause to the answer to its resume, by the service's own clock. */
function pausedTimes(log) {
  const since = new Map();
  const times = [];
  for (const { at, method, path, status } of log) {
    const [, task, verb] = /^(.+)\/(pause|resume)$/.exec(path) ?? [];
    if (method !== 'POST' || status !== 200 || task === undefined) continue;
    if (verb === 'pause') since.set(task, at);
    else if (since.has(task)) times.push(at - since.get(task));
  }
  return times;
}
