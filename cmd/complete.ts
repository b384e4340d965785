import type { Command, Option } from 'commander';
import type { ValueKind } from '../src/features/complete/values.ts';

/** One possible next word. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** `given` are the options before the word, by their long names. `typed` is the beginning of the word. */
type Values = (
  kind: ValueKind,
  given: ReadonlyMap<string, string>,
  typed: string,
) => Promise<readonly string[]>;

/** For commands whose option has a narrower meaning than elsewhere. */
const OF_COMMAND: Readonly<Record<string, ValueKind>> = {
  'export --kind': 'collection',
};
const OF_OPTION: Readonly<Record<string, ValueKind>> = {
  '--target': 'address',
  '--exclude': 'address',
  '--resume-stopped': 'address',
  '--environment': 'environment',
  '--kind': 'task-kind',
  '--label': 'label',
  '--ignore': 'drift-class',
  '--fail-on': 'drift-class',
  '--report': 'report',
  '--override': 'guardrail',
  '--choice': 'choice',
  '--max-bytes': 'place',
  '--base': 'revision',
  '--diff': 'revision',
  '--code': 'code',
  '--take-over': 'foreign-project',
};
const OF_ARGUMENT: Readonly<Record<string, ValueKind>> = {
  render: 'address',
  pause: 'running',
  resume: 'paused',
  rollback: 'revision',
  release: 'live',
  status: 'live',
  export: 'address',
  explain: 'field',
  schema: 'schema',
};

/**
 * The possible replacements of the last word. The words before it are read as the program reads them. Empty for a file, because
 * shells complete files themselves.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  values: Values,
): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? '';
  // zsh and fish pass `--label=High` as one word, bash as three.
  const [, name = '', rest] = /^(--[a-z-]+)=(.*)$/s.exec(last) ?? [];
  const typed = last === '=' ? '' : (rest ?? last);
  const before = [...words.slice(0, -1), ...(rest === undefined ? [] : [name])];
  const { command, option, given } = understood(
    program,
    before.filter((word) => word !== '='),
  );
  const next = { values, given, typed };
  const found = typed.startsWith('-')
    ? optionsOf(command).filter(({ value }) => value.startsWith('--') || value === typed)
    : option !== undefined
      ? await valuesOf(option, command, next)
      : command === program
        ? commandsOf(program)
        : await argumentsOf(command, next);
  // zsh and fish expect the option in front of each candidate, as in the word that they passed.
  const lead = rest === undefined ? '' : `${name}=`;
  return found
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, description }) => ({ value: lead + value, description }));
}

interface Understood {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  readonly given: ReadonlyMap<string, string>;
}

function understood(program: Command, words: readonly string[]): Understood {
  let command = program;
  let option: Option | undefined;
  const given = new Map<string, string>();
  for (const word of words) {
    if (word.startsWith('-')) {
      const [name = '', value] = word.split('=', 2);
      const known = [...command.options, ...program.options].find(
        (one) => one.short === name || one.long === name,
      );
      if (known?.long != null && value !== undefined) given.set(known.long, value);
      option = known === undefined || known.isBoolean() || value !== undefined ? undefined : known;
    } else if (option !== undefined) {
      if (option.long != null) given.set(option.long, word);
      if (!option.variadic) option = undefined;
    } else if (command === program) {
      command = program.commands.find((one) => one.name() === word) ?? program;
    }
  }
  return { command, option, given };
}

interface Next {
  readonly values: Values;
  readonly given: ReadonlyMap<string, string>;
  readonly typed: string;
}

function valuesOf(option: Option, command: Command, next: Next): Promise<readonly Candidate[]> {
  const long = option.long ?? '';
  const kind = OF_COMMAND[`${command.name()} ${long}`] ?? OF_OPTION[long];
  return chosenFrom(option.argChoices, kind, next);
}

function argumentsOf(command: Command, next: Next): Promise<readonly Candidate[]> {
  const [argument] = command.registeredArguments;
  return chosenFrom(argument?.argChoices, OF_ARGUMENT[command.name()], next);
}

async function chosenFrom(
  choices: readonly string[] | undefined,
  kind: ValueKind | undefined,
  { values, given, typed }: Next,
): Promise<readonly Candidate[]> {
  const found = choices ?? (kind === undefined ? [] : await values(kind, given, typed));
  return found.map((value) => ({ value, description: '' }));
}

function commandsOf(program: Command): readonly Candidate[] {
  const visible = program.createHelp().visibleCommands(program);
  return visible.map((command) => ({ value: command.name(), description: command.description() }));
}

/** The options of the command and the common ones. */
function optionsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...(command.parent?.options ?? [])].map(
    ({ long, short, description }) => ({
      value: long ?? short ?? '',
      description,
    }),
  );
}
