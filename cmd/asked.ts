import type { Command } from 'commander';
import type { FailureOptions } from '../src/core/command/failure.ts';
import type { Io } from '../src/core/command/io.ts';
import { given } from '../src/core/model/given.ts';
import { addReportOptions, commandName } from './options.ts';
import { buildProgram } from './program.ts';

/** What a command line says about the output, and the other names in it. */
export type Asked = Omit<FailureOptions, 'printed'> & { readonly chdir?: string };

/**
 * The same for a command line that cannot be parsed, which may still ask for a format and for reports. Unknown options and refused
 * values are skipped.
 */
export function askedFor(args: readonly string[], io: Io): Asked {
  // Reports are written whatever the command is called.
  const program = forgiving(addReportOptions(buildProgram(io, () => undefined)));
  // The empty word is the value of a last option that lacks one.
  const { operands, unknown } = program.parseOptions([...args, '']);
  return askedBelow(program, operands, unknown);
}

/** `operands` and `unknown`: what is left of the line after the options of the command. */
function askedBelow(command: Command, operands: readonly string[], unknown: readonly string[]): Asked {
  const named = [...operands, ...unknown].map((word) => command.commands.find((one) => one.name() === word));
  const below = named.find((one) => one !== undefined);
  if (below === undefined) return askedOf(command, [...operands, ...unknown]);
  const own = forgiving(below).parseOptions([...unknown, '']);
  return askedBelow(below, [...operands, ...own.operands], own.unknown);
}

/** For a command whose options were parsed. `words` are the words of the command line that are not its options. */
export function askedOf(command: Command, words: readonly string[]): Asked {
  const written = Object.entries(command.optsWithGlobals()).filter(([, value]) => value !== '');
  const {
    output,
    report = [],
    chdir,
    github,
    metrics,
    heartbeat,
    notify,
    ...others
  } = Object.fromEntries(written) as Partial<Asked>;
  const chosen = (name: string) => command.getOptionValueSourceWithGlobals(name) === 'cli';
  const values = Object.entries(others).map(([name, value]) => (chosen(name) ? value : []));
  const name = commandName(command);
  const isWord = (word: unknown): word is string =>
    typeof word === 'string' && !name.split(' ').includes(word);
  return {
    ...others,
    ...given({ output, chdir, metrics, heartbeat, notify }),
    command: name,
    report,
    // Only commands with `--report` write for GitHub Actions by themselves.
    github:
      github === true && command.parent !== null && command.options.some(({ long }) => long === '--report'),
    taken: [...words, ...values.flat()].filter(isWord).filter((word) => /^[^-]/.test(word)),
  };
}

function forgiving(command: Command): Command {
  for (const option of command.options) {
    const { parseArg } = option;
    if (parseArg === undefined) continue;
    option.argParser((value, previous: unknown) => {
      try {
        return parseArg(value, previous);
      } catch {
        return previous;
      }
    });
  }
  return command;
}
