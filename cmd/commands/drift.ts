import { type Command, InvalidArgumentError } from 'commander';
import type { DriftOptions } from '../../src/features/drift/drift.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, repeat, runs } from '../options.ts';

const EXAMPLES = `
Git is the commit of HEAD; what is not committed does not count. Drift is told
from the commits before it, without any state:
  started      git wants it paused, and it runs
  conflict     more than one carries its name
  interrupted  an apply was left part-way
  stopped      git wants it running, and somebody or buy_once stopped it
  changed      no commit wants it as it is: somebody changed it
  missing      git has it, and the service does not
  damaged      its marker cannot be read
  pending      an earlier commit wants it as it is: git moved on
  unmanaged    nobody manages it from git
  foreign      it belongs to another project
Ends with 2 on drift. unmanaged, foreign, and a stopped task with buy_once
are shown and do not count, unless --fail-on names their class.
GET requests only.

Examples:
  $ tradeform drift
  $ tradeform drift -e production --ignore pending
  $ tradeform drift --fail-on unmanaged --report junit=drift.xml
  $ tradeform drift --since 2026-11-01 -o json
  $ tradeform drift --target 'sniper/*' --since v1.4
`;

export function addDrift(program: Command, choose: Choose): void {
  const declared = addReportOptions(
    program.command('drift').description('report what differs from git, and why (GET requests only)'),
  )
    .option('--target <address>', 'look at this address only, and what it needs (repeatable)', repeat)
    .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
    .option('--ignore <class>', 'leave a class out of the exit code (repeatable)', repeat)
    .option('--fail-on <class>', 'end with 2 for a class that is only shown otherwise (repeatable)', repeat)
    .option('--depth <n>', 'look at most at so many commits (default: 200)', depth)
    .option('--since <date|rev>', 'look no further back than a date (2026-11-01, UTC) or a git revision');
  runs<DriftOptions>(declared, choose, { examples: EXAMPLES, formats: FORMATS }, async (options, io) =>
    (await import('../../src/features/drift/drift.ts')).runDrift(options, io),
  );
}

function depth(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  }
  return Number(text);
}
