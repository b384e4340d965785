import { type Command, InvalidArgumentError, Option } from 'commander';
import { isInJob } from '../src/core/command/event.ts';
import type { Io } from '../src/core/command/io.ts';
import type { Access } from '../src/core/command/job.ts';
import type { CommonOptions } from '../src/core/command/options.ts';
import { readPackaged } from '../src/core/command/packaged.ts';
import { usage } from '../src/core/diagnostics/diagnostic.ts';
import { didYouMean, guessFirst } from '../src/core/diagnostics/suggest.ts';
import type { Deadline } from '../src/core/ports/stop.ts';
import { maxBytesOf, PLACE_NAMES, PLAIN_FORMATS } from '../src/core/render/format.ts';

const COMMON = `Common options: -C, --project, -e, --base-url, --token-file, -o, --concurrency,
  --deadline, --no-color, -q, -v; \`tradeform --help\` says what
  they do.
`;

/** `plan`, `fleet plan`; of the program itself, its own name. */
export function commandName(command: Command): string {
  const { parent } = command;
  return parent?.parent == null ? command.name() : `${commandName(parent)} ${command.name()}`;
}

/**
 * The text below the options in the help of a command. docs/reference/help has one for each command, which is read when it is
 * shown.
 */
export function helpPage(command: Command): string {
  return `\n${readPackaged(`docs/reference/help/${commandName(command).replace(' ', '-')}.txt`)}`;
}

interface Running<Options> {
  /** The values of `-o`. Without it, the format is text. Default: text and JSON. */
  readonly formats?: readonly string[];
  /** Other formats that apply with some options: the formats, and their text in the help. */
  readonly otherwise?: { formats(options: Options): readonly string[] | undefined; readonly said: string };
  readonly stopsSoftly?: boolean;
  readonly printsToken?: true;
  /** What the command does with a token, which it may not in every job of CI. */
  readonly token?: Access;
  /** `itself`: the command starts to count its time itself. `none`: it only ends in time if `--deadline` says so. */
  readonly deadline?: 'itself' | 'none';
}

/** Less than the times after which CI systems kill a job: an hour on GitLab, six on GitHub. */
const DEADLINES = { reads: '50m', changes: '5h' };

/** What the files of commands declare them with. */
export type Declare = ReturnType<typeof declaring>;

/** A command as a function: of its arguments, of its options and the common ones, and of its surroundings. */
type Loaded<Args extends readonly unknown[], Options> = (...said: [...Args, Options, Io]) => Promise<number>;

/** `runs` completes the declaration of a command: its help, and the function that is loaded and run. */
export function declaring(runCommand: RunCommand) {
  const runs = <Args extends readonly unknown[], Options extends object>(
    command: Command,
    load: () => Promise<Loaded<Args, Options>>,
    how: Running<Options> = {},
  ) => {
    const { formats = TEXT_AND_JSON, otherwise } = how;
    const after = () =>
      `${helpPage(command)}\nOutput formats: -o ${formats.join(', ')}${otherwise?.said ?? ''}\n${COMMON}`;
    command.addHelpText('after', after).action(() => runCommand(invocationOf(command, load, how), command));
  };
  return { runCommand, runs };
}

const TEXT_AND_JSON = ['text', 'json'];

/** A format that the command does not print is a usage error. */
function invocationOf<Args extends readonly unknown[], Options extends object>(
  command: Command,
  load: () => Promise<Loaded<Args, Options>>,
  { formats = TEXT_AND_JSON, otherwise, stopsSoftly = false, deadline, token, ...how }: Running<Options>,
): Invocation {
  const options = command.optsWithGlobals<Options & CommonOptions & { chdir?: string; output: string }>();
  const printed = [...new Set(['text', ...(otherwise?.formats(options) ?? formats)])];
  if (!printed.includes(options.output))
    throw usage(
      `\`tradeform ${commandName(command)}\` does not print ${options.output}`,
      guessFirst(didYouMean(options.output, printed), `The formats are ${printed.join(', ')}.`),
    );
  return {
    ...how,
    chdir: options.chdir,
    stopsSoftly,
    run: async (io) => {
      const usual = stopsSoftly ? DEADLINES.changes : DEADLINES.reads;
      const time = options.deadline ?? deadlineIn(io.env, usual);
      if (deadline === undefined || (deadline === 'none' && options.deadline !== undefined))
        io.stop.after?.(time);
      const run = await load();
      const guarded = token !== undefined && isInJob(io.env) && (await import('../src/core/command/job.ts'));
      const own = guarded ? guarded.guardJob(commandName(command), token, options, io) : io;
      return run(...(command.processedArgs as unknown as Args), { ...options, deadline: time }, own);
    },
  };
}

