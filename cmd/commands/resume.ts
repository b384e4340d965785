import type { Command } from 'commander';
import type { ResumeOptions } from '../../src/features/switch/resume.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';
import { addChoice } from './pause.ts';

export function addResume(program: Command, choose: Choose): void {
  const declared = addChoice(
    program
      .command('resume')
      .description('start what `tradeform pause` stopped, and held tasks that are named'),
  )
    .option('--due', 'only what `pause --for` stopped and is due now')
    .option('--held', 'also tasks that a person or buy_once stopped')
    .option('--include-unmanaged', 'also tasks that the project does not own, each named by its id')
    .option('--auto-approve', 'do not ask')
    .option(
      '--override <guardrail=digest>',
      'allow what one guardrail refuses, only for the resume with this digest (repeatable)',
      repeat,
    )
    .option('--as-stored', 'with --auto-approve: also tasks that can spend differently from git');
  runs<ResumeOptions, readonly string[]>(
    declared,
    choose,
    { formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, names) =>
      (await import('../../src/features/switch/resume.ts')).runResume(names, options, io),
  );
}
