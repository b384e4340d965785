import { Argument, type Command } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import { readPackaged } from '../../src/command/packaged.ts';
import { type Candidate, complete } from '../complete.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

/** The command that the scripts in `cmd/completion/` call: its arguments are the words so far, and the last one is completed. */
const COMPLETE = '__complete';

export function addCompletion(program: Command, choose: Choose): void {
  const declared = program
    .command('completion')
    .description('print a script that completes commands, options and addresses')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(['bash', 'zsh', 'fish']));
  runs<CommonOptions, string>(declared, choose, { formats: ['text'] }, async (_options, io, shell) => {
    io.stdout(readPackaged(`cmd/completion/tradeform.${shell}`));
    return 0;
  });
  program
    .command(COMPLETE, { hidden: true })
    .argument('[word...]')
    .action((words: readonly string[]) => {
      choose({
        chdir: undefined,
        stopsSoftly: false,
        run: async (io) => {
          const { valuesOf } = await import('../../src/features/complete/values.ts');
          const found = await complete(program, words, (kind, given, typed) =>
            valuesOf(kind, given, typed, io),
          );
          io.stdout(found.filter(isOneLine).map(lineOf).join(''));
          return 0;
        },
      });
    });
}

/**
 * Names on the service and of branches may contain anything. A line break would create another candidate, and an escape would
 * reach the terminal.
 */
function isOneLine({ value }: Candidate): boolean {
  return !/\p{Cc}|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value);
}

/** tradeform wrote the descriptions. Every shell reads the rest of a line as the description. */
function lineOf({ value, description }: Candidate): string {
  return description === '' ? `${value}\n` : `${value}\t${description}\n`;
}
