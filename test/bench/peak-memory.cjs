// Loaded before a program whose peak memory, in MB, and processor time, in seconds, the bench measures.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const { USAGE } = process.env;
delete process.env.USAGE;
if (isMainThread && USAGE !== undefined)
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(`${USAGE}/memory`, String(maxRSS / 1_024));
    writeFileSync(`${USAGE}/cpu`, String((userCPUTime + systemCPUTime) / 1e6));
  });
