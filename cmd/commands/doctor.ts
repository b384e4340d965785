import type { Command } from 'commander';
import type { Choose } from '../invocation.ts';
import { afterHelp, optionsOf } from '../options.ts';

const EXAMPLES = `
Checks settings, the token's form, reachability, scopes, expiry, quota, the
account pin and the clock. GET requests only.

Examples:
  $ tradeform doctor
  $ tradeform doctor -e production -o json
`;

export function addDoctor(program: Command, choose: Choose): void {
  program
    .command('doctor')
    .description('token, scopes, expiry, quota, reachability, clock')
    .addHelpText('after', afterHelp(EXAMPLES, ['text', 'json']))
    .action((_options, command: Command) => {
      const options = optionsOf(command, ['text', 'json']);
      choose({
        chdir: options.chdir,
        stopsSoftly: false,
        run: async (io) => (await import('../../src/features/doctor/doctor.ts')).runDoctor(options, io),
      });
    });
}
