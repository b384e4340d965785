import { type Command, Option } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import type { ExplainOptions } from '../../src/features/explain/explain.ts';
import type { ExportOptions } from '../../src/features/export/export.ts';
import type { FmtOptions } from '../../src/features/fmt.ts';
import type { InitOptions } from '../../src/features/init/answers.ts';
import type { ReportOptions } from '../../src/features/report/report.ts';
import type { SandboxCommandOptions } from '../../src/features/sandbox.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs, wholeNumber } from '../options.ts';

/** Commands for work on a repository. None of them writes to the service. */
export function addRepositoryCommands(program: Command, choose: Choose): void {
  runs<ReportOptions, string>(
    program
      .command('report')
      .description('show a saved document (-o json) as a page for a browser; sends nothing')
      .argument('<document>', 'a document from -o json, --report json=FILE or plan --out')
      .requiredOption('--html <file>', 'write the page to this file'),
    choose,
    { formats: ['text', 'json'] },
    async (options, io, document) =>
      (await import('../../src/features/report/report.ts')).runReport(document, options, io),
  );
  runs<ExportOptions, readonly string[]>(
    program
      .command('export')
      .description('write manifests from live state (GET requests only)')
      .argument('[address-or-id...]', 'only these addresses; * stands for any text')
      .option('--out <dir>', 'write files into this directory instead of printing')
      .option('--project-name <name>', 'start a project with this name if there is none')
      .option('--kind <kind>', 'only sniper, copy-trade, transfer-snipe, … (repeatable)', repeat)
      .addOption(
        new Option('--only <owner...>', 'only tasks of these owners').choices([
          'owned',
          'unmanaged',
          'foreign',
          'damaged',
        ]),
      )
      .option('--running', 'only running tasks')
      .option('--paused', 'only paused tasks')
      .option('--label <name>', 'only tasks with this label (repeatable)', repeat)
      .option('--presets', 'move config that tasks share into presets')
      .option('--grouped', 'one file per kind instead of one per task'),
    choose,
    { formats: ['yaml', 'json'] },
    async (options, io, names) =>
      (await import('../../src/features/export/export.ts')).runExport(names, options, io),
  );
  runs<CommonOptions>(
    program.command('doctor').description('check token, scopes, quota, network, clock'),
    choose,
    { formats: ['text', 'json'] },
    async (options, io) => (await import('../../src/features/doctor/doctor.ts')).runDoctor(options, io),
  );
  runs<InitOptions, string | undefined>(
    program
      .command('init')
      .description('scaffold a repository: manifests, CI workflows, editor settings')
      .argument('[dir]', 'directory; default: the current one')
      .option('--project-name <name>', 'name of the project, which is part of every marker')
      .addOption(
        new Option('--ci <system>', 'workflow files for this system').choices(['github', 'gitlab', 'none']),
      )
      .option('--action <owner/repo@ref>', 'with --ci github: your copy of the action')
      .option('--from-live', 'write manifests for everything on the service (GET requests only)')
      .option('--presets', 'with --from-live: move config that tasks share into presets')
      .option('--grouped', 'with --from-live: one file per kind instead of one per task'),
    choose,
    { formats: ['text', 'json'] },
    async (options, io, directory) =>
      (await import('../../src/features/init/init.ts')).runInit(directory, options, io),
  );
  runs<ExplainOptions, string | undefined>(
    program
      .command('explain')
      .description('explain a manifest field, a diagnostic code or a word')
      .argument('[name]', 'a field (kind and path), a code, or a word')
      .option('--code <code>', 'explain this diagnostic code')
      .option('--codes', 'list the diagnostic codes'),
    choose,
    { formats: ['text', 'json'] },
    async (options, io, path) =>
      (await import('../../src/features/explain/explain.ts')).runExplain(path, options, io),
  );
  runs<FmtOptions, readonly string[]>(
    program
      .command('fmt')
      .description('write the manifests in their canonical form')
      .argument('[file...]', 'only these files; default: the project file and all its manifests')
      .option('--check', 'write nothing; exit code 2 if a file would change'),
    choose,
    { formats: ['text', 'json'] },
    async (options, io, files) => (await import('../../src/features/fmt.ts')).runFmt(files, options, io),
  );
  runs<CommonOptions, string | undefined>(
    program
      .command('schema')
      .description('print the JSON Schema of a manifest kind')
      .argument('[kind]', 'a kind of manifest; default: all kinds'),
    choose,
    { formats: ['json'] },
    async (_options, io, kind) => (await import('../../src/features/schema.ts')).runSchema(kind, io),
  );
  runs<SandboxCommandOptions>(
    program
      .command('sandbox')
      .description('run the embedded service on loopback')
      .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(0, 65_535))
      .option('--seed <file>', 'accounts, tokens and resources to start with (YAML, JSON)')
      .option('--data <file>', 'keep the state in this file')
      .option('--latency <ms>', 'wait this long before each answer', wholeNumber(0, 60_000))
      .option('--choice <name=value>', 'behaviour where the interface leaves a choice (repeatable)', repeat),
    choose,
    { formats: ['text', 'json'], stopsSoftly: true, printsToken: true },
    async (options, io) => (await import('../../src/features/sandbox.ts')).runSandbox(options, io),
  );
}
