import type { Io } from '../command/io.ts';
import { type ProjectAt, projectAt } from '../command/project-at-revision.ts';
import { manifestsDigest } from '../desired/digest.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import type { Change } from '../model/generated/plan.ts';
import { named } from '../model/named.ts';
import { selectOnly } from '../origin/only.ts';
import { standsAt } from '../origin/verdict.ts';
import type { PlanInput } from '../plan/input.ts';
import { DEEPEN, LIST, openRepository } from '../project/revision.ts';
import { OTHER_BASE, usable } from './base-plan.ts';
import type { Loaded } from './load-project.ts';
import type { Found } from './origin.ts';

export interface OnlyOptions {
  readonly only?: 'pending' | undefined;
  readonly base?: string | undefined;
}

export interface OnlyGit {
  readonly base: ProjectAt | undefined;
  /** The number of the newest commit of HEAD's first-parent line that the base contains; 0 for none. */
  readonly baseNumber: number | undefined;
}

/**
 * Opens what `--only` needs. Undefined without the option. Refuses (exit 4) a state in which git's changes cannot be told from
 * those of people: no history or only a part of it, a base that is no ancestor of HEAD, or uncommitted manifests. Sends
 * nothing.
 */
export async function readOnly(options: OnlyOptions, loaded: Loaded, io: Io): Promise<OnlyGit | undefined> {
  const { only, base: name } = options;
  if (only === undefined) return undefined;
  const { settings } = loaded;
  const opened = openRepository(settings, io.env);
  if ('diagnostic' in opened) throw refused(opened.diagnostic.message, opened.diagnostic.hint);
  const { repository } = opened;
  const { commit, dirty } = await loaded.source;
  if (repository.isShallow() !== false)
    throw refused('this clone is shallow, and the missing commits may be the ones that decide', DEEPEN);
  if (commit === null) throw refused('the repository has no commit yet', 'Commit the manifests.');
  if (dirty) {
    // An uncommitted change belongs neither to git nor to the service.
    const { state } = (await projectAt(commit, settings, io)).project;
    if (state === undefined || manifestsDigest(state) !== manifestsDigest(loaded.desired))
      throw refused('the manifests here differ from those of HEAD', 'Commit them, or plan without --only.');
  }
  if (name === undefined) return { base: undefined, baseNumber: undefined };
  const base = await baseAt(name, loaded, io);
  const ancestry = await repository.ancestry();
  if ('problem' in ancestry) throw refused(`git cannot list the earlier commits: ${ancestry.problem}`, LIST);
  const baseNumber = ancestry.newestIn(base.revision.commit);
  if (baseNumber === undefined)
    throw refused(
      `HEAD does not descend from ${name} (${base.revision.commit.slice(0, 7)}): history was rewritten, or the branches diverged`,
      `If they diverged, name the merge base: --base ${name.replace(/\.+$/, '')}... If history was rewritten, review the plan without --only.`,
    );
  return { base, baseNumber };
}

async function baseAt(name: string, { settings }: Loaded, io: Io): Promise<ProjectAt> {
  try {
    return await projectAt(name, settings, io);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [found] = error.diagnostics;
    throw refused(found?.message ?? `${name} cannot be read`, found?.hint);
  }
}

/**
 * The input of a plan that leaves what git did not change. Refuses (exit 4) a history that git cannot list, or of which a part that
 * may decide cannot be read here.
 */
export function selectFrom(
  { origin, problem: unread, limit, lacks }: Found,
  changes: readonly Change[],
  input: PlanInput,
): PlanInput {
  if (unread !== undefined) throw refused(`git cannot list the earlier commits: ${unread}`, LIST);
  const never = input.neverNamed?.unattended === true ? input.neverNamed.addresses : new Set<string>();
  const { desired, live } = input;
  const { verdicts, view, renewed } = origin;
  const selected = selectOnly(verdicts, { changes, desired, live, never, renewed, view });
  const left = new Set(selected.only.left.map(({ address }) => address));
  const open = verdicts.flatMap((verdict) => {
    const isOpen =
      standsAt(verdict, 'unknown') ||
      (lacks && verdict.type === 'named' && verdict.fields.some(({ by }) => by === 'person'));
    return isOpen && left.has(verdict.change.address) ? [verdict.change.address] : [];
  });
  if (limit !== undefined && open.length > 0)
    throw refused(
      `what was applied last to ${named(open, MOST_NAMED)} is unknown: ${limit.text}`,
      limit.hint,
    );
  return { ...input, ...selected };
}

const MOST_NAMED = 3;

/** The state of the base. Refuses a base that says nothing about this project and account. */
export function baseOf({ base }: OnlyGit, input: PlanInput): DesiredState | undefined {
  if (base === undefined) return undefined;
  const there = usable(input, base.project);
  if ('state' in there) return there.state;
  const { reason, remedy = `${OTHER_BASE}; in CI, start the apply by hand for all differences.` } = there;
  throw refused(`${base.revision.name} cannot be planned: ${reason}`, remedy);
}

function refused(why: string, hint: string | undefined): CommandFailure {
  const diagnostic: Diagnostic = problem(
    'only-refused',
    `--only cannot tell what git changed from what people changed: ${why}`,
    hint,
  );
  return new CommandFailure(4, [diagnostic]);
}
