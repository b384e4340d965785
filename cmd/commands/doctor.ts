import type { Command } from 'commander';
import type { CommonOptions } from '../../src/command/options.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addDoctor(program: Command, choose: Choose): void {
  const declared = program.command('doctor').description('check token, scopes, quota, network, clock');
  runs<CommonOptions>(declared, choose, { formats: ['text', 'json'] }, async (options, io) =>
    (await import('../../src/features/doctor/doctor.ts')).runDoctor(options, io),
  );
}
