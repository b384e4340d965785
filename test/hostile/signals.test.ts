import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { openTerminal } from '../../cmd/terminal.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { CANARY, EXECUTABLE, folder } from '../cmd/run.ts';
import { FULL } from '../support/sample.ts';
import { project, sniper } from './bounded.ts';
import type { Event } from './observe.ts';

const OBSERVER = join(import.meta.dirname, 'observer.cjs');

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Signalled {
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What it has to do first, as the observer tells it, or as the service that it asks does. */
  readonly after: ((event: Event) => boolean) | Promise<unknown>;
  readonly signal: NodeJS.Signals;
}

/** Runs tradeform under the observer, sends the signal as soon as it has done something, and says how it ended. */
async function signalled({ args, files, env = {}, after, signal }: Signalled): Promise<Ended> {
  const { path } = folder(files);
  const child = spawn(process.execPath, ['--require', OBSERVER, EXECUTABLE, ...args], {
    cwd: path,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const events = createInterface({ input: child.stdio[3] as Readable });
  events.on('line', (line) => {
    if (typeof after === 'function' && after(JSON.parse(line) as Event)) child.kill(signal);
  });
  if (typeof after !== 'function') void after.then(() => child.kill(signal));
  const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal: by, ...output };
}

/** One file, which is read at one go: seconds in which no handler of a signal could run. */
const LONG = {
  'tradeform.yaml': project(),
  'manifests/a.yaml': Array.from({ length: 15_000 }, (_, index) => sniper(`t${index}`)).join(''),
};

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const BUSY = ['validate', 'plan', 'drift', 'fmt'];

it.each(SIGNALS)('%s ends a run that is busy with files, at once', async (signal) => {
  // Each with every signal, or in `npm test` with one.
  for (const command of BUSY.filter(
    (_, index) => FULL || index % SIGNALS.length === SIGNALS.indexOf(signal),
  )) {
    const ended = await signalled({
      args: [command, '-o', 'json'],
      files: LONG,
      after: (event) => event.event === 'read' && event.path.endsWith('/a.yaml'),
      signal,
    });
    // With a handler it would go on to its end, and end with a code of its own.
    expect({ command, ...ended }).toEqual({ command, code: null, signal, stdout: '', stderr: '' });
  }
});

it.each([
  ['SIGTERM', 'plan'],
  ['SIGINT', 'plan'],
  ['SIGINT', 'doctor'],
] as const)('%s while %s waits for the service: exit 130, one JSON document', async (signal, command) => {
  // It never answers.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, stdout, stderr } = await signalled({
    args: [command, '-o', 'json'],
    files: { 'tradeform.yaml': project(), 'manifests/a.yaml': sniper('a') },
    env: { TRADEFORM_BASE_URL: `http://127.0.0.1:${port}/v1`, TRADEFORM_TOKEN: CANARY },
    after: once(server, 'request'),
    signal,
  });
  server.closeAllConnections();
  server.close();
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 130, diagnostics: [{ code: 'interrupted' }] });
});

it('signals are handled while the run waits, and not while a plan is computed', async () => {
  const { io } = openTerminal([], new Masking());
  const handlers = () => process.listenerCount('SIGTERM');
  const before = handlers();
  const release = io.stop.hear?.();
  const again = io.stop.hear?.();
  expect(handlers()).toBe(before + 1);
  expect(await io.stop.unheard?.(handlers)).toBe(before);
  expect(handlers()).toBe(before + 1);
  again?.();
  expect(handlers()).toBe(before + 1);
  release?.();
  release?.();
  expect(handlers()).toBe(before);
  await io.stop.unheard?.(() => undefined);
  expect(handlers()).toBe(before);
});
