import { type Command, Option } from 'commander';
import type { ApplyOptions } from '../../src/commands/apply.ts';
import type { Choose } from '../invocation.ts';
import { formatsHelp, optionsOf } from '../options.ts';
import { addPlanningOptions } from './plan.ts';

const EXAMPLES = `
Without PLANFILE the plan is made, shown, and carried out after a literal "yes".
Without a terminal it needs --auto-approve or a plan file. A saved plan that is
stale is refused before the first write.
An address is <collection>/<name>; * stands for any text: 'sniper/*'.
First Ctrl-C: start nothing new, finish the tasks in hand. Second: stop at once
and say what is left.

Examples:
  $ tradeform apply
  $ tradeform apply plan.json
  $ tradeform apply --auto-approve -o json > report.json
  $ tradeform apply --resume-stopped sniper/alpha
`;

export function addApply(program: Command, choose: Choose): void {
  addPlanningOptions(program.command('apply').description('carry the changes out'))
    .argument('[planfile]', 'a plan that `tradeform plan --out` saved')
    .option('--auto-approve', 'do not ask')
    .addOption(
      new Option(
        '--on-failure <how>',
        'a task whose update failed after its pause: resume its former config, or hold it',
      )
        .choices(['restore', 'hold'])
        .default('restore'),
    )
    .addHelpText('after', formatsHelp('text', 'json'))
    .addHelpText('after', EXAMPLES)
    .action((planFile: string | undefined, _options, command: Command) => {
      const options = optionsOf<ApplyOptions>(command, ['text', 'json']);
      choose({
        chdir: options.chdir,
        stopsSoftly: true,
        run: async (io) => (await import('../../src/commands/apply.ts')).runApply(planFile, options, io),
      });
    });
}
