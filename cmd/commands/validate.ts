import type { Command } from 'commander';
import type { ValidateOptions } from '../../src/features/validate.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, runs } from '../options.ts';

const EXAMPLES = `
Every problem is reported at once, with file, line, column and what to write
instead. Nothing is sent.

Examples:
  $ tradeform validate
  $ tradeform validate -e production
  $ tradeform validate -C strategies -o json
`;

export function addValidate(program: Command, choose: Choose): void {
  const declared = addReportOptions(program.command('validate').description('check the manifests offline'));
  runs<ValidateOptions>(declared, choose, { examples: EXAMPLES, formats: FORMATS }, async (options, io) =>
    (await import('../../src/features/validate.ts')).runValidate(options, io),
  );
}
