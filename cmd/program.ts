import { Command, Option } from 'commander';
import type { Io } from '../src/command/io.ts';
import { VERSION } from '../src/command/version.ts';
import { FORMATS } from '../src/render/formats/format.ts';
import { addCompletion } from './commands/completion.ts';
import { addFleet } from './commands/fleet.ts';
import { addManifestCommands } from './commands/manifests.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addRepositoryCommands } from './commands/repository.ts';
import { addSwitchCommands } from './commands/switch.ts';
import type { Choose } from './invocation.ts';
import { helpPage, wholeNumber } from './options.ts';

/** The whole command line. The chosen command is passed to `choose` and not run here. */
export function buildProgram(io: Io, choose: Choose): Command {
  const program = new Command('tradeform');
  program
    .description('Declarative GitOps reconciler for trading tasks: manifests in git → plan → apply.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help')
    .option('-C, --chdir <dir>', 'run in this directory')
    .option('--project <file>', 'project file (default: tradeform.yaml here or above, in the repository)')
    .option('-e, --environment <name>', 'environment of the project file [TRADEFORM_ENVIRONMENT]')
    .option('--base-url <url>', 'base URL of the service [TRADEFORM_BASE_URL]')
    .option('--token-file <file>', 'file with the API token [TRADEFORM_TOKEN_FILE]')
    .addOption(
      // Each command knows its formats and lists them (`optionsOf`).
      new Option('-o, --output <format>', 'output format')
        .choices([...FORMATS, 'yaml'])
        .argParser(String)
        .default('text'),
    )
    .option('--concurrency <n>', 'parallel requests, 1 to 64 (default: 8)', wholeNumber(1, 64))
    .option('--redact-wallets', 'show names instead of wallet addresses [TRADEFORM_REDACT_WALLETS]')
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
  addManifestCommands(program, choose);
  addPlanCommands(program, choose);
  addSwitchCommands(program, choose);
  addFleet(program, choose);
  addRepositoryCommands(program, choose);
  addCompletion(program, choose);
  for (const command of program.commands)
    command.copyInheritedSettings(program).helpOption('-h, --help', 'show help');
  return program;
}
