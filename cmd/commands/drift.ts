import type { Command } from 'commander';
import type { DriftOptions } from '../../src/features/drift/drift.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addMonitorOptions, addReportOptions, repeat, runs, wholeNumber } from '../options.ts';

export function addDrift(program: Command, choose: Choose): void {
  const command = program
    .command('drift')
    .description('report what differs from git, and why (GET requests only)');
  const declared = addMonitorOptions(addReportOptions(command))
    .option('--target <address>', 'only this address, and what it needs (repeatable)', repeat)
    .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
    .option('--ignore <class>', 'ignore a class in the exit code (repeatable)', repeat)
    .option('--fail-on <class>', 'exit code 2 also for this class (repeatable)', repeat)
    .option('--depth <n>', 'read at most this many commits (default: 200)', wholeNumber(1, 999_999))
    .option('--since <date|rev>', 'read commits back to a date (2026-11-01, UTC) or a git revision');
  runs<DriftOptions>(declared, choose, { formats: FORMATS }, async (options, io) =>
    (await import('../../src/features/drift/drift.ts')).runDrift(options, io),
  );
}
