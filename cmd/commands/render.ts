import type { Command } from 'commander';
import type { RenderOptions } from '../../src/features/render/render.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addRender(program: Command, choose: Choose): void {
  const declared = program
    .command('render')
    .description('print the compiled desired state, or what differs from another revision')
    .argument('[address...]', 'only these addresses')
    .option('--origin', 'show where each value comes from')
    .option('--diff <rev>', 'compare with a git revision instead: main, main..., v1.4, HEAD~3')
    .option('--detailed-exitcode', 'with --diff: exit code 2 if there are differences');
  // What is printed without -o is YAML, or text of differences.
  const otherwise = {
    formats: ({ diff }: RenderOptions) => (diff === undefined ? undefined : ['json']),
    said: '; with --diff: text, json',
  };
  runs<RenderOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['yaml', 'json'], otherwise },
    async (options, io, addresses) =>
      (await import('../../src/features/render/render.ts')).runRender(addresses, options, io),
  );
}
