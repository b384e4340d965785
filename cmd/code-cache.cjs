// Loaded by the build before the executable: when the process ends, what V8 compiled of each chunk is written beside it.
const { existsSync, statSync, writeFileSync } = require('node:fs');
const vm = require('node:vm');

const scripts = [];

/** The same in load-chunk.ts, which reads the caches. */
const { size, mtimeMs } = statSync(process.execPath);
const tag = `${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`;

vm.Script = class extends vm.Script {
  constructor(text, options) {
    // Without the cache that is there: what is written must hold everything that this run needed.
    super(text, { filename: options.filename });
    scripts.push([`${options.filename}.${tag}.cache`, this]);
  }
};

process.on('exit', () => {
  for (const [path, script] of scripts) {
    const data = script.createCachedData();
    if (!existsSync(path) || statSync(path).size < data.length) writeFileSync(path, data);
  }
});
