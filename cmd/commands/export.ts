import { type Command, Option } from 'commander';
import type { ExportOptions } from '../../src/features/export/export.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

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
    { formats: ['yaml', 'json'] },
    async (options, io, names) =>
      (await import('../../src/features/export/export.ts')).runExport(names, options, io),
  );
}
