import { type Command, Option } from 'commander';
import type { InitOptions } from '../../src/features/init/answers.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addInit(program: Command, choose: Choose): void {
  const declared = program
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
    .option('--grouped', 'with --from-live: one file per kind instead of one per task');
  runs<InitOptions, string | undefined>(
    declared,
    choose,
    { formats: ['text', 'json'] },
    async (options, io, directory) =>
      (await import('../../src/features/init/init.ts')).runInit(directory, options, io),
  );
}
