import { Argument, type Command, type Option } from 'commander';
import type { Io } from '../../src/core/command/io.ts';
import { readPackaged } from '../../src/core/command/packaged.ts';
import type { ValueKind } from '../../src/kit/complete/values.ts';
import { commandName, type Declare, type Invocation } from '../options.ts';

/** The command that the scripts in `cmd/completion/` call: its arguments are the words so far, and the last one is completed. */
const COMPLETE = '__complete';

export function addCompletion(program: Command, { runCommand, runs }: Declare): void {
  const declared = program
    .command('completion')
    .description('print a script that completes commands, options and addresses')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(['bash', 'zsh', 'fish']));
  runs(
    declared,
    async () => async (shell: string, _options: object, io: Io) => {
      io.stdout(readPackaged(`cmd/completion/tradeform.${shell}`));
      return 0;
    },
    { formats: ['text'] },
  );
  program
    .command(COMPLETE, { hidden: true })
    .argument('[word...]')
    .action((words: readonly string[], _options: object, own: Command) => {
      const invocation: Invocation = {
        chdir: undefined,
        stopsSoftly: false,
        run: async (io) => {
          const found = await complete(program, words, io);
          io.stdout(found.filter(isOneLine).map(lineOf).join(''));
          return 0;
        },
      };
      return runCommand(invocation, own);
    });
}

/**
 * Names on the service and of branches may contain anything. A line break would create another candidate, and an escape would
 * reach the terminal.
 */
function isOneLine({ value }: Candidate): boolean {
  return !/\p{Cc}|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value);
}

/** tradeform wrote the descriptions. Every shell reads the rest of a line as the description. */
function lineOf({ value, description }: Candidate): string {
  return description === '' ? `${value}\n` : `${value}\t${description}\n`;
}

/** One possible next word. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * What a value is, by its name in the definition of an option or argument (`--target <address>`): everywhere, or after the name of
 * a command.
 */
const OF_VALUE: Readonly<Record<string, ValueKind>> = {
  address: 'address',
  'address-or-id': 'address',
  bytes: 'place',
  class: 'drift-class',
  code: 'code',
  environment: 'environment',
  kind: 'task-kind',
  label: 'label',
  project: 'foreign-project',
  rev: 'revision',
  'format=file': 'report',
  'guardrail=digest': 'guardrail',
  'name=value': 'choice',
  'explain name': 'field',
  'export kind': 'collection',
  'pause name': 'running',
  'resume name': 'paused',
  'schema kind': 'schema',
  'status task': 'live',
};

/**
 * The possible replacements of the last word. The words before it are read as the program reads them. Empty for a file, because
 * shells complete files themselves.
 */
async function complete(program: Command, words: readonly string[], io: Io): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? '';
  // zsh and fish pass `--label=High` as one word, bash as three.
  const [, long = '', rest] = /^(--[a-z-]+)=(.*)$/s.exec(last) ?? [];
  const typed = last === '=' ? '' : (rest ?? last);
  const before = [...words.slice(0, -1), ...(rest === undefined ? [] : [long])];
  const { command, option, given } = understood(
    program,
    before.filter((word) => word !== '='),
  );
  const [argument] = command.registeredArguments;
  const name = option === undefined ? argument?.name() : /[<[]([^.\]>]+)/.exec(option.flags)?.[1];
  const kind = OF_VALUE[`${commandName(command)} ${name}`] ?? OF_VALUE[name ?? ''];
  const choices = (option ?? argument)?.argChoices;
  const values = async () => {
    if (choices !== undefined || kind === undefined) return choices ?? [];
    return (await import('../../src/kit/complete/values.ts')).valuesOf(kind, given, typed, io);
  };
  const found = typed.startsWith('-')
    ? optionsOf(command).filter(({ value }) => value.startsWith('--') || value === typed)
    : option === undefined && command.commands.length > 0
      ? commandsOf(command)
      : (await values()).map((value) => ({ value, description: '' }));
  // zsh and fish expect the option in front of each candidate, as in the word that they passed.
  const lead = rest === undefined ? '' : `${long}=`;
  return found
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, description }) => ({ value: lead + value, description }));
}

/** The command of a line, the option whose value comes next, and the options before. */
function understood(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  const given = new Map<string, string>();
  for (const word of words) {
    if (word.startsWith('-')) {
      const [name = '', value] = word.split('=', 2);
      const known = allOptions(command).find((one) => one.short === name || one.long === name);
      if (known?.long != null && value !== undefined) given.set(known.long, value);
      option = known === undefined || known.isBoolean() || value !== undefined ? undefined : known;
    } else if (option !== undefined) {
      if (option.long != null) given.set(option.long, word);
      if (!option.variadic) option = undefined;
    } else {
      command = command.commands.find((one) => one.name() === word) ?? command;
    }
  }
  return { command, option, given };
}

function commandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), description: one.description() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  return [...command.createHelp().visibleOptions(command), ...aboveOptions(command)].map(
    ({ long, short, description }) => ({ value: long ?? short ?? '', description }),
  );
}

function allOptions(command: Command): readonly Option[] {
  return [...command.options, ...aboveOptions(command)];
}

function aboveOptions({ parent }: Command): readonly Option[] {
  return parent === null ? [] : allOptions(parent);
}
