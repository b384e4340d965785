import type { Command } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import { addReportOptions, runs } from '../options.ts';
import { addApplyingOptions } from './apply.ts';
import { addPlanningOptions } from './plan.ts';

const EXAMPLES = `
REV is any git revision: a commit, a tag, HEAD~1. Its manifests are planned, the
plan is shown, and carried out after a literal "yes", as \`tradeform apply\` does.
Service, account pin and guardrails are those of the project file that stands
here. Files are not changed: revert the commits as well, or the next apply goes
back to them. To see it first: tradeform render --diff REV.

Examples:
  $ tradeform rollback HEAD~1
  $ tradeform rollback v1.4 --target copy-trade/whale-7
  $ tradeform rollback 3f2a91c --rehearse
`;

export function addRollback(program: Command, choose: Choose): void {
  const command = program.command('rollback').description('apply the manifests of an earlier git revision');
  const declared = addApplyingOptions(addReportOptions(addPlanningOptions(command))).argument(
    '<rev>',
    'the git revision',
  );
  runs<ApplyOptions, string>(
    declared,
    choose,
    { examples: EXAMPLES, formats: FORMATS, stopsSoftly: true },
    async (options, io, revision) =>
      (await import('../../src/features/rollback.ts')).runRollback(revision, options, io),
  );
}
