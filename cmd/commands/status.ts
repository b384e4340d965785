import { type Command, Option } from 'commander';
import type { StatusOptions } from '../../src/features/status/status.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs, wholeNumber } from '../options.ts';

export function addStatus(program: Command, choose: Choose): void {
  const declared = program
    .command('status')
    .description('every task: desired, live, owner, held or not (GET requests only)')
    .argument('[task...]', 'only these: address, name, id, wallet address, or part of the remark')
    .option(
      '--label <name>',
      'only with this label, by its name there or in the manifests (repeatable)',
      repeat,
    )
    .option('--kind <kind>', 'only of this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
    .option('--running', 'only what runs')
    .option('--paused', 'only what is paused')
    .option('--held', 'only what is held, or whose start is pending')
    .option('--differs', 'only what an apply would change, or cannot')
    .option('--unmanaged', 'only what is not of the project')
    .addOption(
      new Option('--sort <by>', 'dearest, changed last, or what is held and differs first').choices([
        'sol',
        'since',
        'state',
      ]),
    )
    .option('--watch [seconds]', 'draw anew every so many seconds (default: 10)', wholeNumber(1, 9_999));
  runs<StatusOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json'], stopsSoftly: ({ watch }) => watch !== undefined },
    async (options, io, addresses) =>
      (await import('../../src/features/status/status.ts')).runStatus(addresses, options, io),
  );
}
