import type { Command } from 'commander';
import type { PauseOptions } from '../../src/features/switch/pause.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

/** Options that `pause` and `resume` share. */
export function addChoice(command: Command): Command {
  return command
    .argument('[name...]', 'addresses, names or ids')
    .option('--label <label>', 'tasks with this label (repeatable)', repeat)
    .option('--kind <kind>', 'tasks of this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
    .option('--all', 'all tasks of the project')
    .option('--project-name <name>', 'name of the project, if the project file cannot be read')
    .option('--dry-run', 'only show what would be done');
}

export function addPause(program: Command, choose: Choose): void {
  const declared = addChoice(
    program.command('pause').description('the operator’s switch: pause tasks at once, and keep them paused'),
  )
    .option('--include-unmanaged', 'also tasks that the project does not own; their remarks are not changed')
    .option('--all-environments', 'in every environment of the project, each with its own token')
    .option('--for <time>', 'due after 30m, 2h or 1d: `resume --due` starts them then');
  runs<PauseOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, names) =>
      (await import('../../src/features/switch/pause.ts')).runPause(names, options, io),
  );
}
