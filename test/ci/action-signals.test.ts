import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CANARY } from '../cmd/run.ts';
import { ROOT } from '../examples/program.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { onMain } from './workflow-event.ts';

/** Says every signal that it hears and the end of its input, and ends at the second signal. */
const PROGRAM = `
let heard = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {
  heard += 1;
  console.log('heard ' + heard + ': ' + name);
  if (heard === 2) process.exit(130);
});
setTimeout(() => process.exit(1), 60_000);
process.stdin.once('end', () => console.log('no input')).resume();
console.log(Object.keys(process.env).join(' '));
console.log('process ' + process.pid);
console.log('begun');
`;

let folder: string;
beforeAll(() => {
  folder = temporaryFolder('signals');
  copyFileSync(join(ROOT, 'dist/github-action.cjs'), join(folder, 'github-action.cjs'));
  writeFileSync(join(folder, 'tradeform.cjs'), PROGRAM);
});

/** The built action with that program beside it. */
function begin(): {
  child: ChildProcess;
  /** The log, as soon as it has this text. */
  said(text: string): Promise<string>;
  ended: Promise<number | null>;
} {
  const child = spawn(process.execPath, [join(folder, 'github-action.cjs')], {
    env: {
      PATH: process.env.PATH ?? '',
      GITHUB_REPOSITORY: 'desk/tasks',
      GITHUB_WORKSPACE: folder,
      INPUT_COMMAND: 'validate',
      GITHUB_TOKEN: 'ghs_canary',
      TRADEFORM_TOKEN: CANARY,
      ...onMain(folder, 'push'),
    },
    // The input stays open: tradeform must not wait for it.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let log = '';
  const waiting = new Map<string, () => void>();
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
    for (const [text, resolve] of waiting) if (log.includes(text)) resolve();
  });
  return {
    child,
    said: async (text) => {
      if (!log.includes(text)) await new Promise<void>((resolve) => waiting.set(text, resolve));
      return log;
    },
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

it("passes on no token, the first signal as SIGINT and the second as SIGTERM; the exit code is tradeform's", async () => {
  const { child, said, ended } = begin();
  const log = await said('begun');
  expect(log).toMatch(/\bGITHUB_WORKSPACE\b/);
  for (const name of ['GITHUB_TOKEN', 'TRADEFORM_TOKEN', 'INPUT_COMMAND']) expect(log).not.toContain(name);
  // Not the names that are passed on: the first must end an apply softly, the second at once.
  child.kill('SIGTERM');
  await said('heard 1');
  child.kill('SIGINT');
  expect((await said('heard 2')).match(/heard .*/g)).toEqual(['heard 1: SIGINT', 'heard 2: SIGTERM']);
  expect(await ended).toBe(130);
});

it('a tradeform that is killed has failed', async () => {
  const { said, ended } = begin();
  process.kill(pidIn(await said('begun')), 'SIGKILL');
  expect(await ended).toBe(1);
});

it('tradeform has no input', async () => {
  const { said, ended } = begin();
  process.kill(pidIn(await said('no input')), 'SIGKILL');
  await ended;
});

it.runIf(process.platform === 'linux')(
  'tradeform is in a group of its own, where a signal to the whole step does not come twice',
  async () => {
    const { child, said, ended } = begin();
    const pid = pidIn(await said('begun'));
    expect(statOf(pid).slice(1, 3)).toEqual([child.pid, pid]);
    child.kill('SIGINT');
    await said('heard 1');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  },
);

/** The process that the log names. */
function pidIn(log: string): number {
  return Number(/^process (\d+)$/m.exec(log)?.[1]);
}

/** State, parent and group of a process, which follow its name. */
function statOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}
