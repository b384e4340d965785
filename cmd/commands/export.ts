import { type Command, Option } from 'commander';
import type { ExportOptions } from '../../src/features/export/export.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

const EXAMPLES = `
Without --out the manifests are printed. With it they are written into the
project that DIR belongs to, one file a task; manifests that are there are made
to say what is live, and keep their comments, names and state. Where there is
no project, --project-name begins one in DIR. GET requests only. A shell empties
a file before \`> FILE\` is written: what the project reads is written by --out.

Tasks of this project and unmanaged ones are exported, those of other projects
and with damaged markers only where they are named. state is active for what
runs and paused for what does not, but active for a task that git started and
somebody stopped: it stays held. Adopting what was exported starts and pauses
nothing. What no manifest can say is left out, or kept by ignore_changes, and
said in comments.

Examples:
  $ tradeform export > live.yaml
  $ tradeform export --out strategies --project-name core --presets
  $ tradeform export --out .
  $ tradeform export --only unmanaged --running
  $ tradeform export 'copy-trade/*' --label high-risk -o json
  $ tradeform export 5e0c1f2a-0000-4000-8000-000000000001
`;

export function addExport(program: Command, choose: Choose): void {
  const declared = program
    .command('export')
    .description('write manifests from live state (GET requests only)')
    .argument('[address-or-id...]', 'only these; * stands for any text')
    .option('--out <dir>', 'write files below this directory, instead of printing')
    .option('--project-name <name>', 'begin a project of this name where there is none')
    .option('--kind <kind>', 'only sniper, copy-trade, transfer-snipe, … (repeatable)', repeat)
    .addOption(
      new Option('--only <owner...>', 'only tasks of these').choices([
        'owned',
        'unmanaged',
        'foreign',
        'damaged',
      ]),
    )
    .option('--running', 'only tasks that run')
    .option('--paused', 'only tasks that do not run')
    .option('--label <name>', 'only tasks with this label (repeatable)', repeat)
    .option('--presets', 'put config that tasks share into presets')
    .option('--grouped', 'one file a kind instead of one a task');
  runs<ExportOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['yaml', 'json'] },
    async (options, io, names) =>
      (await import('../../src/features/export/export.ts')).runExport(names, options, io),
  );
}
