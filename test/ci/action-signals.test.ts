import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CANARY } from '../cmd/run.ts';
import { ROOT } from '../examples/program.ts';
import { onMain } from './workflow-event.ts';

/** Says every signal that it hears, and ends at the second. */
const PROGRAM = `
let heard = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {
  heard += 1;
  console.log('heard ' + heard);
  if (heard === 2) process.exit(130);
});
setTimeout(() => process.exit(1), 60_000);
console.log(Object.keys(process.env).join(' '));
console.log('begun');
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradeform-signals-'));
  copyFileSync(join(ROOT, 'dist/github-action.cjs'), join(folder, 'github-action.cjs'));
  writeFileSync(join(folder, 'tradeform.cjs'), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    stdio: ['ignore', 'pipe', 'inherit'],
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

it("passes on the first signal and the second, and no token; the exit code is tradeform's", async () => {
  const { child, said, ended } = begin();
  const log = await said('begun');
  expect(log).toMatch(/\bGITHUB_WORKSPACE\b/);
  for (const name of ['GITHUB_TOKEN', 'TRADEFORM_TOKEN', 'INPUT_COMMAND']) expect(log).not.toContain(name);
  child.kill('SIGINT');
  await said('heard 1');
  child.kill('SIGTERM');
  await said('heard 2');
  expect(await ended).toBe(130);
});

it.runIf(process.platform === 'linux')(
  'tradeform is in a group of its own, where a signal to the whole step does not come twice',
  async () => {
    const { child, said, ended } = begin();
    await said('begun');
    const pids = readdirSync('/proc').filter((name) => parentOf(name) === child.pid);
    expect(pids).toHaveLength(1);
    const group = statOf(pids[0] ?? '')?.[2];
    expect(group).toBe(Number(pids[0]));
    expect(group).not.toBe(child.pid);
    child.kill('SIGINT');
    await said('heard 1');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  },
);

/** State, parent and group of a process, which follow its name. */
function statOf(pid: string): readonly number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}

function parentOf(pid: string): number | undefined {
  return /^\d+$/.test(pid) ? statOf(pid)?.[1] : undefined;
}
