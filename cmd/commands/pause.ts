import type { Command } from 'commander';
import type { PauseOptions } from '../../src/features/switch/pause.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

const EXAMPLES = `
The operator's switch. It never asks, needs no valid manifests, pauses what puts
most at stake first, goes on after every error, and looks again until nothing
that was chosen runs. Ends with 0 only where all is off and stays off: else with
1, and what is not off is named.
What it paused carries @! in its marker: no later apply starts it, whatever
stopped_tasks says, until \`tradeform resume\`, apply --resume-stopped or a new
rearm value. An apply that is at work meanwhile may start others: stop it.
A pause is stored at once; execution nodes may act on the state before for up to
60 seconds.
A task is named by its address (sniper/dawn), its name, or its id; * stands for
any text. Addresses, labels and kinds narrow each other; several of one sort
widen.

Examples:
  $ tradeform pause --all
  $ tradeform pause sniper/dawn copy-trade/whale-7
  $ tradeform pause --label high-risk --kind sniper
  $ tradeform pause --all --dry-run             what runs, dearest first
  $ tradeform pause --all --include-unmanaged   whatever runs on the account
  $ tradeform pause sniper/dawn --for 2h        due then, for \`resume --due\`
  $ tradeform pause --all --all-environments  TRADEFORM_TOKEN_<NAME> each
                                                or TRADEFORM_TOKEN_FILE_<NAME>
`;

/** Options that `pause` and `resume` share. */
export function addChoice(command: Command): Command {
  return command
    .argument('[name...]', 'addresses, names or ids')
    .option('--label <label>', 'tasks with this label (repeatable)', repeat)
    .option('--kind <kind>', 'tasks of this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
    .option('--all', 'all tasks of the project')
    .option('--project-name <name>', 'whose tasks are meant, where the project file cannot be read')
    .option('--dry-run', 'only show what would be done');
}

export function addPause(program: Command, choose: Choose): void {
  const declared = addChoice(
    program.command('pause').description('the operator’s switch: pause tasks at once, and keep them so'),
  )
    .option('--include-unmanaged', 'also tasks that are not of the project; their remarks stay as they are')
    .option('--all-environments', 'in every environment of the project, each with its own token')
    .option('--for <time>', 'due after 30m, 2h or 1d: `resume --due` starts it then');
  runs<PauseOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, names) =>
      (await import('../../src/features/switch/pause.ts')).runPause(names, options, io),
  );
}
