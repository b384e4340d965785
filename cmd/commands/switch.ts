import type { Command } from 'commander';
import type { Io } from '../../src/core/command/io.ts';
import type { PauseOptions } from '../../src/core/features/switch/pause.ts';
import { addRecord, type Declare, repeat } from '../options.ts';

/** Options that `pause` and `resume` share. */
function addChoice(command: Command): Command {
  return command
    .argument('[name...]', 'addresses, names or ids')
    .option('--label <label>', 'tasks with this label (repeatable)', repeat)
    .option('--kind <kind>', 'tasks of this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
    .option('--all', 'all tasks of the project')
    .option('--project-name <name>', 'name of the project, if the project file cannot be read')
    .option('--dry-run', 'only show what would be done')
    .option('--save <file>', 'keep the report: what each task was before, as JSON');
}

/** The operator’s switch, and the command that releases a task. */
export function addSwitchCommands(program: Command, { runs }: Declare): void {
  runs(
    addRecord(addChoice(program.command('pause')))
      .description('the operator’s switch: pause tasks at once, and keep them paused')
      .option(
        '--include-unmanaged',
        'also tasks that the project does not own; their remarks are not changed',
      )
      .option('--all-environments', 'in every environment of the project, each with its own token')
      .option('--no-freeze', 'with --all: do not set the label that freezes'),
    async () =>
      async (
        names: readonly string[],
        { allEnvironments = false, ...options }: PauseOptions & { readonly allEnvironments?: boolean },
        io: Io,
      ) =>
        allEnvironments
          ? (await import('../../src/kit/fleet/switch.ts')).runPauseEnvironments(names, options, io)
          : (await import('../../src/core/features/switch/pause.ts')).runPause(names, options, io),
    { token: 'writes', stopsSoftly: true, deadline: 'itself' },
  );
  runs(
    addRecord(addChoice(program.command('resume')))
      .description('start what `tradeform pause` stopped, and held tasks that are named')
      .option('--from <run>', 'what this pause stopped, also of others: its name in `tradeform log`')
      .option('--held', 'also tasks that a person or buy_once stopped')
      .option(
        '--include-unmanaged',
        'also tasks that the project does not own, each named by its id; with --all: end the freeze of the account',
      )
      .option('--auto-approve', 'do not ask')
      .option('--expect <digest>', 'do not ask, and start only what has this digest (all 64 digits)')
      .option(
        '--override <guardrail=digest>',
        'allow what one guardrail refuses, only for the resume with this digest (repeatable)',
        repeat,
      )
      .option('--as-stored', 'with --auto-approve: also tasks that can spend differently from git'),
    async () => (await import('../../src/kit/log/resume-from.ts')).runResumeFrom,
    { token: 'writes', stopsSoftly: true },
  );
  runs(
    addRecord(program.command('release'))
      .description('remove the marker from a clone, or from a task whose marker is damaged')
      .option('--id <id>', 'a task by its id on the service (repeatable)', repeat)
      .option('--project-name <name>', 'name of the project, if the project file cannot be read')
      .option('--dry-run', 'only show what would be done')
      .option('--auto-approve', 'do not ask'),
    async () => (await import('../../src/core/features/switch/release.ts')).runRelease,
    { token: 'writes', stopsSoftly: true },
  );
}
