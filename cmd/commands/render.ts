import type { Command } from 'commander';
import type { RenderOptions } from '../../src/features/render/render.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addRender(program: Command, choose: Choose): void {
  const declared = program
    .command('render')
    .description('print the compiled desired state, or what differs from another revision')
    .argument('[address...]', 'only these')
    .option('--origin', 'only these addresses')
    .option('--diff <rev>', 'show where each value comes from')
    .option('--detailed-exitcode', 'with --diff: end with 2 when there are differences');
  // What is printed without -o is YAML, or text of differences.
  const otherwise = {
    formats: ({ diff }: RenderOptions) => (diff === undefined ? undefined : ['json']),
    said: 'with --diff: exit code 2 if there are differences',
  };
  runs<RenderOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['yaml', 'json'], otherwise },
    async (options, io, addresses) =>
      (await import('../../src/features/render/render.ts')).runRender(addresses, options, io),
  );
}
