import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../../diagnostics/diagnostic.ts';
import { type Guardrails, NO_GUARDRAILS } from '../../plan/guardrails/compiled.ts';
import { judge } from '../../plan/guardrails/judge.ts';
import { judgedStarts } from '../../plan/guardrails/judged-starts.ts';
import { parseOverrides } from '../../plan/guardrails/override.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { byExposure, knownTask } from '../../plan/identity/known-task.ts';
import { resumeDigest } from '../../plan/review/digest.ts';
import type { Project } from '../../project/project.ts';
import { checkStored, type StoredOptions } from './as-stored.ts';
import { selectionOf, unknownTaskNames, writtenChoice } from './choice.ts';
import type { OperatorContext } from './context.ts';
import { type OperatorOptions, openOperator, visibleKinds } from './context.ts';
import { liveLabels } from './labels.ts';
import { showableIn } from './report.ts';
import type { ResumeChoice } from './resume-choice.ts';
import { resumeChoices } from './resume-choice.ts';
import { resumeAll } from './resuming.ts';
import type { Manifests } from './stored-otherwise.ts';
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
 * `tradeform resume`: starts what the switch stopped, and held tasks that are named, after a literal `yes`. Returns the exit code:
 * 0 if all of them run, 1 if one does not, 4 without approval or if `--auto-approve` would start a task that differs from its
 * manifest, 130 after an interruption.
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
    return await resumeAll({ choices, warnings, showable, context, options, io });
  } finally {
    context.progress.close();
    await context.session.close();
  }
}

const DUE_AND_HELD: Diagnostic = problem(
  'invalid-option',
  '--due cannot be combined with --held',
  '--due starts what the switch stopped and is due now; --held adds what a person or buy_once stopped. Remove one of them.',
);

/** Nothing records which of the tasks that are not owned ran before. */
function requireNames(names: readonly string[]): void {
  if (names.length > 0 && names.every((name) => !name.includes('*'))) return;
  throw usage(
    '--include-unmanaged starts only tasks that are named one by one',
    'Write their ids; `tradeform pause -o json` lists what it paused.',
  );
}

/** What is known about the project whose tasks start. */
interface StartProject {
  /** Undefined without a project file, or with that of another project. */
  readonly project: Project | undefined;
  /** Undefined if the manifests cannot be read. */
  readonly manifests: Manifests | undefined;
}

/** Overrides as written. Fails with exit 3 for an unknown guardrail. */
function writtenOverrides(
  { override = [] }: { readonly override?: readonly string[] | undefined },
  guardrails: Guardrails = NO_GUARDRAILS,
) {
  const policies = guardrails.policies.map(({ name }) => name);
  const { overrides, diagnostics } = parseOverrides(override, policies);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  return overrides;
}

/** The guardrails' verdict on tasks that start as they are stored. An error refuses all of them. Tasks of others are not judged. */
async function judgeStarts(
  seen: readonly KnownTask[],
  choices: readonly ResumeChoice[],
  { project, manifests }: StartProject,
  options: { readonly override?: readonly string[] | undefined },
  context: OperatorContext,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const guardrails = project?.declared ?? NO_GUARDRAILS;
  const overrides = writtenOverrides(options, guardrails);
  const starts = choices.flatMap(({ type, known }) =>
    type === 'start' && known.owner === 'owned' ? [known.task] : [],
  );
  if (starts.length === 0) return [];
  const named = guardrails.limits.require_label !== undefined || guardrails.policies.length > 0;
  const judged = judgedStarts({
    starts,
    own: seen.flatMap(({ owner, task }) => (owner === 'owned' ? [task] : [])),
    labels: named ? await liveLabels(context, io) : [],
    desired: manifests && project?.state,
    manifests: manifests ?? new Map(),
  });
  const subject = {
    project: context.project.project ?? '',
    environment: project?.settings?.environment ?? null,
    base_url: context.connection.baseUrl,
    login_username: context.account?.login_username ?? null,
  };
  const digest = resumeDigest(subject, starts);
  const { diagnostics } = judge(judged, guardrails, digest, overrides);
  // Without manifests, the targets of a pattern are unknown.
  const unused = manifests === undefined ? ['guardrail-unused'] : [];
  return diagnostics.filter(({ code }) => !unused.includes(code)) as readonly Diagnostic[];
}
