import { Argument, type Command } from 'commander';
import type { Io } from '../../src/command/io.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import { PLACE_NAMES } from '../../src/render/markdown/limits.ts';
import { type Candidate, complete, type ValueKind, type Values } from '../complete.ts';
import type { Choose } from '../invocation.ts';
import { afterHelp, optionsOf } from '../options.ts';

const EXAMPLES = `
The script asks tradeform for what could stand next: commands, options and their
values, and addresses, labels and environments of the project that you are in.
For status, pause, resume, release, --label and --take-over it asks the service
too, where it has a token: GET requests, for two seconds at most; without an
answer it offers what the manifests have.

Examples:
  $ source <(tradeform completion bash)          # in ~/.bashrc
  $ source <(tradeform completion zsh)           # in ~/.zshrc
  $ tradeform completion fish | source           # in config.fish
`;

/** Words that scripts give: what is written so far, the word to complete last. */
const COMPLETE = '__complete';

/** In each: no candidates means files. */
const SCRIPTS = {
  bash: `_tradeform() {
  local line quotes=$'"\\'' current=\${COMP_WORDS[COMP_CWORD]} open= at
  # The quote that is open where the word ends: what is offered goes in there.
  for (( at = 0; at < \${#current}; at++ )); do
    case $open\${current:at:1} in
      \\\\ | '"'\\\\) (( at += 1 )) ;;
      "''" | '""') open= ;;
      "'" | '"') open=\${current:at:1} ;;
    esac
  done
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # As typed, with quotes: the names that are looked for have none.
  words=("\${words[@]//\\\\/}")
  words=("\${words[@]#["$quotes"]}")
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    case $open in
      "'") line=\${line//\\'/\\'\\\\\\'\\'} ;;
      '"')
        # No quoting keeps a history expansion from a ! in there.
        [[ $line == *!* ]] && continue
        line=\${line//\\\\/\\\\\\\\} line=\${line//\\"/\\\\\\"}
        line=\${line//\\$/\\\\\\$} line=\${line//\\\`/\\\\\\\`}
        ;;
      *) [[ $line == *[!a-zA-Z0-9_./:@%+=,-]* ]] && printf -v line %q "$line" ;;
    esac
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} -- "\${words[@]}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o bashdefault -o default -F _tradeform tradeform
`,
  zsh: `#compdef tradeform
_tradeform() {
  local -a found suffix
  local line value tab=$'\\t'
  while IFS= read -r line; do
    value=\${line%%$tab*}
    [[ $value == *= ]] && suffix=(-S '')
    # What follows a colon is the description: one within the value is quoted.
    value=\${value//:/\\\\:}
    [[ $line == *$tab* ]] && value+=":\${line#*$tab}"
    found+=("$value")
  done < <("\${words[1]}" ${COMPLETE} -- "\${(@Q)words[2,$CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe tradeform found "\${suffix[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_tradeform" ]; then _tradeform "$@"; else compdef _tradeform tradeform; fi
`,
  fish: `function __tradeform_complete
  # -x is -o of fish 4 and later.
  set -l before (commandline -opc)
  if commandline -x >/dev/null 2>&1
    set before (commandline -xpc)
  end
  set -l current (commandline -ct)
  set -l found ($before[1] ${COMPLETE} -- $before[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c tradeform -f -a '(__tradeform_complete)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command, choose: Choose): void {
  program
    .command('completion')
    .description('a script that completes commands, options and addresses')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', afterHelp(EXAMPLES, ['text']))
    .action((shell: Shell, _options, command: Command) => {
      optionsOf(command, ['text']);
      choose({
        chdir: undefined,
        stopsSoftly: false,
        run: async (io) => {
          io.stdout(SCRIPTS[shell]);
          return 0;
        },
      });
    });
  program
    .command(COMPLETE, { hidden: true })
    .argument('[word...]')
    .action((words: readonly string[]) => {
      choose({
        chdir: undefined,
        stopsSoftly: false,
        run: async (io) => {
          const found = await complete(program, words, valuesFor(io));
          io.stdout(found.filter(isOneLine).map(lineOf).join(''));
          return 0;
        },
      });
    });
}

/** Names of the service and of branches can hold anything: a line break would make another candidate, an escape reaches the terminal. */
function isOneLine({ value }: Candidate): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value);
}

/** Descriptions are ours; the rest of a line is its second part to every shell. */
function lineOf({ value, description }: Candidate): string {
  return description === '' ? `${value}\n` : `${value}\t${description}\n`;
}

function valuesFor(io: Io): Values {
  return {
    async of(kind: ValueKind, given, typed) {
      const values = await import('../../src/features/complete/values.ts');
      const named = {
        chdir: given.get('--chdir'),
        project: given.get('--project'),
        environment: given.get('--environment'),
        baseUrl: given.get('--base-url'),
        tokenFile: given.get('--token-file'),
      };
      switch (kind) {
        case 'address':
          return values.addressesOf(named, io);
        case 'environment':
          return values.environmentsOf(named, io);
        case 'field':
          return values.fieldNames(typed);
        case 'foreign-project':
          return values.foreignProjectsOf(named, io);
        case 'seconds':
          return ['5', '10', '30', '60'];
        case 'collection':
          return values.collectionNames();
        case 'task-kind':
          return values.taskKindNames();
        case 'live':
          return values.liveAddressesOf('all', named, io);
        case 'running':
        case 'paused':
          return values.liveAddressesOf(kind, named, io);
        case 'label':
          return values.labelsOf(named, io);
        case 'revision':
          return values.revisionNames(named, io);
        case 'report':
          return FORMATS.map((format) => `${format}=`);
        case 'place':
          return PLACE_NAMES;
        case 'drift-class':
          return (await import('../../src/features/drift/classes.ts')).DRIFT_CLASSES;
        case 'guardrail':
          return (await import('../../src/desired/guardrails/settings.ts')).GUARDRAILS.map(
            (name) => `${name}=`,
          );
        case 'choice':
          return (await import('../../src/sandbox/choices.ts')).CHOICE_NAMES.map((name) => `${name}=`);
        case 'code':
          return values.codeNames();
        case 'schema':
          return (await import('../../src/features/schema.ts')).SCHEMA_NAMES;
      }
    },
  };
}
