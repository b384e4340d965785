import type { Command } from 'commander';
import type { PlanOptions } from '../../src/commands/plan.ts';
import type { Choose } from '../invocation.ts';
import { formatsHelp, optionsOf, repeat } from '../options.ts';

const EXAMPLES = `
A plan only reads: GET requests, each list page once. What starts and stops
trading is said first. A refused plan is shown, ends with 4 and is not saved.
An address is <collection>/<name>; * stands for any text: 'sniper/*'.

Examples:
  $ tradeform plan
  $ tradeform plan --target sniper/alpha --target label/high-risk
  $ tradeform plan --out plan.json && tradeform apply plan.json
  $ tradeform plan --detailed-exitcode -o markdown > plan.md
`;

/** Options that `plan` and `apply` share: they make the same plan. */
export function addPlanningOptions(command: Command): Command {
  return command
    .option('--target <address>', 'plan this address only, and what it needs (repeatable)', repeat)
    .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
    .option('--resume-stopped [address...]', 'start held tasks: these, or all of them')
    .option('--first-apply', 'confirm that no task of this project is on the service yet')
    .option('--allow-empty', 'allow the manifests to lose their last task')
    .option(
      '--override <guardrail=digest>',
      'let the refusals of a guardrail through, for the plan with this digest alone (repeatable)',
      repeat,
    );
}

export function addPlan(program: Command, choose: Choose): void {
  addPlanningOptions(
    program.command('plan').description('compare with the service and show the changes (GET requests only)'),
  )
    .option('--out <file>', 'save the plan for `tradeform apply FILE`')
    .option('--detailed-exitcode', 'end with 2 when there are changes, or something is blocked')
    .addHelpText('after', formatsHelp('text', 'json', 'markdown'))
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => {
      const options = optionsOf<PlanOptions>(command, ['text', 'json', 'markdown']);
      choose({
        chdir: options.chdir,
        stopsSoftly: false,
        run: async (io) => (await import('../../src/commands/plan.ts')).runPlan(options, io),
      });
    });
}
