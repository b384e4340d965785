import { Argument, type Command, InvalidArgumentError } from 'commander';
import { usage } from '../../src/diagnostics/diagnostic.ts';
import type { FleetCommandOptions } from '../../src/features/fleet/commands.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, repeat, runs, wholeNumber } from '../options.ts';
import { addOnlyOption } from './plan.ts';

/** Which of the commands of `fleet` take an option; the others are for all of them. */
const ONLY_OF: Readonly<Record<string, readonly string[]>> = {
  base: ['plan'],
  only: ['plan'],
  firstApply: ['plan'],
  resumeStopped: ['plan'],
  detailedExitcode: ['plan'],
  ignore: ['drift'],
  failOn: ['drift'],
  since: ['drift'],
};
const READING = ['validate', 'plan', 'status', 'drift'] as const;

export function addFleet(program: Command, choose: Choose): void {
  const command = program.command('fleet').description('many accounts: one command, one report');
  const declared = addOnlyOption(
    addReportOptions(command)
      .addArgument(new Argument('<command>', 'what to do').choices(['init', ...READING]))
      .argument('[dir]', 'of init: where the projects are')
      .option('--fleet <file>', 'the fleet file (default: fleet.yaml)')
      .option('--select <name>', 'these units only; * stands for any text (repeatable)', repeat)
      .option('--tag <tag>', 'units with this tag only (repeatable)', repeat)
      .option('--accounts-at-once <n>', 'accounts at the same time (default: 8)', wholeNumber(1, 9_999))
      .option('--fail-fast', 'begin no further account once one has failed')
      .option('--timeout <time>', 'what an account may take: 90s, 10m, 1h', milliseconds)
      .option('--base <rev>', 'of plan: tell this change from what a git revision would do as well')
      .option('--first-apply', 'of plan: no task of a project is on the service yet')
      .option('--resume-stopped', 'of plan: start held tasks')
      .option('--detailed-exitcode', 'of plan: end with 2 when there are changes')
      .option('--ignore <class>', 'of drift: leave a class out of the exit code (repeatable)', repeat)
      .option('--fail-on <class>', 'of drift: end with 2 for this class too (repeatable)', repeat)
      .option('--since <date|rev>', 'of drift: look no further back'),
  );
  runs<FleetCommandOptions, string>(
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
      if (directory !== undefined) throw usage(`fleet ${what} takes no ${directory}`, 'Leave it out.');
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
    throw usage(`${option.long} is for fleet ${of.join(', ')}`, `Leave it out of fleet ${what}.`);
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function milliseconds(text: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const value = Number(number) * (UNITS[unit] ?? Number.NaN);
  // Timers wait no longer than 24 days.
  if (!(value <= 86_400_000)) throw new InvalidArgumentError('It is written as 90s, 10m or 1h, at most 24h.');
  return value;
}
