import type { Command } from 'commander';
import type { SandboxCommandOptions } from '../../src/features/sandbox.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs, wholeNumber } from '../options.ts';

export function addSandbox(program: Command, choose: Choose): void {
  const declared = program
    .command('sandbox')
    .description('run the embedded service on loopback')
    .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(0, 65_535))
    .option('--seed <file>', 'accounts, tokens and resources to start with (YAML, JSON)')
    .option('--data <file>', 'keep the state in this file')
    .option('--latency <ms>', 'wait this long before each answer', wholeNumber(0, 60_000))
    .option('--choice <name=value>', 'behaviour where the interface leaves a choice (repeatable)', repeat);
  runs<SandboxCommandOptions>(
    declared,
    choose,
    { formats: ['text', 'json'], stopsSoftly: true, printsToken: true },
    async (options, io) => (await import('../../src/features/sandbox.ts')).runSandbox(options, io),
  );
}
