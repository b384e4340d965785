import { Argument, type Command } from 'commander';
import type { Io } from '../../src/commands/io.ts';
import { type Candidate, complete, type ValueKind, type Values } from '../complete.ts';
import type { Choose } from '../invocation.ts';

const EXAMPLES = `
The script asks tradeform for what could stand next: commands, options, and
addresses and environments of the project that you are in. Nothing is sent.

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
  local line
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _tradeform tradeform
`,
  zsh: `#compdef tradeform
_tradeform() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${line/$'\\t'/:}")
  done < <("\${words[1]}" ${COMPLETE} -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe tradeform found; else _files; fi
}
if [ "$funcstack[1]" = "_tradeform" ]; then _tradeform "$@"; else compdef _tradeform tradeform; fi
`,
  fish: `function __tradeform_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] ${COMPLETE} -- $words[2..-1] 2>/dev/null
end
complete -c tradeform -n 'test (count (__tradeform_complete)) -gt 0' -f -a '(__tradeform_complete)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command, choose: Choose): void {
  program
    .command('completion')
    .description('a script that completes commands, options and addresses')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => {
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
          io.stdout(found.map(lineOf).join(''));
          return 0;
        },
      });
    });
}

/** Descriptions are ours; the rest of a line is its second part to every shell. */
function lineOf({ value, description }: Candidate): string {
  return description === '' ? `${value}\n` : `${value}\t${description}\n`;
}

function valuesFor(io: Io): Values {
  return {
    async of(kind: ValueKind, given) {
      const values = await import('../../src/commands/complete-values.ts');
      const named = {
        chdir: given.get('--chdir'),
        project: given.get('--project'),
        environment: given.get('--environment'),
      };
      switch (kind) {
        case 'address':
          return values.addressesOf(named, io);
        case 'environment':
          return values.environmentsOf(named, io);
        case 'kind':
          return values.kindNames();
        case 'collection':
          return values.collectionNames();
        case 'code':
          return values.codeNames();
        case 'schema':
          return (await import('../../src/commands/schema.ts')).SCHEMA_NAMES;
      }
    },
  };
}
