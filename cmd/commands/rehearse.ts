import type { Command } from 'commander';
import type { RehearseOptions } from '../../src/features/rehearse/rehearse.ts';
import type { Choose } from '../invocation.ts';
import { runs, wholeNumber } from '../options.ts';
import { addOnlyOption, addPlanningOptions } from './plan.ts';

const EXAMPLES = `
The live state is read, and the plan carried out in this process against the
embedded service that holds it: every request is validated, and none is sent.
It shows the requests in their order, how long each task would not trade, and
whether a second plan would be empty. Time is virtual: it does not wait.
What the service's interface leaves open is answered as \`tradeform sandbox\`
answers it; what others do meanwhile is not foreseen.

Examples:
  $ tradeform rehearse
  $ tradeform rehearse --latency 120 --concurrency 4
  $ tradeform rehearse --target copy-trade/whale-7 -o json
`;

export function addRehearse(program: Command, choose: Choose): void {
  const declared = addOnlyOption(
    addPlanningOptions(
      program
        .command('rehearse')
        .description('carry the plan out against the embedded service (GET requests only)'),
    ),
  )
    .option('--base <rev>', 'for --only: a revision that was applied before')
    .option('--latency <ms>', 'milliseconds an answer takes (default: 50)', wholeNumber(60_000));
  runs<RehearseOptions>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'] },
    async (options, io) => (await import('../../src/features/rehearse/rehearse.ts')).runRehearse(options, io),
  );
}
