import type { Command } from 'commander';
import type { ExplainOptions } from '../../src/features/explain/explain.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

const EXAMPLES = `
NAME is one of
  a kind and a field   SniperTask.spec.config.buy_amount, or sniper.spec.config
  a diagnostic code    slippage-inert, as in warning[slippage-inert]
  a word               held, drift, marker
Part of a name lists everything that has it. Reads no project and sends nothing.

Examples:
  $ tradeform explain SniperTask.spec.config.buy_amount
  $ tradeform explain copy-trade.spec.config.buy_config_tiers
  $ tradeform explain slippage-inert
  $ tradeform explain held
  $ tradeform explain slippage
  $ tradeform explain --codes
`;

export function addExplain(program: Command, choose: Choose): void {
  const declared = program
    .command('explain')
    .description('documentation of a manifest field, a diagnostic code or a word')
    .argument('[name]', 'a field (kind and path), a code, or a word')
    .option('--code <code>', 'what a diagnostic code means, and what to do')
    .option('--codes', 'list the diagnostic codes');
  runs<ExplainOptions, string | undefined>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'] },
    async (options, io, path) =>
      (await import('../../src/features/explain/explain.ts')).runExplain(path, options, io),
  );
}
