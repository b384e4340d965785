import type { Command } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

const EXAMPLES = `
KIND is a manifest kind or its collection (SniperTask, sniper); without it the
schema takes any manifest. "plan", "report", "result", "drift", "status",
"switch" and "rehearsal" are the documents of -o json.
Editors read such a file where a manifest names it in its first line:
  # yaml-language-server: $schema=../manifest.schema.json

Examples:
  $ tradeform schema > manifest.schema.json
  $ tradeform schema copy-trade
  $ tradeform schema plan
`;

export function addSchema(program: Command, choose: Choose): void {
  const declared = program
    .command('schema')
    .description('the JSON Schema of a manifest kind')
    .argument('[kind]', 'a kind of manifest; default: any of them');
  runs<CommonOptions, string | undefined>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['json'] },
    async (_options, io, kind) => (await import('../../src/features/schema.ts')).runSchema(kind, io),
  );
}
