// Loaded before a program whose peak memory the bench measures, in MB.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const { USAGE } = process.env;
delete process.env.USAGE;
if (isMainThread && USAGE !== undefined)
  process.on('exit', () => writeFileSync(`${USAGE}/memory`, String(process.resourceUsage().maxRSS / 1_024)));
