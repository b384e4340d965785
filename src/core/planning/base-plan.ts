import type { ProjectAt } from '../command/project-at-revision.ts';
import type { DesiredResource, DesiredState } from '../desired/state.ts';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { PlanInput } from '../plan/input.ts';
import { type Differences, makePlan, planOf } from '../plan/plan.ts';
import { withProvenance } from '../plan/review/provenance.ts';
import type { Project } from '../project/project.ts';
import type { Revision } from '../project/revision.ts';
import { checkPin } from '../service/resources/account.ts';

/**
 * The plan, compared with the plan of the base on the same live view (DESIGN 6). If the base cannot be planned, a warning says
 * why, and every change counts as part of this change.
 */
export function planAgainst(differences: Differences, { revision, project }: ProjectAt): Plan {
  const { input } = differences;
  const { name, commit } = revision;
  const base = usable(input, project);
  if ('reason' in base) {
    const unplanned = unreadable(revision, base);
    const said = { ...input, diagnostics: [...input.diagnostics, unplanned] };
    return withProvenance(planOf({ ...differences, input: said }), {
      revision: name,
      commit,
      plan: undefined,
    });
  }
  const { state, guardrails } = base;
  // The base is judged only by its own guardrails.
  const { baseRules: _, only: __, ...plain } = input;
  return withProvenance(planOf(differences), {
    revision: name,
    commit,
    plan: makePlan({
      ...plain,
      desired: seen(state, input),
      guardrails,
      // An override applies only to the plan that is shown.
      options: { ...input.options, overrides: [] },
      diagnostics: [],
    }),
  });
}

type Usable =
  | Required<Pick<Project, 'state' | 'guardrails'>>
  | { readonly reason: string; readonly remedy?: string | undefined };

/** A base of another project or account says nothing about this live view. */
export function usable({ desired, live }: Pick<PlanInput, 'desired' | 'live'>, project: Project): Usable {
  const { state, settings, guardrails, diagnostics } = project;
  if (state === undefined || settings === undefined || guardrails === undefined) return firstOf(diagnostics);
  if (state.project !== desired.project && state.project !== desired.previousProject)
    return { reason: `at that revision, it is project ${state.project}` };
  if (state.environment !== desired.environment)
    return { reason: `at that revision, its environment is ${state.environment ?? '(none)'}` };
  const [mismatch] = checkPin(live.account, settings.account);
  return mismatch === undefined ? { state, guardrails } : { reason: mismatch.message };
}

function firstOf(diagnostics: readonly Diagnostic[]): Extract<Usable, { readonly reason: string }> {
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === 'error');
  if (first === undefined) return { reason: 'it does not compile' };
  const { location, message, code, hint } = first;
  const place = location === undefined ? '' : `${location.file}:${location.line}: `;
  const reason = `${place}${message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
  // Nobody can mend a manifest of the base.
  return { reason, remedy: code === 'file-unreadable' || code === 'no-project-file' ? hint : undefined };
}

/** What to do about a base that cannot be planned. */
export const OTHER_BASE = 'Name a base that compiles for this project and environment';

function unreadable({ name, commit }: Revision, { reason, remedy }: ReturnType<typeof firstOf>): Diagnostic {
  return warning(
    'base-unreadable',
    `${name} (${commit.slice(0, 7)}) cannot be planned, so all changes are shown as part of this change: ${reason}`,
    remedy ?? `${OTHER_BASE}, or review the plan as a whole.`,
  );
}

/** Only the kinds that can be read. Otherwise all resources of an unreadable kind would count as missing. */
function seen(state: DesiredState, { desired, live }: PlanInput): DesiredState {
  const isSeen = ({ collection }: Pick<DesiredResource, 'collection'>) => live.visible.has(collection);
  // The project still owns what carries its current name. Under its former name the base would rename these tasks back.
  const renamed = state.project === desired.project ? {} : { previousProject: desired.project };
  return {
    ...state,
    ...renamed,
    templates: state.templates.filter(isSeen),
    labels: state.labels.filter(isSeen),
    removals: state.removals.filter(isSeen),
  };
}
