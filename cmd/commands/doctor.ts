import type { Command } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

const EXAMPLES = `
Checks settings, the token's form, reachability, scopes, expiry, quota, the
account pin and the clock. GET requests only.

Examples:
  $ tradeform doctor
  $ tradeform doctor -e production -o json
`;

export function addDoctor(program: Command, choose: Choose): void {
  const declared = program.command('doctor').description('token, scopes, expiry, quota, reachability, clock');
  runs<CommonOptions>(
    declared,
    choose,
    { examples: EXAMPLES, formats: ['text', 'json'] },
    async (options, io) => (await import('../../src/features/doctor/doctor.ts')).runDoctor(options, io),
  );
}
