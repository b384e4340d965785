import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../src/command/io.ts';
import type { CommonOptions } from '../src/command/options.ts';
import { readPackaged } from '../src/command/packaged.ts';
import { usage } from '../src/diagnostics/diagnostic.ts';
import { didYouMean } from '../src/manifest/suggest.ts';
import { maxBytesOf, PLACE_NAMES } from '../src/render/markdown/limits.ts';
import type { Choose } from './invocation.ts';

/** The common options as the parser names them. `color` is decided when the terminal is opened. */
interface ParsedCommon extends CommonOptions {
  readonly chdir?: string;
  readonly color: boolean;
}

/** The options of the command and the common ones in one object. A format that the command does not print is a usage error. */
function optionsOf<Own extends object>(
  command: Command,
  formats: readonly string[],
): Own & ParsedCommon & { output: string } {
  const options = command.optsWithGlobals<Own & ParsedCommon & { output: string }>();
  if (!formats.includes(options.output)) {
    throw usage(
      `\`tradeform ${command.name()}\` does not print ${options.output}`,
      `${didYouMean(options.output, formats)?.replace(/^d/, 'D') ?? ''} The formats are ${formats.join(', ')}.`.trim(),
    );
  }
  return options;
}

const COMMON = `Common options: -C, --project, -e, --base-url, --token-file, -o, --concurrency,
  --redact-wallets, --no-color, -q, -v; \`tradeform --help\` says what they do.
`;

/**
 * The text below the options in the help of a command. docs/reference/help has one for each command, which is read when it is
 * shown.
 */
export function helpPage(command: Command): string {
  return `\n${readPackaged(`docs/reference/help/${command.name()}.txt`)}`;
}

interface Running<Options> {
  /** The values of `-o`. Without it, the format is text. */
  readonly formats: readonly string[];
  /** Other formats that apply with some options: the formats, and their text in the help. */
  readonly otherwise?: { formats(options: Options): readonly string[] | undefined; readonly said: string };
  readonly stopsSoftly?: boolean;
  readonly printsToken?: true;
}

/**
 * Completes the declaration of a command: its help, and the function that runs with its options and its first argument after it is
 * chosen.
 */
export function runs<Options extends object, First = undefined>(
  command: Command,
  choose: Choose,
  { formats, otherwise, stopsSoftly = false, ...how }: Running<Options>,
  run: (options: Options & ParsedCommon & { output: string }, io: Io, first: First) => Promise<number>,
): void {
  const after = () =>
    `${helpPage(command)}\nOutput formats: -o ${formats.join(', ')}${otherwise?.said ?? ''}\n${COMMON}`;
  command.addHelpText('after', after).action(() => {
    const taken = otherwise?.formats(command.opts()) ?? formats;
    const options = optionsOf<Options>(command, [...new Set(['text', ...taken])]);
    choose({
      ...how,
      chdir: options.chdir,
      stopsSoftly,
      run: (io) => run(options, io, command.processedArgs[0] as First),
    });
  });
}

/** Collects a repeatable option. */
export function repeat(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Accepts a whole number in this range, written in digits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,6}$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** `--report` and related options, for commands that show their result through `present`. */
export function addReportOptions(command: Command): Command {
  return command
    .option('--report <format=file>', 'also write the result to a file (repeatable)', repeat)
    .option(
      '--max-bytes <n>',
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

/** `--report` for a command that checks nothing, and so has no report for a forge. */
export function addPlainReports(command: Command): Command {
  const one = (value: string, previous: readonly string[] | undefined) => {
    if (!/^(?:text|json|html)=/.test(value))
      throw new InvalidArgumentError('Write html=FILE, json=FILE or text=FILE.');
    return repeat(value, previous);
  };
  return command.option(
    '--report <format=file>',
    'also write the result to a file: html, json, text (repeatable)',
    one,
  );
}

function maxBytes(text: string): number {
  const bytes = maxBytesOf(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError(`It must be a number of bytes, ${PLACE_NAMES.join(', ')}.`);
  }
  return bytes;
}
