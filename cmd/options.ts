import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../src/command/io.ts';
import type { CommonOptions } from '../src/command/options.ts';
import { CommandFailure } from '../src/diagnostics/diagnostic.ts';
import { didYouMean } from '../src/manifest/suggest.ts';
import { maxBytesOf, PLACE_NAMES } from '../src/render/markdown/limits.ts';
import type { Choose } from './invocation.ts';

/** The common options as the parser names them; `color` is decided when the terminal is opened. */
interface ParsedCommon extends CommonOptions {
  readonly chdir?: string;
  readonly color: boolean;
}

/**
 * Options of the command and the common ones in one object. A format that the command does not print is a usage error.
 */
export function optionsOf<Own extends object>(
  command: Command,
  formats: readonly string[],
): Own & ParsedCommon & { output: string } {
  const options = command.optsWithGlobals<Own & ParsedCommon & { output: string }>();
  if (!formats.includes(options.output)) {
    throw new CommandFailure(3, [
      {
        severity: 'error',
        code: 'invalid-option',
        message: `\`tradeform ${command.name()}\` does not print ${options.output}`,
        hint: `${didYouMean(options.output, formats)?.replace(/^d/, 'D') ?? ''} It prints ${formats.join(', ')}.`.trim(),
      },
    ]);
  }
  return options;
}

const COMMON = `Common options: -C, --project, -e, --base-url, --token-file, -o, --concurrency,
  --redact-wallets, --no-color, -q, -v; \`tradeform --help\` says what they do.
`;

/** What the help of one command says below its options: examples, the values of `-o`, and the names of the common options. */
export function afterHelp(examples: string, formats: readonly string[], more = ''): string {
  return `${examples}\nOutput formats: -o ${formats.join(', ')}${more}\n${COMMON}`;
}

interface Running<Options> {
  /** Below the options, in help. */
  readonly examples: string;
  /** What `-o` takes; text is what is printed without it. */
  readonly formats: readonly string[];
  readonly stopsSoftly?: true | ((options: Options) => boolean);
  readonly printsToken?: true;
}

/** Ends the declaration of a command: its help, and what runs with its options and its first argument once it is chosen. */
export function runs<Options extends object, First = undefined>(
  command: Command,
  choose: Choose,
  { examples, formats, stopsSoftly = () => false, ...how }: Running<Options>,
  run: (options: Options & ParsedCommon & { output: string }, io: Io, first: First) => Promise<number>,
): void {
  command.addHelpText('after', afterHelp(examples, formats)).action(() => {
    const options = optionsOf<Options>(command, [...new Set(['text', ...formats])]);
    choose({
      ...how,
      chdir: options.chdir,
      stopsSoftly: stopsSoftly === true || stopsSoftly(options),
      run: (io) => run(options, io, command.processedArgs[0] as First),
    });
  });
}

/** Collects a repeatable option. */
export function repeat(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Takes a whole number from 0 to `most`, written in digits. */
export function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,5}$/.test(text) || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
    }
    return value;
  };
}

/** `--report` and what goes with it: for commands that show their result through `present`. */
export function addReportOptions(command: Command): Command {
  return command
    .option('--report <format=file>', 'write the result to a file as well (repeatable)', repeat)
    .option(
      '--max-bytes <n>',
      `shorten Markdown to so many bytes, or to the room of: ${PLACE_NAMES.join(', ')}`,
      maxBytes,
    )
    .option('--no-github', 'in GitHub Actions: no annotations, no step summary');
}

function maxBytes(text: string): number {
  const bytes = maxBytesOf(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError(`It must be a number of bytes, ${PLACE_NAMES.join(', ')}.`);
  }
  return bytes;
}
