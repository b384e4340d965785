import { type Command, InvalidArgumentError, Option } from 'commander';
import type { StatusOptions } from '../../src/features/status/status.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';

const EXAMPLES = `
One line a task: what the manifests want, what the service has, since when it is
unchanged there, what is at stake per trigger, its label; and below it why it is
held, pending, blocked, or what an apply would do. It is the plan, by task: the
two never disagree. GET requests only.
All filters that are given must hold. An address is <collection>/<name>; * means
any text.

Examples:
  $ tradeform status
  $ tradeform status 'sniper/*' --held
  $ tradeform status --unmanaged --running
  $ tradeform status --label high-risk --watch 5
  $ tradeform status --sort sol
`;

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
    .option('--watch [seconds]', 'draw anew every so many seconds (default: 10)', seconds);
  runs<StatusOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'], stopsSoftly: ({ watch }) => watch !== undefined },
    async (options, io, addresses) =>
      (await import('../../src/features/status/status.ts')).runStatus(addresses, options, io),
  );
}

function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d{1,4}$/.test(text) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  }
  return value;
}
