import type { Command } from 'commander';
import type { FailureOptions } from '../src/command/failure.ts';
import type { Io } from '../src/command/io.ts';
import { addReportOptions } from './options.ts';
import { buildProgram } from './program.ts';

/** What a command line says of the output, and what else it names. */
export type Asked = Omit<FailureOptions, 'printed'> & { readonly chdir?: string };

/**
 * The same of a command line that does not parse: that may still ask for a format and for reports. Options that nobody knows
 * and values that are refused are passed over.
 */
export function askedFor(args: readonly string[], io: Io): Asked {
  // Reports are wanted whatever the command is called.
  const program = forgiving(addReportOptions(buildProgram(io, () => undefined)));
  // The empty word is the value of a last option that has none.
  const { operands, unknown } = program.parseOptions([...args, '']);
  const named = [...operands, ...unknown].map((word) => program.commands.find((one) => one.name() === word));
  const command = named.find((one) => one !== undefined);
  if (command === undefined) return askedOf(program, [...operands, ...unknown]);
  const own = forgiving(command).parseOptions([...unknown, '']);
  return askedOf(command, [...operands, ...own.operands, ...own.unknown]);
}

/** Of a command whose options were read; `words` are those of the command line that are no options of it. */
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
    // Only commands that take `--report` speak to GitHub Actions by themselves.
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
