import type { Command } from 'commander';
import type { ReleaseOptions } from '../../src/features/switch/release.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

const EXAMPLES = `
Takes the marker of the project off tasks, after a literal "yes". A released
task stays as it is: one that runs goes on, and nobody manages it from git.
By --id also one of two tasks that carry one name (a clone), and one whose
marker is damaged: what stands before it is kept as the note.
A task that a manifest still describes is adopted again, or blocks the next
plan. To let it go for good, use a Removal with release: true in the commit that
removes its manifest: removing the manifest alone would let an apply delete it.

Examples:
  $ tradeform release sniper/dawn
  $ tradeform release --id 5e0c1d2a-0000-4000-8000-0000000000aa
  $ tradeform release sniper/dawn --dry-run
`;

export function addRelease(program: Command, choose: Choose): void {
  const declared = program
    .command('release')
    .description('take the marker off tasks: they stay as they are, and git lets go of them')
    .argument('[address...]', 'addresses of tasks')
    .option('--id <id>', 'a task by its id on the service (repeatable)', repeat)
    .option('--project-name <name>', 'whose tasks are meant, where the project file cannot be read')
    .option('--dry-run', 'only show what would be done')
    .option('--auto-approve', 'do not ask');
  runs<ReleaseOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, addresses) =>
      (await import('../../src/features/switch/release.ts')).runRelease(addresses, options, io),
  );
}
