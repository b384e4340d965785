import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type Guardrails, NO_GUARDRAILS } from '../../plan/guardrails/compiled.ts';
import { judge } from '../../plan/guardrails/judge.ts';
import { judgedStarts } from '../../plan/guardrails/judged-starts.ts';
import { parseOverrides } from '../../plan/guardrails/override.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { resumeDigest } from '../../plan/review/digest.ts';
import type { Project } from '../../project/project.ts';
import type { OperatorContext } from './context.ts';
import { liveLabels } from './labels.ts';
import type { ResumeChoice } from './resume-choice.ts';
import type { Manifests } from './stored-otherwise.ts';

/** The project as far as it is known here that tasks of it start. */
interface StartProject {
  /** Undefined where there is no project file, or one of another project. */
  readonly project: Project | undefined;
  /** Undefined where the manifests cannot be read. */
  readonly manifests: Manifests | undefined;
}

/** Overrides as they were written; fails with exit 3 where one names no guardrail. */
export function writtenOverrides(
  { override = [] }: { readonly override?: readonly string[] | undefined },
  guardrails: Guardrails = NO_GUARDRAILS,
) {
  const policies = guardrails.policies.map(({ name }) => name);
  const { overrides, diagnostics } = parseOverrides(override, policies);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  return overrides;
}

/** What the guardrails say of tasks that start as they are stored; an error refuses all of it. Nobody else's tasks are judged. */
export async function judgeStarts(
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
  // Without manifests nobody knows what a pattern may fit.
  const unused = manifests === undefined ? ['guardrail-unused'] : [];
  return diagnostics.filter(({ code }) => !unused.includes(code)) as readonly Diagnostic[];
}
