import { dirname, join } from 'node:path';
import { VERSION } from '../../src/command/version.ts';
import { SYSTEM_CLOCK, SYSTEM_RANDOM } from '../../src/service/http/clock.ts';
import { runAction } from './action.ts';
import { processOf } from './child.ts';

// Started by action.yml. The tradeform of the same build lies beside it.
void runAction({
  env: process.env,
  start: processOf(join(dirname(process.argv[1] ?? ''), 'tradeform.cjs')),
  version: VERSION,
  clock: SYSTEM_CLOCK,
  random: SYSTEM_RANDOM,
  write: (text) => process.stdout.write(text),
}).then((code) => {
  process.exitCode = code;
});
