import type { Command } from 'commander';
import type { FmtOptions } from '../../src/features/fmt.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addFmt(program: Command, choose: Choose): void {
  const declared = program
    .command('fmt')
    .description('write the manifests in their canonical form')
    .argument('[file...]', 'only these files; default: the project file and all its manifests')
    .option('--check', 'write nothing; exit code 2 if a file would change');
  runs<FmtOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json'] },
    async (options, io, files) => (await import('../../src/features/fmt.ts')).runFmt(files, options, io),
  );
}
