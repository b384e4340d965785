import type { Command } from 'commander';
import type { ExplainOptions } from '../../src/features/explain/explain.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addExplain(program: Command, choose: Choose): void {
  const declared = program
    .command('explain')
    .description('explain a manifest field, a diagnostic code or a word')
    .argument('[name]', 'a field (kind and path), a code, or a word')
    .option('--code <code>', 'explain this diagnostic code')
    .option('--codes', 'list the diagnostic codes');
  runs<ExplainOptions, string | undefined>(
    declared,
    choose,
    { formats: ['text', 'json'] },
    async (options, io, path) =>
      (await import('../../src/features/explain/explain.ts')).runExplain(path, options, io),
  );
}
