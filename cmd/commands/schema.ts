import type { Command } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addSchema(program: Command, choose: Choose): void {
  const declared = program
    .command('schema')
    .description('print the JSON Schema of a manifest kind')
    .argument('[kind]', 'a kind of manifest; default: all kinds');
  runs<CommonOptions, string | undefined>(
    declared,
    choose,
    { formats: ['json'] },
    async (_options, io, kind) => (await import('../../src/features/schema.ts')).runSchema(kind, io),
  );
}
