import type { Command } from 'commander';
import type { ResumeOptions } from '../../src/features/switch/resume.ts';
import type { Choose } from '../invocation.ts';
import { repeat, runs } from '../options.ts';
import { addChoice } from './pause.ts';

const EXAMPLES = `
Starts what \`tradeform pause\` stopped, after a literal "yes". A task that is
named is started whoever stopped it; by --all, a label, a kind or * only what
the switch stopped, unless --held is given: what a person stopped, or buy_once,
stays as it is.
A task starts as it is stored. What can spend otherwise than its manifest has it
is shown with both values: \`tradeform apply --resume-stopped ADDRESS\` starts it
as git has it. --auto-approve alone refuses (exit 4) what nobody would see.
The guardrails of the project hold for what starts: a refusal names the
--override that lets exactly this resume through.
Later plans agree: the marker says that the start was asked for, and an apply
finishes it where this command is interrupted. A task that its manifest wants
paused drifts from git, and the next apply stops it again.

Examples:
  $ tradeform resume sniper/dawn
  $ tradeform resume --all
  $ tradeform resume --label high-risk --held --dry-run
  $ tradeform resume --due --auto-approve       on a schedule
`;

export function addResume(program: Command, choose: Choose): void {
  const declared = addChoice(
    program
      .command('resume')
      .description('start what `tradeform pause` stopped, and held tasks that are named'),
  )
    .option('--due', 'what `pause --for` stopped and is due now, and nothing else')
    .option('--held', 'also what a person or buy_once stopped')
    .option('--include-unmanaged', 'also tasks that are not of the project, each by its id')
    .option('--auto-approve', 'do not ask')
    .option(
      '--override <guardrail=digest>',
      'let the refusals of one guardrail through, for the resume with this digest alone (repeatable)',
      repeat,
    )
    .option('--as-stored', 'with --auto-approve: also what can spend otherwise than its manifest has it');
  runs<ResumeOptions, readonly string[]>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'], stopsSoftly: true },
    async (options, io, names) =>
      (await import('../../src/features/switch/resume.ts')).runResume(names, options, io),
  );
}
