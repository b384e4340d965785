import { type Command, Option } from 'commander';
import type { ExportOptions } from '../../src/features/export/export.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

export function addExport(program: Command, choose: Choose): void {
  const declared = program
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
    .option('--grouped', 'one file per kind instead of one per task');
  runs<ExportOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['yaml', 'json'] },
    async (options, io, names) =>
      (await import('../../src/features/export/export.ts')).runExport(names, options, io),
  );
}
