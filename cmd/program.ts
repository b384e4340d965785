import { Command, Option } from 'commander';
import type { Io } from '../src/core/command/io.ts';
import { FORMATS } from '../src/core/render/format.ts';
import { addComment } from './commands/comment.ts';
import { addCompletion } from './commands/completion.ts';
import { addFleet } from './commands/fleet.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addManifestCommands, addRepositoryCommands } from './commands/repository.ts';
import { addSwitchCommands } from './commands/switch.ts';
import { deadlineOf, declaring, helpPage, type RunCommand, wholeNumber } from './options.ts';

/** The whole command line. `run` gets the command that it names. */
export function buildProgram(io: Io, run: RunCommand): Command {
  const program = new Command('tradeform');
  program
    .description('Declarative GitOps reconciler for trading tasks: manifests in git → plan → apply.')
    .option('--version', 'print the version; with -o json, more about it')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help')
    .option('-C, --chdir <dir>', 'run in this directory')
    .option('--project <file>', 'project file (default: tradeform.yaml here or above, in the repository)')
    .option('-e, --environment <environment>', 'environment of the project file [TRADEFORM_ENVIRONMENT]')
    .option('--base-url <url>', 'base URL of the service [TRADEFORM_BASE_URL]')
    .option('--token-file <file>', 'file with the API token [TRADEFORM_TOKEN_FILE]')
    .addOption(
      // Each command knows its formats and lists them (`invocationOf`).
      new Option('-o, --output <format>', 'output format')
        .choices([...FORMATS, 'yaml'])
        .argParser(String)
        .default('text'),
    )
    .option('--concurrency <n>', 'parallel requests, 1 to 64 (default: 8)', wholeNumber(1, 64))
    .option('--deadline <time>', 'end after this time: 90s, 10m, 1h [TRADEFORM_DEADLINE]', deadlineOf)
    .option('--no-color', 'no colours (also NO_COLOR)')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'show all details, and more on stderr')
    .exitOverride()
    .configureHelp({ helpWidth: io.columns })
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      // The entry point reports errors once, as diagnostics. Help goes to stdout.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHasColors: () => io.color.stdout,
    })
    .addHelpText('after', ({ command }) => helpPage(command));
  const declare = declaring(run);
  addManifestCommands(program, declare);
  addPlanCommands(program, declare);
  addSwitchCommands(program, declare);
  addFleet(program, declare);
  addComment(program, declare);
  addRepositoryCommands(program, declare);
  addCompletion(program, declare);
  return program;
}
