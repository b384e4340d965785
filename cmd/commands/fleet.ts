import type { Command } from 'commander';
import type { Io } from '../../src/core/command/io.ts';
import { FORMATS } from '../../src/core/render/format.ts';
import type { DueOptions } from '../../src/kit/comment/due.ts';
import type { FleetApplyOptions } from '../../src/kit/fleet/apply.ts';
import type { FleetCommandOptions } from '../../src/kit/fleet/commands.ts';
import {
  addApproveOption,
  addDriftOptions,
  addFailureOption,
  addJournalOptions,
  addMonitorOptions,
  addOnlyOption,
  addRecord,
  addReportOptions,
  type Declare,
  having,
  milliseconds,
  repeat,
  wholeNumber,
} from '../options.ts';
import { addReviewedOption, applyDue } from './plan.ts';

function addUnits(command: Command): Command {
  return addFile(command)
    .option('--select <name>', 'only these units; * stands for any text (repeatable)', repeat)
    .option('--tag <tag>', 'only units with this tag (repeatable)', repeat)
    .option('--exclude <name>', 'all units but these; * stands for any text (repeatable)', repeat);
}

function addFile(command: Command): Command {
  return command.option('--fleet <file>', 'the fleet file (default: fleet.yaml)');
}

function addRun(command: Command): Command {
  return command.option(
    '--run <id>',
    'id that all shards of one run share (default: the run of GitHub or GitLab)',
  );
}

/** Options of every command that runs for the units. */
function addRunning(command: Command): Command {
  return addRun(
    having(command, addUnits, addReportOptions, addMonitorOptions).option(
      '--shard <i/n>',
      'only units of this shard (I/N, or from the environment: job/N, ci)',
    ),
  )
    .option('--accounts-at-once <n>', 'accounts in parallel (default: 8)', wholeNumber(1, 9_999))
    .option('--timeout <time>', 'time limit for each account: 90s, 10m, 1h', milliseconds);
}

/** The same for all but the switch, which runs in an emergency. */
function addCareful(command: Command): Command {
  return addRunning(command).option('--fail-fast', 'start no further account after one has failed');
}

function addPlanning(command: Command): Command {
  return addOnlyOption(addCareful(command))
    .option('--first-apply', 'confirm that no task of a project is on the service yet')
    .option('--resume-stopped', 'start held tasks');
}

function addSwitch(command: Command): Command {
  return addRecord(addRunning(command))
    .option('--all', 'all tasks of each project')
    .option('--dry-run', 'only show what would be done');
}

const HOW = { formats: FORMATS, stopsSoftly: true };

/** `tradeform fleet COMMAND`. */
export function addFleet(program: Command, declare: Declare): void {
  const fleet = program.command('fleet').description('many accounts: one command, one report');
  declare.runs(
    addUnits(fleet.command('init'))
      .description('write the fleet file from projects, or the projects of its accounts')
      .argument('[dir]', 'the folder of the projects; default: the current one')
      .option('--from-live', 'for each account of the fleet file, a project of what is on the service')
      .option('--presets', 'with --from-live: move config that tasks share into presets')
      .option('--grouped', 'with --from-live: one file per kind instead of one per task'),
    async () => (await import('../../src/kit/fleet/init.ts')).runInitFleet,
    { token: 'reads' },
  );
  addReading(fleet, declare, 'validate', 'check the fleet file and all manifests; sends nothing', addCareful);
  addPlan(fleet, declare);
  addApply(fleet, declare);
  addReading(fleet, declare, 'status', 'list the tasks of every account (GET requests only)', addCareful);
  const drift = 'report what differs from git in every account (GET requests only)';
  addReading(fleet, declare, 'drift', drift, (command) => addDriftOptions(addCareful(command)));
  addSwitches(fleet, declare);
  addShards(fleet, declare);
}

type ReadingCommand = 'validate' | 'status' | 'drift';

