import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openTerminal } from '../../cmd/terminal.ts';
import { Masking } from '../../src/render/masking/masking.ts';
import { CANARY, EXECUTABLE, folder } from '../cmd/run.ts';
import { project, sniper } from './bounded.ts';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

/** Runs tradeform, sends the signal once `ready` is done, and says how it ended. */
async function signalled(
  args: readonly string[],
  {
    files,
    env = {},
    ready,
  }: { files: Record<string, string>; env?: Record<string, string>; ready: () => Promise<unknown> },
  signal: NodeJS.Signals,
): Promise<Ended> {
  const { path, remove } = folder(files);
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    cwd: path,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const closed = once(child, 'close');
  await ready();
  child.kill(signal);
  const [code, by] = (await closed) as [number | null, NodeJS.Signals | null];
  remove();
  return { code, signal: by, stdout };
}

/** One file, which is read at one go: seconds in which no handler of a signal could run. */
const LONG = {
  'tradeform.yaml': project(),
  'manifests/a.yaml': Array.from({ length: 15_000 }, (_, index) => sniper(`t${index}`)).join(''),
};

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a run that is busy with files, at once',
  async (signal) => {
    for (const command of ['validate', 'plan', 'drift', 'fmt']) {
      const ended = await signalled(
        [command, '-o', 'json'],
        { files: LONG, ready: () => wait(1_500) },
        signal,
      );
      // With a handler it would go on to its end, and end with a code of its own.
      expect({ command, ...ended }).toEqual({ command, code: null, signal, stdout: '' });
    }
  },
);

it('SIGTERM while the service is asked: exit 130, one JSON document', async () => {
  let asked: () => void = () => undefined;
  const asking = new Promise<void>((resolve) => {
    asked = resolve;
  });
  // It never answers.
  const server = createServer(() => asked()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { TRADEFORM_BASE_URL: `http://127.0.0.1:${port}/v1`, TRADEFORM_TOKEN: CANARY };
  const files = { 'tradeform.yaml': project(), 'manifests/a.yaml': sniper('a') };
  const ended = await signalled(['plan', '-o', 'json'], { files, env, ready: () => asking }, 'SIGTERM');
  server.closeAllConnections();
  server.close();
  expect({ code: ended.code, signal: ended.signal }).toEqual({ code: 130, signal: null });
  expect(JSON.parse(ended.stdout)).toMatchObject({ exit_code: 130, diagnostics: [{ code: 'interrupted' }] });
});

it('signals are heard while somebody waits, and not while a plan is computed', async () => {
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
