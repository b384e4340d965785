import { dirname, join } from 'node:path';
import { processOf, runAction } from './action.ts';

// Started by action.yml. The tradeform of the same build lies beside it.
void runAction({
  env: process.env,
  start: processOf(join(dirname(process.argv[1] ?? ''), 'tradeform.cjs')),
  write: (text) => process.stdout.write(text),
}).then((code) => {
  process.exitCode = code;
});
