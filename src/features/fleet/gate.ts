import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { interruption } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import { SYSTEM_CLOCK } from '../../service/http/clock.ts';
import type { UnitEnd } from './run-unit.ts';

/**
 * Why a unit does not match its manifests, according to a new plan. Undefined if it matches. `before` is the approved plan: tasks
 * that it knew as held may stay held.
 */
export function unsettled(
  { unit, code, document }: UnitEnd,
  before: JsonObject | undefined,
): string | undefined {
  const approved = before as unknown as Plan | undefined;
  if (code !== 0 || document?.format !== 'tradeform.plan/1') return `${unit.name} could not be read again`;
  const plan = document as unknown as Plan;
  if (!plan.complete) return `the view of ${unit.name} is incomplete`;
  if (plan.operations.length > 0) return `${unit.name} does not match its manifests`;
  const known = new Set(heldIn(approved));
  const stopped = heldIn(plan).find((address) => !known.has(address));
  return stopped === undefined ? undefined : `${stopped} of ${unit.name} was stopped in the meantime`;
}

function heldIn(plan: Plan | undefined): readonly string[] {
  return (plan?.changes ?? []).flatMap(({ held, address }) => (held ? [address] : []));
}

const INTERRUPTED = 'interrupted before the wave was proven';

/** Waits. Fails with 130 if it is interrupted. */
export async function soak(milliseconds: number, { stop }: Pick<Io, 'stop'>): Promise<void> {
  const end = SYSTEM_CLOCK.now() + milliseconds;
  if (stop.soft.aborted) throw interruption(INTERRUPTED);
  await new Promise<void>((resolve, reject) => {
    const wait = () => {
      const left = end - SYSTEM_CLOCK.now();
      if (left <= 0) return resolve();
      // In steps, so that the time during which a machine slept counts.
      timer = setTimeout(wait, Math.min(left, 1_000));
    };
    let timer: NodeJS.Timeout | undefined;
    stop.soft.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(interruption(INTERRUPTED));
    });
    wait();
  });
}

/**
 * Runs the operator's command in a shell. Undefined if it ends with 0, else what happened. The command gets no token of the fleet,
 * and its output goes to stderr.
 */
export async function gateFailure(command: string, env: Io['env'], io: Io): Promise<string | undefined> {
  if (io.stop.soft.aborted) throw interruption(INTERRUPTED);
  const child = spawn(command, {
    shell: true,
    cwd: io.cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, which can be ended with everything that the shell started.
    detached: process.platform !== 'win32',
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', io.stderr);
  const onStop = () => end(child, 'SIGTERM');
  const onHard = () => end(child, 'SIGKILL');
  io.stop.soft.addEventListener('abort', onStop);
  io.stop.hard.addEventListener('abort', onHard);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(`the gate could not be run: ${error.message}`));
      child.once('close', (code, signal) =>
        resolve(code === 0 ? undefined : `the gate ended with ${code ?? signal}: ${command}`),
      );
    });
  } finally {
    io.stop.soft.removeEventListener('abort', onStop);
    io.stop.hard.removeEventListener('abort', onHard);
  }
}

/**
 * Ends the shell and everything that it started. Windows has no process groups. A process that ignores the signal would keep the
 * streams open.
 */
function end(child: ChildProcessByStdio<null, Readable, Readable>, signal: NodeJS.Signals): void {
  const { pid, stdout, stderr } = child;
  for (const stream of [stdout, stderr]) stream.destroy();
  if (pid === undefined || process.platform === 'win32') {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Everything has ended.
  }
}
