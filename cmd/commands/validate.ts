import type { Command } from 'commander';
import type { ValidateOptions } from '../../src/features/validate.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, runs } from '../options.ts';

export function addValidate(program: Command, choose: Choose): void {
  const declared = addReportOptions(program.command('validate').description('check the manifests offline'));
  runs<ValidateOptions>(declared, choose, { formats: FORMATS }, async (options, io) =>
    (await import('../../src/features/validate.ts')).runValidate(options, io),
  );
}
