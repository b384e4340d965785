// All tests, for the nightly run: npm run test:full
//   1. what `npm test` runs, with all cases of the long lists (simulation, kills, signals, races, properties) instead of a sample
//   2. the planted bugs, each of which some test must catch
//   3. an eighth of the mutants of src/core/act, src/core/plan and src/core/service; the other eighths follow day by day
//   4. the manifests for Kubernetes against a control plane, where the machine has etcd and Go
// A failed part does not stop the next one. The exit code is the first code that is not 0.
import { spawnSync } from 'node:child_process';

const program = process.env.npm_execpath;
if (program === undefined) throw new Error('npm starts this: npm run test:full');
const env = { ...process.env, TRADEFORM_TEST: 'full' };
const eighth = (Math.floor(Date.now() / 86_400_000) % 8) + 1;
const parts = [
  ['test'],
  ['run', 'planted'],
  ['run', 'mutate', '--', '--quick', '--part', `${eighth}/8`],
  ['run', 'test:kubernetes', '--', '--if-possible'],
];
for (const words of parts) {
  const { status } = spawnSync(process.execPath, [program, ...words], { stdio: 'inherit', env });
  process.exitCode ||= status ?? 1;
}
