import type { Command } from 'commander';
import type { ValidateOptions } from '../../src/features/validate.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, afterHelp, optionsOf } from '../options.ts';

const EXAMPLES = `
Every problem is reported at once, with file, line, column and what to write
instead. Nothing is sent.

Examples:
  $ tradeform validate
  $ tradeform validate -e production
  $ tradeform validate -C strategies -o json
`;

export function addValidate(program: Command, choose: Choose): void {
  addReportOptions(program.command('validate').description('check the manifests offline'))
    .addHelpText('after', afterHelp(EXAMPLES, FORMATS))
    .action((_options, command: Command) => {
      const options = optionsOf<ValidateOptions>(command, FORMATS);
      choose({
        chdir: options.chdir,
        stopsSoftly: false,
        run: async (io) => (await import('../../src/features/validate.ts')).runValidate(options, io),
      });
    });
}
