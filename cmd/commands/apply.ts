import { type Command, Option } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, repeat, runs } from '../options.ts';
import { addOnlyOption, addPlanningOptions } from './plan.ts';

/** Options of commands that carry a plan out. */
export function addApplyingOptions(command: Command): Command {
  return command
    .option('--auto-approve', 'do not ask')
    .option('--rehearse', 'carry it out against the embedded service first, and stop where that fails')
    .addOption(
      new Option(
        '--on-failure <how>',
        'a task whose update failed after its pause: resume its former config, or hold it',
      )
        .choices(['restore', 'hold'])
        .default('restore'),
    );
}

export function addApply(program: Command, choose: Choose): void {
  const command = program.command('apply').description('carry the changes out');
  const declared = addApplyingOptions(addReportOptions(addOnlyOption(addPlanningOptions(command))))
    .argument('[planfile]', 'a plan that `tradeform plan --out` saved')
    .option(
      '--base <rev>',
      'for --only: a revision that was applied before; what it has not is git’s to change',
    )
    .option('--expect-digest <digest>', 'apply only the plan with this digest; its first 12 digits do')
    .option('--expect-plan <file>', 'the same for the plan in a file: of `plan --out`, or `plan -o json`')
    .option(
      '--expect-changes <file>',
      'apply what is left of the plan in a file, Markdown too; nothing else (repeatable)',
      repeat,
    );
  runs<ApplyOptions, string | undefined>(
    declared,
    choose,
    { formats: FORMATS, stopsSoftly: true },
    async (options, io, planFile) =>
      (await import('../../src/features/apply.ts')).runApply(planFile, options, io),
  );
}
