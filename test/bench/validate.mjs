// `tradeform validate` against a bare parse of the same files.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';

const FLOOR = fileURLToPath(new URL('./parse-floor.mjs', import.meta.url));

export async function measureValidate({ program, work, say }, { tasks, runs }) {
  const project = join(work, 'project');
  writeProject(project, { tasks, labels: 1 });
  const [floor, tradeform] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    say(`validate: ${tasks} manifests, run ${run + 1} of ${runs}`);
    floor.push(await measure([FLOOR, join(project, 'manifests')]));
    tradeform.push(await measure([program, 'validate', '-C', project]));
  }
  return [{ case: 'validate', tasks, floor, tradeform }];
}
