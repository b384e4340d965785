import type { Command } from 'commander';
import type { ExplainOptions } from '../../src/features/explain/explain.ts';
import type { Choose } from '../invocation.ts';
import { afterHelp, optionsOf } from '../options.ts';

const EXAMPLES = `
PATH is a kind and a field: SniperTask.spec.config.buy_amount. A collection
will do for the kind: sniper.spec.config lists the fields of a config.
CODE is what stands in brackets: warning[slippage-inert].
Reads no project and sends nothing.

Examples:
  $ tradeform explain SniperTask.spec.config.buy_amount
  $ tradeform explain copy-trade.spec.config.buy_config_tiers
  $ tradeform explain --code slippage-inert
  $ tradeform explain --codes
`;

export function addExplain(program: Command, choose: Choose): void {
  program
    .command('explain')
    .description('documentation of a manifest field or a diagnostic code')
    .argument('[path]', 'a kind, and a field below it')
    .option('--code <code>', 'what a diagnostic code means, and what to do')
    .option('--codes', 'list the diagnostic codes')
    .addHelpText('after', afterHelp(EXAMPLES, ['text', 'json']))
    .action((path: string | undefined, _options, command: Command) => {
      const options = optionsOf<ExplainOptions>(command, ['text', 'json']);
      choose({
        chdir: options.chdir,
        stopsSoftly: false,
        run: async (io) =>
          (await import('../../src/features/explain/explain.ts')).runExplain(path, options, io),
      });
    });
}
