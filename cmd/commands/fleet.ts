import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { usage } from '../../src/diagnostics/diagnostic.ts';
import type { FleetApplyOptions } from '../../src/features/fleet/apply.ts';
import type { MatrixOptions } from '../../src/features/fleet/matrix.ts';
import type { FleetSwitchOptions } from '../../src/features/fleet/switch.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addMonitorOptions, addReportOptions, repeat, runs, wholeNumber } from '../options.ts';
import { addOnlyOption } from './plan.ts';

/** Which commands of `fleet` take an option. All other options apply to all commands. */
const ONLY_OF: Readonly<Record<string, readonly string[]>> = {
  base: ['plan', 'apply'],
  only: ['plan', 'apply', 'rehearse'],
  firstApply: ['plan', 'apply', 'rehearse'],
  resumeStopped: ['plan', 'apply', 'rehearse'],
  detailedExitcode: ['plan'],
  out: ['plan'],
  changedSince: ['validate', 'plan', 'apply', 'status', 'drift', 'rehearse', 'matrix'],
  max: ['matrix'],
  include: ['matrix'],
  expectDigest: ['apply'],
  onFailure: ['apply'],
  soak: ['apply'],
  gate: ['apply'],
  autoApprove: ['apply', 'resume'],
  all: ['pause', 'resume'],
  due: ['resume'],
  dryRun: ['pause', 'resume'],
  for: ['pause', 'matrix'],
  includeUnmanaged: ['pause'],
  ignore: ['drift'],
  failOn: ['drift'],
};
const READING = ['validate', 'plan', 'status', 'drift', 'rehearse'] as const;

type Options = FleetApplyOptions & FleetSwitchOptions & MatrixOptions & { readonly out?: string };

export function addFleet(program: Command, choose: Choose): void {
  const command = program.command('fleet').description('many accounts: one command, one report');
  const declared = addOnlyOption(
    addMonitorOptions(addReportOptions(command))
      .addArgument(
        new Argument('<command>', 'one of the commands below').choices([
          'init',
          ...READING,
          'apply',
          'pause',
          'resume',
          'matrix',
          'merge',
        ]),
      )
      .argument('[dir]', 'for init: the folder of the projects; for apply: saved plans; for merge: reports')
      .option('--fleet <file>', 'the fleet file (default: fleet.yaml)')
      .option('--select <name>', 'only these units; * stands for any text (repeatable)', repeat)
      .option('--tag <tag>', 'only units with this tag (repeatable)', repeat)
      .option(
        '--changed-since <rev>',
        'only units whose compiled manifests or rules differ from a git revision',
      )
      .option('--shard <i/n>', 'only units of this shard (I/N, or from the environment: job/N, ci)')
      .option('--run <id>', 'id that all shards of one run share (default: the run of GitHub or GitLab)')
      .option('--accounts-at-once <n>', 'accounts in parallel (default: 8)', wholeNumber(1, 9_999))
      .option('--fail-fast', 'start no further account after one has failed')
      .option('--timeout <time>', 'time limit for each account: 90s, 10m, 1h', milliseconds)
      .option(
        '--base <rev>',
        'separate this change from what a git revision would also do; in apply, for --only',
      )
      .option('--first-apply', 'confirm that no task of a project is on the service yet')
      .option('--resume-stopped', 'start held tasks')
      .option('--detailed-exitcode', 'for plan: exit code 2 if there are changes')
      .option('--out <dir>', 'for plan: save all plans for `tradeform fleet apply DIR`')
      .option('--expect-digest <digest>', 'for apply: only the plans with this digest (all 64 digits)')
      .option('--auto-approve', 'for apply and resume: do not ask')
      .addOption(
        new Option('--on-failure <how>', 'for apply: like `tradeform apply`').choices(['restore', 'hold']),
      )
      .option(
        '--soak <time>',
        'for apply: how long the tasks of a wave must run before it counts as done',
        milliseconds,
      )
      .option('--gate <command>', 'for apply: a program that must end with 0 after each wave')
      .option('--all', 'for pause and resume: all tasks of each project')
      .option('--due', 'for resume: only what is due (--for)')
      .option('--for <time|host>', 'for pause: due after 30m, 2h or 1d; for matrix: github or gitlab')
      .option('--max <n>', 'for matrix: the maximum number of shards (default: 20)', wholeNumber(1, 200))
      .option('--include <file>', 'for matrix: the file with the job of a shard, for GitLab')
      .option('--include-unmanaged', 'for pause: everything that runs on the accounts')
      .option('--dry-run', 'for pause and resume: only show what would be done')
      .option('--ignore <class>', 'for drift: ignore a class in the exit code (repeatable)', repeat)
      .option('--fail-on <class>', 'for drift: exit code 2 also for this class (repeatable)', repeat),
  );
  runs<Options, string>(
    declared,
    choose,
    { formats: FORMATS, stopsSoftly: true },
    async (options, io, what) => {
      refuseOthers(what, command);
      const directory = command.processedArgs[1] as string | undefined;
      if (what === 'init') {
        const { runInitFleet } = await import('../../src/features/fleet/init.ts');
        return runInitFleet(directory, options, io);
      }
      if (what === 'merge') {
        const { runMerge } = await import('../../src/features/fleet/merge.ts');
        return runMerge(directory ?? '.', options, io);
      }
      if (what === 'apply') {
        const { runApplyFleet } = await import('../../src/features/fleet/apply.ts');
        return runApplyFleet(directory, options, io);
      }
      if (directory !== undefined) throw usage(`fleet ${what} takes no ${directory}`, 'Remove it.');
      if (what === 'matrix') {
        const { runMatrix } = await import('../../src/features/fleet/matrix.ts');
        return runMatrix(options, io);
      }
      if (what === 'pause' || what === 'resume') {
        const { runPauseFleet, runResumeFleet } = await import('../../src/features/fleet/switch.ts');
        return what === 'pause' ? runPauseFleet(options, io) : runResumeFleet(options, io);
      }
      if (what === 'plan' && options.out !== undefined) {
        const { runPlanOut } = await import('../../src/features/fleet/apply.ts');
        return runPlanOut(options.out, options, io);
      }
      const { runReading } = await import('../../src/features/fleet/commands.ts');
      return runReading(what as (typeof READING)[number], options, io);
    },
  );
}

function refuseOthers(what: string, command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const of = ONLY_OF[name];
    if (of === undefined || of.includes(what) || command.getOptionValueSource(name) !== 'cli') continue;
    throw usage(`${option.long} is for fleet ${of.join(', ')}`, `Do not use it with fleet ${what}.`);
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function milliseconds(text: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const value = Number(number) * (UNITS[unit] ?? Number.NaN);
  // Timers cannot wait longer than 24 days.
  if (!(value <= 86_400_000))
    throw new InvalidArgumentError('Write a duration such as 90s, 10m or 1h, at most 24h.');
  return value;
}
