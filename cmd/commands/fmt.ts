import type { Command } from 'commander';
import type { FmtOptions } from '../../src/features/fmt.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

const EXAMPLES = `
Fields come in the order of the schema, amounts in double quotes, two columns a
level. Comments stay with what they stand at. What the manifests say does not
change: that is checked before a file is written. Documents with aliases keep
the order of their fields. Prints the files that change.

Examples:
  $ tradeform fmt
  $ tradeform fmt manifests/snipers/dawn.yaml
  $ tradeform fmt --check            in CI: ends with 2, writes nothing
`;

export function addFmt(program: Command, choose: Choose): void {
  const declared = program
    .command('fmt')
    .description('write the manifests in their canonical form')
    .argument('[file...]', 'these files; default: the project file and all its manifests')
    .option('--check', 'write nothing; end with 2 where a file would change');
  runs<FmtOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'] },
    async (options, io, files) => (await import('../../src/features/fmt.ts')).runFmt(files, options, io),
  );
}
