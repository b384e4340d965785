import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Event } from '../../src/forge/event.ts';
import { workflowCommand } from '../../src/render/formats/github.ts';
import type { Masking } from '../../src/render/masking/masking.ts';
import { visible } from '../../src/render/untrusted.ts';
import type { Inputs } from './inputs.ts';

interface Starting {
  readonly cwd: string;
  /** These variables and no others. */
  readonly env: NodeJS.ProcessEnv;
  /** stdout is returned and not shown. */
  readonly keep: boolean;
}

/** Starts tradeform. */
export type StartTradeform = (
  args: readonly string[],
  how: Starting,
) => {
  /** Empty unless it is kept. */
  readonly stdout: Promise<string>;
  /** The exit code. Rejects if it could not be started. */
  readonly ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
};

/** Everything that one run of the action has. */
export interface ActionRun {
  readonly inputs: Inputs;
  readonly event: Event;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly start: StartTradeform;
  /** Absolute. */
  readonly cwd: string;
  /** For the reports of tradeform and what was approved. It is removed afterwards. */
  readonly folder: string;
  /** The token that writes comments and issues. Empty without one. */
  readonly forgeToken: string;
  /** Hides the tokens. */
  readonly masking: Masking;
}

/** What the step itself says. tradeform writes its own lines. */
export interface Log {
  annotate(level: 'notice' | 'warning' | 'error', text: string): void;
  output(name: string, value: string): void;
}

export function openLog(
  write: (text: string) => void,
  env: Readonly<Record<string, string | undefined>>,
  masking: Masking,
): Log {
  return {
    annotate: (level, text) =>
      write(`${workflowCommand(level, { title: 'tradeform' }, masking.text(visible(text)))}\n`),
    output(name, value) {
      const file = env.GITHUB_OUTPUT;
      if (file === undefined || file === '') return;
      // Nobody can guess the delimiter, so a value cannot end itself and begin another output.
      const delimiter = `end-${randomBytes(16).toString('hex')}`;
      appendFileSync(file, `${name}<<${delimiter}\n${masking.text(value)}\n${delimiter}\n`);
    },
  };
}
