// Loaded by node before the program (`node --require`). Writes one line of JSON to descriptor 3 for each thing that the program
// does to the world. Of files only what succeeded counts; a start, a connection and a lookup count whatever came of them.
const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const workers = require('node:worker_threads');

const { writeSync, realpathSync } = fs;
const SINK = 3;

function say(event) {
  writeSync(SINK, `${JSON.stringify(event)}\n`);
}

/** `name` is where the link or file itself lies, `real` what it leads to. */
function placeOf(file) {
  const text = file instanceof URL ? fileURLToPath(file) : String(file);
  const name = path.resolve(text);
  return { name: path.join(real(path.dirname(name)), path.basename(name)), real: real(name) };
}

/** Of the nearest part that exists. */
function real(name) {
  try {
    return realpathSync(name);
  } catch {
    const above = path.dirname(name);
    return above === name ? name : path.join(real(above), path.basename(name));
  }
}

/** Calls whose first argument is read, and those that change it; of the last, two arguments count. */
const READS = ['readFile', 'readdir', 'opendir', 'createReadStream', 'openAsBlob'];
const WRITES = ['writeFile', 'appendFile', 'truncate', 'createWriteStream'];
const CHANGES = [
  'mkdir',
  'mkdtemp',
  'rm',
  'rmdir',
  'unlink',
  'chmod',
  'chown',
  'utimes',
  'lutimes',
  'lchown',
];
const MOVES = ['rename', 'copyFile', 'cp', 'link', 'symlink'];

function note(kind, call, args) {
  if (typeof args[0] === 'number' || (typeof args[0] === 'object' && 'fd' in args[0])) return;
  if (kind === 'open') {
    const flags = args[1];
    const changes =
      typeof flags === 'number'
        ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0
        : /[wa+]/.test(flags ?? 'r');
    say({ event: changes ? 'write' : 'read', call, path: placeOf(args[0]).real });
  } else if (kind === 'move') {
    if (call.startsWith('copyFile') || call.startsWith('cp'))
      say({ event: 'read', call, path: placeOf(args[0]).real });
    else if (call.startsWith('rename')) say({ event: 'write', call, path: placeOf(args[0]).name });
    say({ event: 'write', call, path: placeOf(args[1]).name });
  } else {
    const { name, real } = placeOf(args[0]);
    say({ event: kind === 'read' ? 'read' : 'write', call, path: kind === 'change' ? name : real });
  }
}

const KINDS = [
  ['read', READS],
  ['write', WRITES],
  ['change', CHANGES],
  ['move', MOVES],
  ['open', ['open']],
];

for (const [kind, names] of KINDS) {
  for (const name of names) {
    wrap(fs, `${name}Sync`, (was, args) => {
      const result = was(...args);
      note(kind, `${name}Sync`, args);
      return result;
    });
    wrap(fs.promises, name, async (was, args) => {
      const result = await was(...args);
      note(kind, name, args);
      return result;
    });
    wrap(fs, name, (was, args) => {
      const last = args.at(-1);
      if (typeof last !== 'function') {
        // A stream.
        note(kind, name, args);
        return was(...args);
      }
      return was(...args.slice(0, -1), (error, ...rest) => {
        if (!error) note(kind, name, args);
        last(error, ...rest);
      });
    });
  }
}

const processes = require('node:child_process');
wrap(processes.ChildProcess.prototype, 'spawn', function (was, [options]) {
  say({ event: 'start', file: options.file, args: options.args.slice(1), cwd: options.cwd ?? process.cwd() });
  return was.call(this, options);
});
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  wrap(processes, name, (was, args) => {
    const list = Array.isArray(args[1]) ? args[1] : [];
    say({ event: 'start', file: String(args[0]), args: list, cwd: args.at(-1)?.cwd ?? process.cwd() });
    return was(...args);
  });
}

const net = require('node:net');
wrap(net.Socket.prototype, 'connect', function (was, args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const where = typeof first === 'object' ? first : { port: first, host: second };
  say({ event: 'connect', to: where.path ?? `${where.host ?? 'localhost'}:${where.port}` });
  return was.apply(this, args);
});
const datagrams = require('node:dgram');
for (const name of ['send', 'connect']) {
  wrap(datagrams.Socket.prototype, name, function (was, args) {
    say({
      event: 'connect',
      to: `udp ${args
        .slice(1)
        .filter((one) => typeof one !== 'function')
        .join(' ')}`,
    });
    return was.apply(this, args);
  });
}
const dns = require('node:dns');
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.getOwnPropertyNames(owner).filter((one) =>
    /^(lookup|resolve|reverse)/.test(one),
  )) {
    wrap(owner, name, function (was, args) {
      // An address is only passed through.
      if (net.isIP(String(args[0])) === 0) say({ event: 'lookup', name: String(args[0]) });
      return was.apply(this, args);
    });
  }
}

/** Threads are observed as well, whatever options and environment they are given. */
workers.Worker = class extends workers.Worker {
  constructor(file, options = {}) {
    say({ event: 'thread', file: String(file) });
    super(file, { ...options, execArgv: ['--require', __filename, ...(options.execArgv ?? [])] });
  }
};

if (workers.isMainThread) {
  process.on('exit', (code) => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    say({ event: 'end', code, cpu: (userCPUTime + systemCPUTime) / 1e6 });
  });
}

function wrap(owner, name, instead) {
  const was = owner[name];
  if (typeof was !== 'function') return;
  const wrapped = function (...args) {
    return instead.call(this, was, args);
  };
  // Custom promisified forms go past the wrapped function, which would not be seen.
  owner[name] = Object.assign(wrapped, was);
}
