import { type Command, Option } from 'commander';
import type { Io } from '../../src/core/command/io.ts';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import { FORMATS, PLAIN_FORMATS } from '../../src/core/render/format.ts';
import type { Due, DueOptions } from '../../src/kit/comment/due.ts';
import {
  addApproveOption,
  addDriftOptions,
  addFailureOption,
  addJournalOptions,
  addMonitorOptions,
  addOnlyOption,
  addPlainReports,
  addReportOptions,
  type Declare,
  having,
  repeat,
} from '../options.ts';

/** Options that `plan` and `apply` share, because they make the same plan. */
function addPlanningOptions(command: Command): Command {
  return command
    .option('--target <address>', 'plan this address only, and what it needs (repeatable)', repeat)
    .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
    .option('--resume-stopped [address...]', 'start held tasks: these, or all of them')
    .option('--first-apply', 'confirm that no task of this project is on the service yet')
    .option('--allow-empty', 'allow a plan that deletes or pauses every task that the project owns')
    .option(
      '--take-over <project>',
      'take over the tasks of that project that a manifest here describes (repeatable)',
      repeat,
    )
    .option(
      '--override <guardrail=digest>',
      'allow what one guardrail refuses, only for the plan with this digest (repeatable)',
      repeat,
    );
}

/** For commands that apply, also in CI. */
export function addReviewedOption(command: Command): Command {
  return command
    .option(
      '--reviewed <folder>',
      'in CI: apply what `tradeform comment reviewed` found to be approved, from its base',
    )
    .option(
      '--base <rev>',
      'for --only: a revision that was applied before; later changes in git may be applied',
    );
}

/** Applies what is due. With `--reviewed`, that may be nothing. */
export async function applyDue(
  options: DueOptions,
  io: Io,
  apply: (due: Due) => Promise<number>,
): Promise<number> {
  const { reviewed } = options;
  if (reviewed === undefined) return apply({});
  const { findDue, recordRollback } = await import('../../src/kit/comment/due.ts');
  const due = await findDue(options, io);
  const code = due === undefined ? 0 : await apply(due);
  if (due?.at !== undefined && code === 0) await recordRollback(reviewed, io);
  return code;
}

/** Options of commands that carry out a plan. */
function addApplying(command: Command): Command {
  return addJournalOptions(addFailureOption(addApproveOption(command)));
}

/** Commands that compare manifests with the service and carry out the differences. */
export function addPlanCommands(program: Command, { runs }: Declare): void {
  runs(
    having(program.command('plan'), addPlanningOptions, addOnlyOption, addReportOptions, addMonitorOptions)
      .description('compare with the service and show the changes (GET requests only)')
      .option('--out <file>', 'save the plan for `tradeform apply FILE`')
      .option('--base <rev>', 'separate this change from what a git revision would also do: main, main...')
      .option('--detailed-exitcode', 'exit code 2 if there are changes or blocked addresses'),
    async () => (await import('../../src/core/features/plan.ts')).runPlan,
    { token: 'compares', formats: FORMATS },
  );
  runs(
    having(
      program.command('apply').description('carry out the changes'),
      ...[addPlanningOptions, addOnlyOption, addReviewedOption, addReportOptions, addMonitorOptions],
      addApplying,
    )
      .argument(
        '[planfile]',
        'an approved plan, from `plan --out` or in Markdown: plan again, and apply what is left of it',
      )
      .option(
        '--expect <digest>',
        'apply only the plan with this digest (all 64 digits, repeatable)',
        repeat,
      ),
    async () => (planFile: string | undefined, options: ApplyOptions & DueOptions, io: Io) =>
      applyDue(options, io, async (due) =>
        (await import('../../src/core/features/apply.ts')).runApply(planFile, { ...options, ...due }, io),
      ),
    { token: 'writes', formats: FORMATS, stopsSoftly: true },
  );
  runs(
    addPlainReports(program.command('status'))
      .description('list every task: desired and live state, owner, held or not (GET requests only)')
      .argument('[task...]', 'only these tasks: address, name, id, wallet address, or part of the remark')
      .option(
        '--label <label>',
        'only tasks with this label, by its name on the service or in the manifests (repeatable)',
        repeat,
      )
      .option('--kind <kind>', 'only this kind: sniper, copy-trade, transfer-snipe (repeatable)', repeat)
      .option('--running', 'only running tasks')
      .option('--paused', 'only paused tasks')
      .option('--held', 'only tasks that are held, or whose start is pending')
      .option('--differs', 'only tasks that an apply would change, or cannot change')
      .option('--unmanaged', 'only tasks that the project does not own')
      .addOption(
        new Option(
          '--sort <by>',
          'highest exposure first, latest change first, or held and different first',
        ).choices(['sol', 'since', 'state']),
      ),
    async () => (await import('../../src/core/features/status/status.ts')).runStatus,
    { token: 'reads', formats: PLAIN_FORMATS },
  );
  runs(
    addDriftOptions(
      having(program.command('drift'), addReportOptions, addMonitorOptions)
        .description('report what differs from git, and why (GET requests only)')
        .option('--target <address>', 'only this address, and what it needs (repeatable)', repeat)
        .option('--exclude <address>', 'leave this address out (repeatable)', repeat),
    ),
    async () => (await import('../../src/core/features/drift/drift.ts')).runDrift,
    { token: 'reads', formats: FORMATS },
  );
  runs(
    having(program.command('rollback'), addPlanningOptions, addReportOptions, addApplying)
      .description('apply the manifests of an earlier git revision')
      .argument('<rev>', 'the git revision'),
    async () => (await import('../../src/core/features/rollback.ts')).runRollback,
    { token: 'writes', formats: FORMATS, stopsSoftly: true },
  );
}
