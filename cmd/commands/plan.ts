import { type Command, Option } from 'commander';
import type { PlanCommandOptions } from '../../src/features/plan.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addMonitorOptions, addReportOptions, repeat, runs } from '../options.ts';

/** Options that `plan` and `apply` share: they make the same plan. */
export function addPlanningOptions(command: Command): Command {
  return command
    .option('--target <address>', 'plan this address only, and what it needs (repeatable)', repeat)
    .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
    .option('--resume-stopped [address...]', 'start held tasks: these, or all of them')
    .option('--first-apply', 'confirm that no task of this project is on the service yet')
    .option('--allow-empty', 'allow a plan that deletes or pauses every task that the project owns')
    .option(
      '--take-over <project>',
      'take over the tasks of that project that a manifest here describes (repeatable)',
      repeat,
    )
    .option(
      '--override <guardrail=digest>',
      'allow what one guardrail refuses, only for the plan with this digest (repeatable)',
      repeat,
    );
}

/** `--only`, of the commands that plan what stands here. */
export function addOnlyOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--only <what>',
      'carry out what git changed, and leave what people changed on the service. pending: every change in git that is not applied; change: only the difference from --base',
    ).choices(['pending', 'change']),
  );
}

export function addPlan(program: Command, choose: Choose): void {
  const command = program
    .command('plan')
    .description('compare with the service and show the changes (GET requests only)');
  const declared = addMonitorOptions(addReportOptions(addOnlyOption(addPlanningOptions(command))))
    .option('--out <file>', 'save the plan for `tradeform apply FILE`')
    .option('--base <rev>', 'separate this change from what a git revision would also do: main, main...')
    .option('--detailed-exitcode', 'exit code 2 if there are changes or blocked addresses');
  runs<PlanCommandOptions>(declared, choose, { formats: FORMATS }, async (options, io) =>
    (await import('../../src/features/plan.ts')).runPlan(options, io),
  );
}
