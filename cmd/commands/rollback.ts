import type { Command } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, runs } from '../options.ts';
import { addApplyingOptions } from './apply.ts';
import { addPlanningOptions } from './plan.ts';

export function addRollback(program: Command, choose: Choose): void {
  const command = program.command('rollback').description('apply the manifests of an earlier git revision');
  const declared = addApplyingOptions(addReportOptions(addPlanningOptions(command))).argument(
    '<rev>',
    'the git revision',
  );
  runs<ApplyOptions, string>(
    declared,
    choose,
    { formats: FORMATS, stopsSoftly: true },
    async (options, io, revision) =>
      (await import('../../src/features/rollback.ts')).runRollback(revision, options, io),
  );
}
