// Everything that `npm test` runs, with all cases of the long lists (simulation, kills, signals, races) instead of a sample: npm run test:full
import { spawnSync } from 'node:child_process';

const program = process.env.npm_execpath;
if (program === undefined) throw new Error('npm starts this: npm run test:full');
const env = { ...process.env, TRADEFORM_TEST: 'full' };
const { status } = spawnSync(process.execPath, [program, 'test'], { stdio: 'inherit', env });
process.exitCode = status ?? 1;
