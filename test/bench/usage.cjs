// Loaded before the programs that the bench measures: at their end it writes what they used, as one file a process.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.BENCH_USAGE;
if (folder !== undefined && isMainThread) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = { cpu: (userCPUTime + systemCPUTime) / 1_000, memory: maxRSS / 1_024 };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(usage));
  });
}
