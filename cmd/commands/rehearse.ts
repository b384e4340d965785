import type { Command } from 'commander';
import type { RehearseOptions } from '../../src/features/rehearse/rehearse.ts';
import type { Choose } from '../invocation.ts';
import { addPlainReports, runs, wholeNumber } from '../options.ts';
import { addOnlyOption, addPlanningOptions } from './plan.ts';

export function addRehearse(program: Command, choose: Choose): void {
  const declared = addPlainReports(
    addOnlyOption(
      addPlanningOptions(
        program
          .command('rehearse')
          .description('carry out the plan against the embedded service instead (GET requests only)'),
      ),
    ),
  )
    .option('--base <rev>', 'for --only: a revision that was applied before')
    .option('--latency <ms>', 'milliseconds an answer takes (default: 50)', wholeNumber(0, 60_000));
  runs<RehearseOptions>(declared, choose, { formats: ['text', 'json', 'html'] }, async (options, io) =>
    (await import('../../src/features/rehearse/rehearse.ts')).runRehearse(options, io),
  );
}
