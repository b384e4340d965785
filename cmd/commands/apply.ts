import { type Command, Option } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addMonitorOptions, addReportOptions, repeat, runs } from '../options.ts';
import { addOnlyOption, addPlanningOptions } from './plan.ts';

/** Options of commands that carry a plan out. */
export function addApplyingOptions(command: Command): Command {
  return command
    .option('--auto-approve', 'do not ask')
    .option('--rehearse', 'rehearse the plan against the embedded service first, and stop if that fails')
    .addOption(
      new Option(
        '--on-failure <how>',
        'if an update fails after the pause: start the task with its former config, or hold it',
      )
        .choices(['restore', 'hold'])
        .default('restore'),
    );
}

export function addApply(program: Command, choose: Choose): void {
  const command = program.command('apply').description('carry out the changes');
  const declared = addApplyingOptions(
    addMonitorOptions(addReportOptions(addOnlyOption(addPlanningOptions(command)))),
  )
    .argument('[planfile]', 'a plan saved with `tradeform plan --out`')
    .option(
      '--base <rev>',
      'for --only: a revision that was applied before; later changes in git may be applied',
    )
    .option('--expect-digest <digest>', 'apply only the plan with this digest (at least its first 12 digits)')
    .option('--expect-plan <file>', 'apply only the plan in this file, from `plan --out` or `plan -o json`')
    .option(
      '--expect-changes <file>',
      'apply only what is left of the approved plan in this file, JSON or Markdown (repeatable)',
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