function addReading(
  fleet: Command,
  { runs }: Declare,
  ...[name, description, add]: readonly [ReadingCommand, string, (command: Command) => Command]
): void {
  runs(
    add(fleet.command(name).description(description)),
    async () => async (options: FleetCommandOptions, io: Io) =>
      (await import('../../src/kit/fleet/commands.ts')).runReading(name, options, io),
    name === 'validate' ? HOW : { ...HOW, token: 'reads' },
  );
}

function addPlan(fleet: Command, { runs }: Declare): void {
  runs(
    addPlanning(
      fleet.command('plan').description('plan every account, as `tradeform plan` would (GET requests only)'),
    )
      .option('--base <rev>', 'separate this change from what a git revision would also do: main, main...')
      .option('--detailed-exitcode', 'exit code 2 if there are changes')
      .option('--out <dir>', 'save all plans for `tradeform fleet apply DIR`'),
    async () =>
      async ({ out, ...options }: FleetCommandOptions & { readonly out?: string }, io: Io) =>
        out === undefined
          ? (await import('../../src/kit/fleet/commands.ts')).runReading('plan', options, io)
          : (await import('../../src/kit/fleet/apply.ts')).runPlanOut(out, options, io),
    { ...HOW, token: 'compares' },
  );
}

function addApply(fleet: Command, { runs }: Declare): void {
  runs(
    having(
      fleet.command('apply'),
      addPlanning,
      addReviewedOption,
      addApproveOption,
      addFailureOption,
      addJournalOptions,
    )
      .description('plan every account, ask once, and apply in waves')
      .argument('[dir]', 'plans saved with `tradeform fleet plan --out`')
      .option('--expect <digest>', 'only the plans with this digest (all 64 digits)')
      .option('--soak <time>', 'how long the tasks of a wave must run before it counts as done', milliseconds)
      .option('--gate <command>', 'a program that must end with 0 after each wave'),
    async () => (directory: string | undefined, options: FleetApplyOptions & DueOptions, io: Io) =>
      applyDue(options, io, async ({ expect: [expect = options.expect, ...earlier] = [], ...due }) =>
        (await import('../../src/kit/fleet/apply.ts')).runApplyFleet(
          directory,
          { ...options, ...due, earlier, ...(expect === undefined ? {} : { expect }) },
          io,
        ),
      ),
    { ...HOW, token: 'writes' },
  );
}

function addSwitches(fleet: Command, { runs }: Declare): void {
  runs(
    addSwitch(fleet.command('pause').description('pause everything in every account at once; never asks'))
      .option('--include-unmanaged', 'everything that runs on the accounts')
      .option('--no-freeze', 'do not set the labels that freeze'),
    async () => (await import('../../src/kit/fleet/switch.ts')).runPauseFleet,
    { ...HOW, token: 'writes', deadline: 'itself' },
  );
  runs(
    having(fleet.command('resume'), addSwitch, addApproveOption)
      .description('start what the switch stopped in every account')
      .option('--include-unmanaged', 'end the freezes of whole accounts as well')
      .option('--as-stored', 'also tasks that can spend differently from git'),
    async () => (await import('../../src/kit/fleet/switch.ts')).runResumeFleet,
    { ...HOW, token: 'writes' },
  );
}

/** What a run of several jobs needs before and after them. */
function addShards(fleet: Command, { runs }: Declare): void {
  runs(
    having(fleet.command('matrix'), addUnits, addRun)
      .description('print the shards for parallel jobs of GitHub')
      .option('--max <n>', 'the maximum number of shards (default: 20)', wholeNumber(1, 200)),
    async () => (await import('../../src/kit/fleet/matrix.ts')).runMatrix,
    { formats: ['json'] },
  );
  runs(
    having(fleet.command('merge'), addFile, addReportOptions, addMonitorOptions, addRun)
      .description('make one report from the documents of all shards')
      .argument('[dir]', 'the folder with the documents; default: the current one'),
    async () => (await import('../../src/kit/fleet/merge.ts')).runMerge,
    HOW,
  );
}