function deadlineIn({ TRADEFORM_DEADLINE: text }: Io['env'], usual: string): Deadline {
  try {
    return deadlineOf(text || usual);
  } catch (error) {
    throw usage(`TRADEFORM_DEADLINE=${text}: not a duration`, (error as Error).message);
  }
}

export function deadlineOf(text: string): Deadline {
  return { text, ms: milliseconds(text) };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function milliseconds(text: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const value = Number(number) * (UNITS[unit] ?? Number.NaN);
  // Timers cannot wait longer than 24 days.
  if (!(value <= 86_400_000))
    throw new InvalidArgumentError('Write a duration such as 90s, 10m or 1h, at most 24h.');
  return value;
}

/** The command with groups of options, in the order of its help. */
export function having(command: Command, ...groups: ((command: Command) => Command)[]): Command {
  return groups.reduce((declared, add) => add(declared), command);
}

/** Collects a repeatable option. An empty value names nothing: the variable of a script may have none. */
export function repeat(value: string, previous: readonly string[] | undefined): readonly string[] {
  if (value === '') throw new InvalidArgumentError('The value is empty.');
  return [...(previous ?? []), value];
}

/** Accepts a whole number in this range, written in digits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,6}$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** `--report` and related options, for commands that show their result through `present`. */
export function addReportOptions(command: Command): Command {
  return command
    .option('--report <format=file>', 'also write the result to a file (repeatable)', repeat)
    .option(
      '--max-bytes <bytes>',
      `shorten Markdown to this many bytes, or to the limit of: ${PLACE_NAMES.join(', ')}`,
      maxBytes,
    )
    .option('--no-github', 'in GitHub Actions: no annotations, no step summary');
}

/** For commands that run on a schedule and are monitored. */
export function addMonitorOptions(command: Command): Command {
  return command
    .option('--metrics <file>', "write the run's figures for Prometheus (textfile collector)")
    .option('--heartbeat <url>', 'request this URL after each run that ends with 0 or 2')
    .option('--notify <channel>', 'send messages to this channel of notifications.yaml (repeatable)', repeat);
}

/** `--only`, for commands that plan the manifests of the working tree. */
export function addOnlyOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--only <what>',
      'pending: carry out every change in git that is not applied, and leave what people changed on the service',
    ).choices(['pending']),
  );
}

export function addApproveOption(command: Command): Command {
  return command.option('--auto-approve', 'do not ask');
}

export function addFailureOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--on-failure <how>',
      'if an update fails after the pause: start the task with its former config, or hold it',
    )
      .choices(['restore', 'hold'])
      .default('restore'),
  );
}

export function addDriftOptions(command: Command): Command {
  return command
    .option('--ignore <class>', 'ignore a class in the exit code (repeatable)', repeat)
    .option('--fail-on <class>', 'exit code 2 also for this class (repeatable)', repeat);
}

/** `--report` for a command that checks nothing, and so has no report for a forge. */
export function addPlainReports(command: Command): Command {
  const one = (value: string, previous: readonly string[] | undefined) => {
    if (!PLAIN_FORMATS.some((format) => value.startsWith(`${format}=`)))
      throw new InvalidArgumentError(`Write FORMAT=FILE, with one of ${PLAIN_FORMATS.join(', ')}.`);
    return repeat(value, previous);
  };
  return command.option(
    '--report <format=file>',
    `also write the result to a file: ${PLAIN_FORMATS.join(', ')} (repeatable)`,
    one,
  );
}

function maxBytes(text: string): number {
  const bytes = maxBytesOf(text);
  if (bytes === undefined)
    throw new InvalidArgumentError(`It must be a number of bytes, ${PLACE_NAMES.join(', ')}.`);
  return bytes;
}

export function addRecord(command: Command): Command {
  return command
    .option('--journal <dir>', 'write a file about this run to this folder [TRADEFORM_JOURNAL]')
    .option('--reason <text>', 'why, for the report and the journal');
}

/** The same for a run that may be refused for want of its record: a pause never is. */
export function addJournalOptions(command: Command): Command {
  return addRecord(command).option(
    '--require-journal',
    'write nothing to the service if the journal cannot be written',
  );
}

/** A parsed command line: what to run, and how it reacts to signals. */
export interface Invocation {
  /** `--chdir`, as given. */
  readonly chdir: string | undefined;
  /** The command observes `io.stop.soft` itself. Otherwise the first signal ends it. */
  readonly stopsSoftly: boolean;
  /** The result contains a token, which is masked everywhere else. */
  readonly printsToken?: true;
  /** Resolves with the exit code. */
  run(io: Io): Promise<number>;
}

export type RunCommand = (invocation: Invocation, command: Command) => void | Promise<void>;
