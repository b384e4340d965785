import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { CommandFailure, type Diagnostic, usage } from '../../diagnostics/diagnostic.ts';
import { byExposure, knownTask } from '../../plan/identity/known-task.ts';
import { checkStored, type StoredOptions } from './as-stored.ts';
import { selectionOf, unknownTaskNames, writtenChoice } from './choice.ts';
import { type OperatorOptions, openOperator, visibleKinds } from './context.ts';
import { judgeStarts, writtenOverrides } from './judge-starts.ts';
import { showableIn } from './report.ts';
import { resumeChoices } from './resume-choice.ts';
import { Resuming } from './resuming.ts';
import { manifestsOf } from './stored-otherwise.ts';
import { allTasks } from './survey.ts';

export interface ResumeOptions extends OperatorOptions, StoredOptions {
  /** `--held`: also what a person or `buy_once` stopped. */
  readonly held?: boolean | undefined;
  /** `--override`, each as `GUARDRAIL=DIGEST`. */
  readonly override?: readonly string[] | undefined;
  /** `--due`: only what is due (`pause --for`). */
  readonly due?: boolean | undefined;
}

/**
 * `tradeform resume`: starts what the switch stopped, and held tasks that are named, after a literal `yes`. Returns the
 * exit code: 0 where all of them run, 1 where one does not, 4 where it is not approved or `--auto-approve` would start what
 * its manifest has otherwise, 130 where it was interrupted.
 */
export async function runResume(names: readonly string[], options: ResumeOptions, io: Io): Promise<number> {
  const due = options.due === true;
  const { kinds } = writtenChoice(names, {
    ...options,
    all: options.all === true || (due && names.length === 0),
  });
  if (due && options.held === true) throw new CommandFailure(3, [DUE_AND_HELD]);
  if (options.includeUnmanaged === true) requireNames(names);
  const project = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  writtenOverrides(options, project.declared);
  const context = await openOperator(options, io, {
    blind: options.includeUnmanaged === true,
    emergency: false,
  });
  try {
    const selection = await selectionOf(names, kinds, context, options, io);
    const tasks = await allTasks(visibleKinds(context.account), context, io);
    const seen = tasks.map((task) => knownTask(task, context.project));
    const unknown = unknownTaskNames(selection, seen);
    if (unknown.length > 0) throw new CommandFailure(3, unknown);
    const own = project.settings?.project === context.project.project ? project : undefined;
    const manifests = own?.state && manifestsOf(own.state, seen);
    const choices = resumeChoices(seen, {
      selection,
      held: options.held === true,
      ...(due ? { dueBy: Math.floor(context.session.clock.now() / 60_000) } : {}),
      manifests,
      git: own?.state,
    }).toSorted((a, b) => byExposure(a.known, b.known));
    const warnings = [
      ...(await judgeStarts(seen, choices, { project: own, manifests }, options, context, io)),
      ...checkStored(choices, { compared: manifests !== undefined, project }, options),
    ];
    if (warnings.some(({ severity }) => severity === 'error'))
      throw new CommandFailure(4, warnings, project.sources);
    const showable = showableIn(project.state);
    return await new Resuming({ choices, warnings, showable, context, options, io }).run();
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

const DUE_AND_HELD: Diagnostic = {
  severity: 'error',
  code: 'invalid-option',
  message: '--due cannot be combined with --held',
  hint: '--due starts what the switch stopped and is due now; --held adds what a person or buy_once stopped. Remove one of them.',
};

/** Nothing remembers which of the tasks that are not ours ran. */
function requireNames(names: readonly string[]): void {
  if (names.length > 0 && names.every((name) => !name.includes('*'))) return;
  throw usage(
    '--include-unmanaged starts only tasks that are named one by one',
    'Write their ids; `tradeform pause -o json` lists what it paused.',
  );
}
