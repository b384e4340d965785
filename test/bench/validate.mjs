// `tradeform validate` against a bare parse of the same files, with an empty cache and with what the runs before left there.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';

const FLOOR = fileURLToPath(new URL('./parse-floor.mjs', import.meta.url));

export async function measureValidate({ program, work, say }, { tasks, runs }) {
  const project = join(work, 'project');
  const cache = join(work, 'cache-validate');
  writeProject(project, { tasks, labels: 1 });
  const validate = () => measure([program, 'validate', '-C', project], { env: { XDG_CACHE_HOME: cache } });
  const [floor, cold, warm, again] = [[], [], [], []];
  for (let run = 0; run < runs; run += 1) {
    say(`validate: ${tasks} manifests, run ${run + 1} of ${runs}`);
    floor.push(await measure([FLOOR, join(project, 'manifests')]));
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    cold.push(await validate());
    warm.push(await validate());
    again.push(await validate());
  }
  return [
    { case: 'validate, cold', tasks, floor, tradeform: cold },
    { case: 'validate, warm', tasks, floor, tradeform: warm },
    { case: 'validate, third run', tasks, floor, tradeform: again },
  ];
}
