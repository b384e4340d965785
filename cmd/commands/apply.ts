import { type Command, Option } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, repeat, runs } from '../options.ts';
import { addOnlyOption, addPlanningOptions } from './plan.ts';

const EXAMPLES = `
Without PLANFILE the plan is made, shown, and carried out after a literal "yes".
Without a terminal it needs --auto-approve or a plan file. A saved plan that is
stale is refused before the first write.
With --expect-digest or --expect-plan it is made afresh and carried out only if
it does what the approved one did; no further question is asked. If it would do
anything else, nothing is sent, and --expect-plan says what differs.
With --expect-changes it is carried out where each of its changes was approved:
those that somebody did meanwhile, or whose task is gone, are left out and said.
An address is <collection>/<name>; * stands for any text: 'sniper/*'.
First Ctrl-C: start nothing new, finish the tasks in hand. Second: stop at once
and say what is left.

Examples:
  $ tradeform apply
  $ tradeform apply plan.json
  $ tradeform apply --auto-approve -o json > report.json
  $ tradeform apply --resume-stopped sniper/alpha
  $ tradeform plan -o json > approved.json
  $ tradeform apply --expect-plan approved.json
  $ tradeform apply --expect-digest 1f0c5a7be2d4
  $ tradeform plan -o markdown > approved.md
  $ tradeform apply --expect-changes approved.md
`;

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
    { examples: EXAMPLES, formats: FORMATS, stopsSoftly: true },
    async (options, io, planFile) =>
      (await import('../../src/features/apply.ts')).runApply(planFile, options, io),
  );
}
