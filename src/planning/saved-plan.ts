import type { Position } from '../act/run.ts';
import { checkFresh } from '../act/saved-plan.ts';
import { requireConnection, type Session } from '../command/connection.ts';
import type { Io } from '../command/io.ts';
import { knowPlan } from '../command/masking.ts';
import { type CommonOptions, chosenEnvironment } from '../command/options.ts';
import { readProjectOf } from '../command/read-project.ts';
import { CommandFailure, type Diagnostic, problem, type Texts } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { isTaskCollection } from '../model/kind.ts';
import type { LiveState } from '../model/resource.ts';
import { ownedTasks } from '../plan/identity/task-match.ts';
import { createsOrDeletes, INCOMPLETE_HINT } from '../plan/refusals.ts';
import type { Settings } from '../project/project.ts';
import { withLive } from './live.ts';
import { readPlanFile } from './plan-file.ts';

/** A plan that is ready to be shown, approved and carried out. */
export interface Approved {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly session: Session;
  /**
   * Texts of the files that the plan's diagnostics point into. Empty for a saved plan, because its files may have changed
   * since.
   */
  readonly sources: Texts;
  /** The names of the wallet books. Empty for a saved plan. */
  readonly wallets: ReadonlyMap<string, string>;
  /** The project file pins the account. */
  readonly pinned: boolean;
  /** The service has no task of the project, and this plan would write some. With a wrong account it would look the same. */
  readonly first: boolean;
  /** How far an earlier run of a saved plan got in each chain. */
  readonly positions: ReadonlyMap<string, Position> | undefined;
  /** The plan of what is left to do. Undefined for a saved plan, because its file is applied again to continue. */
  readonly left: (() => Promise<Plan>) | undefined;
}

/**
 * Reads a saved plan, and runs work on it in one session. Checks before any write that the plan belongs to this project, environment, service and account, and that
 * nothing changed since (DESIGN 6). The manifests are not read, because only the plan counts. Fails with exit 3 for a file that
 * is no plan, and with exit 4 for a plan of something else (`plan-elsewhere`) or a stale one.
 */
export async function withSavedPlan<Result>(
  file: string,
  options: CommonOptions,
  io: Io,
  work: (approved: Approved) => Promise<Result>,
): Promise<Result> {
  const plan = await readPlanFile(file, io);
  knowPlan(plan, io);
  const settings = await settingsFor(plan, options, io);
  const { connection } = await requireConnection(options, io, settings);
  refuse(elsewhere(plan, settings, connection.baseUrl));
  const changed = plan.changes.filter(({ operations }) => operations.length > 0);
  const reading = { needed: new Set(changed.map(({ kind }) => kind)), pin: settings?.account };
  return withLive(options, io, connection, reading, async ({ session, live: seen, confirm }) => {
    refuse(otherAccount(plan, seen));
    const live = createsOrDeletes(plan) ? await confirm(seen) : seen;
    refuse(unproven(plan, live));
    const { stale, positions } = checkFresh(plan, live);
    refuse(stale.map(moved));
    const pinned = settings?.account !== undefined || options.pinned !== undefined;
    return work({
      plan,
      live,
      session,
      sources: new Map(),
      wallets: new Map(),
      pinned,
      first: isFirst(plan, live, positions),
      positions,
      left: undefined,
    });
  });
}

/**
 * The project has no task on the service, and something that is left creates a resource or changes a task: a task of the project would
 * be seen, so this one is adopted or taken over. The file's notes do not count: whoever edits it could remove them. What an
 * interrupted run has done needs no confirmation, and neither do the labels and templates that it has left to change or delete.
 */
function isFirst(plan: Plan, live: LiveState, positions: ReadonlyMap<string, Position>): boolean {
  const { project, previous_project: previousProject, changes } = plan;
  if (ownedTasks({ project, previousProject }, live).length > 0) return false;
  return changes.some(
    ({ address, kind, actions, operations }) =>
      operations.length > (positions.get(address)?.done ?? 0) &&
      (isTaskCollection(kind) || actions.includes('create')),
  );
}

/** A plan can be applied without its project file. A project file with errors still fails. */
async function settingsFor(plan: Plan, options: CommonOptions, io: Io): Promise<Settings | undefined> {
  const named = chosenEnvironment(options.environment, io.env);
  if (named !== undefined && named !== plan.environment) {
    refuse([mismatch(`was made for environment ${plan.environment ?? '(none)'}, not ${named}`)]);
  }
  const project = await readProjectOf({ ...options, environment: plan.environment ?? undefined }, io, {
    partial: true,
  });
  if (project.settings !== undefined) return project.settings;
  const missing = project.diagnostics.every(({ code }) => code === 'no-project-file');
  if (missing && options.project === undefined) return undefined;
  throw new CommandFailure(3, project.diagnostics, project.sources);
}

function elsewhere(plan: Plan, settings: Settings | undefined, baseUrl: string): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (settings !== undefined && settings.project !== plan.project) {
    found.push(mismatch(`was made for project ${plan.project}, not ${settings.project}`));
  }
  if (settings !== undefined && settleText(plan) !== settleText(settings)) {
    found.push(mismatch(`was made with settle ${settleText(plan)}, not ${settleText(settings)}`));
  }
  if (plan.service.base_url !== baseUrl) {
    found.push(mismatch(`was made for ${plan.service.base_url}, not ${baseUrl}`));
  }
  return found;
}

function settleText({ settle: { update, replace } }: Pick<Plan, 'settle'>): string {
  return `update ${update} ms, replace ${replace} ms`;
}

function otherAccount(plan: Plan, { account }: LiveState): readonly Diagnostic[] {
  const { login_username: planned } = plan.service;
  if (planned === account.login_username) return [];
  return [
    mismatch(`was made for account ${planned ?? '(unnamed)'}, not ${account.login_username ?? '(unnamed)'}`),
  ];
}

/** The proof of the plan must still hold: a task that is not seen may still exist. */
export function unproven(plan: Plan, live: LiveState): readonly Diagnostic[] {
  if (live.complete || !createsOrDeletes(plan)) return [];
  return [problem('view-incomplete', `creates and deletes are refused: ${live.proof}`, INCOMPLETE_HINT)];
}

function moved({ address, text }: { readonly address: string; readonly text: string }): Diagnostic {
  const hint = 'Plan again with `tradeform plan --out FILE`, review that plan, and apply it.';
  return problem('plan-stale', `${address}: ${text}`, hint, { address });
}

function mismatch(what: string): Diagnostic {
  return problem(
    'plan-elsewhere',
    `the plan ${what}`,
    'Use the settings that the plan was made with, or plan again.',
  );
}

function refuse(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) throw new CommandFailure(4, diagnostics);
}
