import type { Command } from 'commander';
import type { CommonOptions } from '../src/commands/options.ts';
import { CommandFailure } from '../src/diagnostics/diagnostic.ts';

/** The common options as the parser names them; `color` is decided when the terminal is opened. */
export interface ParsedCommon extends CommonOptions {
  readonly chdir?: string;
  readonly color: boolean;
}

/**
 * Options of the command and the common ones in one object. A format that the command does not print is a usage error.
 */
export function optionsOf<Own extends object>(
  command: Command,
  formats: readonly string[],
): Own & ParsedCommon & { output: string } {
  const options = command.optsWithGlobals<Own & ParsedCommon & { output: string }>();
  if (!formats.includes(options.output)) {
    throw new CommandFailure(3, [
      {
        severity: 'error',
        code: 'invalid-option',
        message: `\`tradeform ${command.name()}\` does not print ${options.output}`,
        hint: `Write -o ${formats.join(' or -o ')}.`,
      },
    ]);
  }
  return options;
}

/** What `-o` takes, in the help of one command. */
export function formatsHelp(...formats: readonly string[]): string {
  return `\nOutput formats of this command: -o ${formats.join(', -o ')}.\n`;
}

/** Collects a repeatable option. */
export function repeat(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}
