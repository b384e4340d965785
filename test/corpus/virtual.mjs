/**
 * A process without chance: the clock stands still and moves on only with the timers of the program, ids are counted, and the port
 * of the sandbox is always {@link PORT}. Imported before the program.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const crypto = require('node:crypto');
const net = require('node:net');

/** Where examples/fleet-of-accounts looks for the sandbox. */
export const PORT = 8787;
export const BASE_URL = `http://127.0.0.1:${PORT}/v1`;
const START = Date.parse('2026-03-02T09:00:00Z');

let time = START;
let port = 0;
let ids = 0;
/** Requests without an answer, of the program and of people. */
const open = new Set();
let turns = 0;
/** The timers of the program. They pass one after the other, each as soon as nothing is on its way. */
const timers = new Set();
/** A line for each request, or undefined while nothing is recorded. */
let log;

/** As at the start; the sandbox listens on this port. */
export function restart(realPort) {
  time = START;
  ids = 0;
  timers.clear();
  port = realPort;
}

/** Milliseconds since 1970. */
export function now() {
  return time;
}

export function later(ms) {
  time += ms;
}

/** What `act` ends with, and a line for each request that was sent meanwhile. */
export async function logged(act) {
  log = new Map();
  try {
    return { ended: await act(), requests: [...log.values()] };
  } finally {
    log = undefined;
  }
}

class VirtualDate extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }
  static now() {
    return now();
  }
}

class Timer {
  constructor(run, ms = 0) {
    Object.assign(this, { run, at: time + ms });
    timers.add(this);
  }
  /** What keeps no process alive is upkeep: it never passes. */
  unref() {
    timers.delete(this);
    return this;
  }
  ref() {
    return this;
  }
}

function clear(timer) {
  timers.delete(timer);
}

const everyTurn = globalThis.setInterval;
Object.assign(globalThis, {
  Date: VirtualDate,
  setTimeout: (run, ms, ...args) => new Timer(() => run(...args), ms),
  setInterval: (run, ms) => new Timer(run, ms).unref(),
  clearTimeout: clear,
  clearInterval: clear,
});
Math.random = () => 0.5;
performance.now = () => time - START;
crypto.randomUUID = () => {
  ids += 1;
  return `${ids.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
};
const { connect } = net;
net.connect = (options, ...rest) =>
  connect(Number(options.port) === PORT ? { ...options, port } : options, ...rest);

everyTurn(() => {
  turns = open.size > 0 ? 0 : turns + 1;
  const [first] = [...timers].sort((one, other) => one.at - other.at);
  if (first === undefined || turns < 3) return;
  turns = 0;
  timers.delete(first);
  time = Math.max(time, first.at);
  first.run();
}, 1).unref();

subscribe('undici:request:create', ({ request }) => {
  open.add(request);
  const { method, path, headers, body } = request;
  const after = (name) => headers.flatMap((header, at) => (header === name ? [headers[at + 1]] : []));
  const words = [method, path, ...after('if-match'), ...after('idempotency-key'), body ?? ''];
  log?.set(request, words.join(' ').trim());
});
subscribe('undici:request:headers', ({ request, response }) => {
  if (log?.has(request)) log.set(request, `${log.get(request)} → ${response.statusCode}`);
});
for (const end of ['trailers', 'error']) {
  subscribe(`undici:request:${end}`, ({ request }) => {
    open.delete(request);
    turns = 0;
  });
}
