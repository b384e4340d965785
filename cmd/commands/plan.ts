import { type Command, Option } from 'commander';
import type { ApplyOptions } from '../../src/features/apply.ts';
import type { DriftOptions } from '../../src/features/drift/drift.ts';
import type { PlanCommandOptions } from '../../src/features/plan.ts';
import type { RehearseOptions } from '../../src/features/rehearse/rehearse.ts';
import type { StatusOptions } from '../../src/features/status/status.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import type { Choose } from '../invocation.ts';
import {
  addMonitorOptions,
  addPlainReports,
  addReportOptions,
  repeat,
  runs,
  wholeNumber,
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

/** `--only`, for commands that plan the manifests of the working tree. */
export function addOnlyOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--only <what>',
      'carry out what git changed, and leave what people changed on the service. pending: every change in git that is not applied; change: only the difference from --base',
    ).choices(['pending', 'change']),
  );
}

/** Options of commands that carry out a plan. */
function addApplyingOptions(command: Command): Command {
  return command
    .option('--auto-approve', 'do not ask')
    .option('--rehearse', 'rehearse the plan against the embedded service first, and stop if that fails')
    .addOption(
      new Option(
        '--on-failure <how>',
        'if an update fails after the pause: start the task with its former config, or hold it',
      )
        .choices(['restore', 'hold'])
        .default('restore'),
    );
}

/** Commands that compare manifests with the service and carry out the differences. */
export function addPlanCommands(program: Command, choose: Choose): void {
  runs<PlanCommandOptions>(
    addMonitorOptions(
      addReportOptions(
        addOnlyOption(
          addPlanningOptions(
            program
              .command('plan')
              .description('compare with the service and show the changes (GET requests only)'),
          ),
        ),
      ),
    )
      .option('--out <file>', 'save the plan for `tradeform apply FILE`')
      .option('--base <rev>', 'separate this change from what a git revision would also do: main, main...')
      .option('--detailed-exitcode', 'exit code 2 if there are changes or blocked addresses'),
    choose,
    { formats: FORMATS },
    async (options, io) => (await import('../../src/features/plan.ts')).runPlan(options, io),
  );
  runs<ApplyOptions, string | undefined>(
    addApplyingOptions(
      addMonitorOptions(
        addReportOptions(
          addOnlyOption(addPlanningOptions(program.command('apply').description('carry out the changes'))),
        ),
      ),
    )
      .argument('[planfile]', 'a plan saved with `tradeform plan --out`')
      .option(
        '--base <rev>',
        'for --only: a revision that was applied before; later changes in git may be applied',
      )
      .option('--expect-digest <digest>', 'apply only the plan with this digest (all 64 digits)')
      .option('--expect-plan <file>', 'apply only the plan in this file, from `plan --out` or `plan -o json`')
      .option(
        '--expect-changes <file>',
        'apply only what is left of the approved plan in this file, JSON or Markdown (repeatable)',
        repeat,
      ),
    choose,
    { formats: FORMATS, stopsSoftly: true },
    async (options, io, planFile) =>
      (await import('../../src/features/apply.ts')).runApply(planFile, options, io),
  );
  runs<StatusOptions, readonly string[]>(
    addPlainReports(program.command('status'))
      .description('list every task: desired and live state, owner, held or not (GET requests only)')
      .argument('[task...]', 'only these tasks: address, name, id, wallet address, or part of the remark')
      .option(
        '--label <name>',
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
    choose,
    { formats: ['text', 'json', 'html'] },
    async (options, io, addresses) =>
      (await import('../../src/features/status/status.ts')).runStatus(addresses, options, io),
  );
  runs<DriftOptions>(
    addMonitorOptions(
      addReportOptions(
        program.command('drift').description('report what differs from git, and why (GET requests only)'),
      ),
    )
      .option('--target <address>', 'only this address, and what it needs (repeatable)', repeat)
      .option('--exclude <address>', 'leave this address out (repeatable)', repeat)
      .option('--ignore <class>', 'ignore a class in the exit code (repeatable)', repeat)
      .option('--fail-on <class>', 'exit code 2 also for this class (repeatable)', repeat),
    choose,
    { formats: FORMATS },
    async (options, io) => (await import('../../src/features/drift/drift.ts')).runDrift(options, io),
  );
  runs<RehearseOptions>(
    addPlainReports(
      addOnlyOption(
        addPlanningOptions(
          program
            .command('rehearse')
            .description('carry out the plan against the embedded service instead (GET requests only)'),
        ),
      ),
    )
      .option('--base <rev>', 'for --only: a revision that was applied before')
      .option('--latency <ms>', 'milliseconds an answer takes (default: 50)', wholeNumber(0, 60_000)),
    choose,
    { formats: ['text', 'json', 'html'] },
    async (options, io) => (await import('../../src/features/rehearse/rehearse.ts')).runRehearse(options, io),
  );
  runs<ApplyOptions, string>(
    addApplyingOptions(
      addReportOptions(
        addPlanningOptions(
          program.command('rollback').description('apply the manifests of an earlier git revision'),
        ),
      ),
    ).argument('<rev>', 'the git revision'),
    choose,
    { formats: FORMATS, stopsSoftly: true },
    async (options, io, revision) =>
      (await import('../../src/features/rollback.ts')).runRollback(revision, options, io),
  );
}
