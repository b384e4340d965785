// `tradeform pause --all`: how long after the start of the process the first and the last task are paused, beside a bare program
// that sends the same pauses. Over TLS, in an account where one of five tasks runs.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';
import { startService } from './service.mjs';

const FLOOR = fileURLToPath(new URL('./pause-floor.mjs', import.meta.url));

/** Of each run: milliseconds to the first and to the last pause, of the floor and of tradeform. */
export async function measurePause({ program, work, bundle }, { tasks, latency, runs }) {
  const project = join(work, 'project');
  const sizes = { tasks, labels: 1, few: true };
  writeProject(project, sizes);
  const paused = async (args) => {
    const service = await startService(bundle, sizes);
    try {
      await service.setLatency(latency);
      const { begun } = await measure(args, { env: service.env });
      const answered = (await service.log()).filter(
        ({ path, status }) => /\/pause$/.test(path) && status === 200,
      );
      const times = answered.map(({ at }) => at - begun);
      return { first: Math.min(...times), last: Math.max(...times), count: times.length };
    } finally {
      await service.stop();
    }
  };
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    const floor = await paused([FLOOR]);
    const own = await paused([program, 'pause', '--all', '-q', '-C', project]);
    if (floor.count !== own.count || own.count === 0)
      throw new Error(`the floor paused ${floor.count} tasks and tradeform ${own.count}`);
    results.push({ floor, own });
  }
  return results;
}
