import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAction } from '../../cmd/github-action/action.ts';
import type { StartTradeform } from '../../cmd/github-action/run.ts';
import { CANARY } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Answer, type Call, standIn } from './child.ts';
import { FORGE_TOKEN, REPOSITORY } from './host.ts';

export interface Step {
  readonly code: number;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
}

export interface StepOptions {
  /** As under `with:`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly event: (folder: string) => Record<string, string>;
  /** What tradeform answers, by command. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the one that gives the answers. */
  readonly start?: StartTradeform;
  /** Puts something into the workspace first. */
  readonly prepare?: (folder: string) => void;
}

/** One step of the action in this process, with a stand-in for tradeform. */
export async function step(options: StepOptions): Promise<Step> {
  const folder = temporaryFolder('action');
  const calls: Call[] = [];
  options.prepare?.(folder);
  const event = options.event(folder);
  writeFileSync(join(folder, 'output'), '');
  let log = '';
  const write = (text: string) => {
    log += text;
  };
  const code = await runAction({
    env: {
      PATH: process.env.PATH,
      TRADEFORM_TOKEN: CANARY,
      GITHUB_WORKSPACE: folder,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_TOKEN: FORGE_TOKEN,
      ...event,
      ...inputVariables(options.inputs),
      ...options.env,
    },
    start: options.start ?? standIn(options.answers, calls, write),
    write,
  });
  const outputs = outputsOf(join(folder, 'output'));
  return { code, log, outputs, calls };
}

export function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      `INPUT_${name.toUpperCase().replaceAll('-', '_')}`,
      value,
    ]),
  );
}

/** What a step wrote to GITHUB_OUTPUT, read as the runner reads it. */
export function outputsOf(file: string): Record<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const outputs: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 1) {
    const [, name, mark] = /^([\w-]+)<<(.+)$/.exec(lines[index] ?? '') ?? [];
    if (name === undefined || mark === undefined) continue;
    const end = lines.indexOf(mark, index + 1);
    outputs[name] = lines.slice(index + 1, end).join('\n');
    index = end;
  }
  return outputs;
}
