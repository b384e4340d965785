import type { Command } from 'commander';
import type { SandboxCommandOptions } from '../../src/features/sandbox.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs, wholeNumber } from '../options.ts';

const EXAMPLES = `
The whole service interface on loopback, for trying things out and for tests.
Prints base URL and token.

Examples:
  $ tradeform sandbox
  $ tradeform sandbox --port 8787 --data sandbox.json
  $ tradeform sandbox --seed account.yaml --latency 20
`;

export function addSandbox(program: Command, choose: Choose): void {
  const declared = program
    .command('sandbox')
    .description('run the embedded service on loopback')
    .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(65_535))
    .option('--seed <file>', 'accounts, tokens and resources to begin with (YAML, JSON)')
    .option('--data <file>', 'keep the state in this file')
    .option('--latency <ms>', 'wait this long before each answer', wholeNumber(60_000))
    .option('--choice <name=value>', 'what to do where the interface does not say (repeatable)', repeat);
  runs<SandboxCommandOptions>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'], stopsSoftly: true, printsToken: true },
    async (options, io) => (await import('../../src/features/sandbox.ts')).runSandbox(options, io),
  );
}
