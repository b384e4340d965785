import type { Command } from 'commander';
import type { FailureOptions } from '../src/command/failure.ts';
import type { Io } from '../src/command/io.ts';
import { addReportOptions } from './options.ts';
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
  const named = [...operands, ...unknown].map((word) => program.commands.find((one) => one.name() === word));
  const command = named.find((one) => one !== undefined);
  if (command === undefined) return askedOf(program, [...operands, ...unknown]);
  const own = forgiving(command).parseOptions([...unknown, '']);
  return askedOf(command, [...operands, ...own.operands, ...own.unknown]);
}

/** For a command whose options were parsed. `words` are the words of the command line that are not its options. */
export function askedOf(command: Command, words: readonly string[]): Asked {
  const given = Object.entries(command.optsWithGlobals()).filter(([, value]) => value !== '');
  const {
    output,
    report = [],
    chdir,
    github,
    metrics,
    heartbeat,
    notify,
    ...others
  } = Object.fromEntries(given) as Partial<Asked>;
  const chosen = (name: string) => command.getOptionValueSourceWithGlobals(name) === 'cli';
  const values = Object.entries(others).map(([name, value]) => (chosen(name) ? value : []));
  const isWord = (word: unknown): word is string => typeof word === 'string' && word !== command.name();
  return {
    ...others,
    ...(output === undefined ? {} : { output }),
    ...(chdir === undefined ? {} : { chdir }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(heartbeat === undefined ? {} : { heartbeat }),
    ...(notify === undefined ? {} : { notify }),
    command: command.name(),
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
