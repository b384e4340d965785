import { type Command, Option } from 'commander';
import { FORGE_NAMES } from '../../src/core/command/event.ts';
import type { RenderOptions } from '../../src/core/features/render/render.ts';
import { FORMATS, PLAIN_FORMATS } from '../../src/core/render/format.ts';
import type { ExportOptions } from '../../src/kit/export/export.ts';
import { addPlainReports, addReportOptions, type Declare, repeat, wholeNumber } from '../options.ts';

const OWNERS = ['owned', 'unmanaged', 'foreign', 'damaged'];

/** Commands for work on a repository. None of them writes to the service. */
export function addRepositoryCommands(program: Command, { runs }: Declare): void {
  runs(
    program
      .command('report')
      .description('show a saved document (-o json) as a page for a browser; sends nothing')
      .argument('<document>', 'a document from -o json, --report json=FILE or plan --out')
      .requiredOption('--html <file>', 'write the page to this file'),
    async () => (await import('../../src/kit/report/report.ts')).runReport,
  );
  runs<[readonly string[]], ExportOptions>(
    program
      .command('export')
      .description('write manifests from live state (GET requests only)')
      .argument('[address-or-id...]', 'only these addresses; * stands for any text')
      .option('--out <dir>', 'write files into this directory instead of printing')
      .option('--project-name <name>', 'start a project with this name if there is none')
      .option('--kind <kind>', 'only sniper, copy-trade, transfer-snipe, … (repeatable)', repeat)
      .addOption(new Option('--only <owner...>', 'only tasks of these owners').choices(OWNERS))
      .option('--running', 'only running tasks')
      .option('--paused', 'only paused tasks')
      .option('--label <label>', 'only tasks with this label (repeatable)', repeat)
      .option('--presets', 'move config that tasks share into presets')
      .option('--grouped', 'one file per kind instead of one per task'),
    async () => (await import('../../src/kit/export/export.ts')).runExport,
    { token: 'reads', formats: ['yaml', 'json'], stopsSoftly: true },
  );
  runs(
    program.command('doctor').description('check token, scopes, quota, network, clock'),
    async () => (await import('../../src/kit/doctor/doctor.ts')).runDoctor,
    { token: 'reads' },
  );
  runs(
    program
      .command('init')
      .description('scaffold a repository: manifests, CI workflows, editor settings')
      .argument('[dir]', 'directory; default: the current one')
      .option('--project-name <name>', 'name of the project, which is part of every marker')
      .addOption(
        new Option('--ci <system>', 'workflow files for this system').choices([...FORGE_NAMES, 'none']),
      )
      .option('--from-live', 'write manifests for everything on the service (GET requests only)')
      .option('--presets', 'with --from-live: move config that tasks share into presets')
      .option('--grouped', 'with --from-live: one file per kind instead of one per task'),
    async () => (await import('../../src/kit/init/init.ts')).runInit,
    { token: 'named', stopsSoftly: true },
  );
  runs(
    program
      .command('explain')
      .description('explain a manifest field, a diagnostic code or a word')
      .argument('[name]', 'a field (kind and path), a code, or a word')
      .option('--code <code>', 'explain this diagnostic code')
      .option('--codes', 'list the diagnostic codes'),
    async () => (await import('../../src/kit/explain/explain.ts')).runExplain,
  );
  runs(
    program
      .command('fmt')
      .description('write the manifests in their canonical form')
      .argument('[file...]', 'only these files; default: the project file and all its manifests')
      .option('--check', 'write nothing; exit code 2 if a file would change'),
    async () => (await import('../../src/kit/fmt.ts')).runFmt,
  );
  runs(
    program
      .command('schema')
      .description('print the JSON Schema of a manifest kind')
      .argument('[kind]', 'a kind of manifest; default: all kinds'),
    async () => (await import('../../src/kit/schema.ts')).runSchema,
    { formats: ['json'] },
  );
  addLogCommands(program, runs);
  runs(
    program
      .command('sandbox')
      .description('run the embedded service on loopback')
      .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(0, 65_535))
      .option('--seed <file>', 'accounts, tokens and resources to start with (YAML, JSON)')
      .option('--data <file>', 'keep the state in this file')
      .option('--latency <ms>', 'wait this long before each answer', wholeNumber(0, 60_000))
      .option('--choice <name=value>', 'behaviour where the interface leaves a choice (repeatable)', repeat),
    async () => (await import('../../src/kit/sandbox.ts')).runSandbox,
    { stopsSoftly: true, printsToken: true, deadline: 'none' },
  );
}

/** Commands that read a journal. */
function addLogCommands(program: Command, runs: Declare['runs']): void {
  const inFolder = (command: Command) =>
    command.option('--journal <dir>', 'the folder of the journal [TRADEFORM_JOURNAL]');
  const log = addPlainReports(
    program
      .command('log')
      .description('list the runs in a journal: who did what, when and from which commit'),
  )
    .argument('[dir]', 'the folder of the journal (default: TRADEFORM_JOURNAL, then your own)')
    .option('--address <address>', 'only runs that were to change this (repeatable)', repeat)
    .option('--since <time>', 'only runs since then: 2026-11-21, 2026-11-21T08:00:00Z')
    .option('--starts', 'only runs that started something')
    .option('--raises', 'only runs after which more is at stake')
    .option('--failed', 'only runs that are not done');
  runs(log, async () => (await import('../../src/kit/log/log.ts')).runLog, { formats: PLAIN_FORMATS });
  runs(
    inFolder(log.command('show').description('show what one run did')).argument(
      '<run>',
      'its name, or the end of it, or `latest`',
    ),
    async () => (await import('../../src/kit/log/log.ts')).runLogShow,
    { formats: PLAIN_FORMATS },
  );
  runs(
    inFolder(
      log.command('restore').description('print the manifest of what a run deleted, changed or paused'),
    )
      .argument('<address>', 'the address')
      .requiredOption('--at <run>', 'the run, or `latest`'),
    async () => (await import('../../src/kit/log/restore.ts')).runLogRestore,
    { formats: ['text'] },
  );
}

/** Commands that need only the manifests. */
export function addManifestCommands(program: Command, { runs }: Declare): void {
  runs(
    addReportOptions(program.command('validate').description('check the manifests offline')),
    async () => (await import('../../src/core/features/validate.ts')).runValidate,
    { formats: FORMATS },
  );
  // Without -o, `render` prints YAML or the differences as text.
  const otherwise = {
    formats: ({ diff }: RenderOptions) => (diff === undefined ? undefined : ['json']),
    said: '; with --diff: text, json',
  };
  runs(
    program
      .command('render')
      .description('print the compiled desired state, or what differs from another revision')
      .argument('[address...]', 'only these addresses')
      .option('--origin', 'show where each value comes from')
      .option('--diff <rev>', 'compare with a git revision instead: main, main..., v1.4, HEAD~3')
      .option('--detailed-exitcode', 'with --diff: exit code 2 if there are differences'),
    async () => (await import('../../src/core/features/render/render.ts')).runRender,
    { formats: ['yaml', 'json'], otherwise },
  );
}
