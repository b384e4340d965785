import type { Command } from 'commander';
import type { RenderOptions } from '../../src/features/render/render.ts';
import type { Choose } from '../invocation.ts';
import { afterHelp, optionsOf } from '../options.ts';

const EXAMPLES = `
The output is what the manifests come to once presets, variables, rows and
patches are in: complete manifests of one environment, in order of address.
They compile to the same state; values of the environment are not shown.
An address is <collection>/<name>; * stands for any text: 'sniper/*'.
Nothing is sent.

Examples:
  $ tradeform render
  $ tradeform render sniper/dawn --origin
  $ tradeform render 'copy-trade/*' -e production -o json
  $ tradeform render --diff main
  $ tradeform render --diff main...        as it was where the branch left main
  $ tradeform render --diff HEAD~3 --detailed-exitcode
`;

export function addRender(program: Command, choose: Choose): void {
  program
    .command('render')
    .description('print the compiled desired state, or what differs from another revision')
    .argument('[address...]', 'only these')
    .option('--origin', 'say of each value where it stands')
    .option('--diff <rev>', 'compare with a git revision instead: main, main..., v1.4, HEAD~3')
    .option('--detailed-exitcode', 'with --diff: end with 2 when there are differences')
    .addHelpText('after', afterHelp(EXAMPLES, ['yaml', 'json'], '; with --diff: text, json'))
    .action((addresses: readonly string[], _options, command: Command) => {
      // What is printed without -o is YAML, or text of differences.
      const formats = command.opts<RenderOptions>().diff === undefined ? ['yaml', 'json'] : ['json'];
      const options = optionsOf<RenderOptions>(command, ['text', ...formats]);
      choose({
        chdir: options.chdir,
        stopsSoftly: false,
        run: async (io) =>
          (await import('../../src/features/render/render.ts')).runRender(addresses, options, io),
      });
    });
}
