import { type Command, Option } from 'commander';
import type { InitOptions } from '../../src/features/init/answers.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

const EXAMPLES = `
Writes a project file, manifests, workflow files for CI, settings for editors
and a .gitignore. Files that are there stay as they are. On a terminal it asks
for what no option says. The name of the project is the folder's and an ending
by chance, so that no two repositories share one. With a token and a base URL
it pins the account, and refuses a name that tasks there carry (GET requests
only). With --from-live the manifests are those of what is on the service (as
\`tradeform export\` writes them); the first apply then adopts all of it, and
starts and pauses nothing.
Where there is a project, here or above, --ci github or gitlab adds the workflow
files alone, at the top of the repository.

Examples:
  $ tradeform init
  $ tradeform init desk --ci github --action acme/tradeform@v0.1.0
  $ tradeform init desk --from-live --presets
  $ tradeform init --ci gitlab            # in a project that is there
`;

export function addInit(program: Command, choose: Choose): void {
  const declared = program
    .command('init')
    .description('scaffold a repository: manifests, CI workflows, editor settings')
    .argument('[dir]', 'where; default: here')
    .option('--project-name <name>', 'the project: the owner in every marker')
    .addOption(
      new Option('--ci <system>', 'workflow files for this system').choices(['github', 'gitlab', 'none']),
    )
    .option('--action <owner/repo@ref>', 'with --ci github: your copy of the action')
    .option('--from-live', 'manifests of what is on the service (GET requests only)')
    .option('--presets', 'with --from-live: put config that tasks share into presets')
    .option('--grouped', 'with --from-live: one file a kind instead of one a task');
  runs<InitOptions, string | undefined>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'] },
    async (options, io, directory) =>
      (await import('../../src/features/init/init.ts')).runInit(directory, options, io),
  );
}
