import { type Command, Option } from 'commander';
import type { StatusOptions } from '../../src/features/status/status.ts';
import type { Choose } from '../invocation.ts';
import { addPlainReports, repeat, runs, wholeNumber } from '../options.ts';

export function addStatus(program: Command, choose: Choose): void {
  const declared = addPlainReports(program.command('status'))
    .description('list every task: desired and live state, owner, held or not (GET requests only)')
    .argument('[task...]', 'only these tasks: address, name, id, wallet address, or part of the remark')
    .option(
      '--label <name>',
      'only tasks with this label, by its name on the service or in the manifests (repeatable)',
      repeat,
    )
    .option('--kind <kind>', 'only this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
    .option('--running', 'only running tasks')
    .option('--paused', 'only paused tasks')
    .option('--held', 'only tasks that are held, or whose start is pending')
    .option('--differs', 'only tasks that an apply would change, or cannot change')
    .option('--unmanaged', 'only tasks that the project does not own')
    .addOption(
      new Option(
        '--sort <by>',
        'highest exposure first, latest change first, or held and different first',
      ).choices(['sol', 'since', 'state']),
    )
    .option('--watch [seconds]', 'repeat every so many seconds (default: 10)', wholeNumber(1, 9_999));
  runs<StatusOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json', 'html'], stopsSoftly: ({ watch }) => watch !== undefined },
    async (options, io, addresses) =>
      (await import('../../src/features/status/status.ts')).runStatus(addresses, options, io),
  );
}
