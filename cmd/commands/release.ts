import type { Command } from 'commander';
import type { ReleaseOptions } from '../../src/features/switch/release.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

export function addRelease(program: Command, choose: Choose): void {
  const declared = program
    .command('release')
    .description('remove the marker from tasks: they stay as they are, no longer managed from git')
    .argument('[address...]', 'addresses of tasks')
    .option('--id <id>', 'a task by its id on the service (repeatable)', repeat)
    .option('--project-name <name>', 'name of the project, if the project file cannot be read')
    .option('--dry-run', 'only show what would be done')
    .option('--auto-approve', 'do not ask');
  runs<ReleaseOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, addresses) =>
      (await import('../../src/features/switch/release.ts')).runRelease(addresses, options, io),
  );
}
