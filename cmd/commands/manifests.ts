import type { Command } from 'commander';
import type { RenderOptions } from '../../src/features/render/render.ts';
import type { ValidateOptions } from '../../src/features/validate.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, runs } from '../options.ts';

/** Commands that need only the manifests. */
export function addManifestCommands(program: Command, choose: Choose): void {
  runs<ValidateOptions>(
    addReportOptions(program.command('validate').description('check the manifests offline')),
    choose,
    { formats: FORMATS },
    async (options, io) => (await import('../../src/features/validate.ts')).runValidate(options, io),
  );
  // Without -o, `render` prints YAML or the differences as text.
  const otherwise = {
    formats: ({ diff }: RenderOptions) => (diff === undefined ? undefined : ['json']),
    said: '; with --diff: text, json',
  };
  runs<RenderOptions, readonly string[]>(
    program
      .command('render')
      .description('print the compiled desired state, or what differs from another revision')
      .argument('[address...]', 'only these addresses')
      .option('--origin', 'show where each value comes from')
      .option('--diff <rev>', 'compare with a git revision instead: main, main..., v1.4, HEAD~3')
      .option('--detailed-exitcode', 'with --diff: exit code 2 if there are differences'),
    choose,
    { formats: ['yaml', 'json'], otherwise },
    async (options, io, addresses) =>
      (await import('../../src/features/render/render.ts')).runRender(addresses, options, io),
  );
}
