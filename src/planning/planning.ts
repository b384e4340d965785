import type { Connection, Session } from '../command/connection.ts';
import { connect, connectAhead, namingHost, requireConnection } from '../command/connection.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { showProgress } from '../command/progress.ts';
import { type ProjectAt, projectAt } from '../command/project-at-revision.ts';
import { VERSION } from '../command/version.ts';
import { manifestsDigest } from '../desired/digest.ts';
import type { AccountPin } from '../desired/project.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../diagnostics/diagnostic.ts';
import { PROJECT_PATTERN } from '../model/address.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { Collection } from '../model/kind.ts';
import type { LiveState } from '../model/resource.ts';
import { withOrigin } from '../origin/made-by.ts';
import type { Verdict } from '../origin/verdict.ts';
import { parseOverrides } from '../plan/guardrails/override.ts';
import { shareConfigs } from '../plan/identity/share-configs.ts';
import type { PlanInput, PlanOptions as PlannerOptions } from '../plan/input.ts';
import { makePlan } from '../plan/plan.ts';
import { createsOrDeletes } from '../plan/refusals.ts';
import { planIntegrity } from '../plan/review/digest.ts';
import { BASE_RULES } from '../plan/rules/base-guardrails.ts';
import type { EarlyConnection } from '../service/http/early-connection.ts';
import { checkPins } from '../service/resources/account.ts';
import { confirmLive } from '../service/view/confirm.ts';
import { type ReadOptions, readLive } from '../service/view/read.ts';
import { planAgainst } from './base-plan.ts';
import { type BaseRules, compareRules, requireKnownOrigin } from './base-rules.ts';
import { type Loaded, loadDesired, loadRevision } from './load-project.ts';
import { baseOf, type OnlyOptions, readOnly, selectFrom } from './only.ts';
import { commitAhead, findOrigin } from './origin.ts';
import { uncommittedRemovals } from './uncommitted.ts';

/** Options that decide what is planned, shared by `plan` and `apply`. */
export interface PlanningOptions extends CommonOptions, OnlyOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** `true`: all held tasks. */
  readonly resumeStopped?: boolean | readonly string[] | undefined;
  readonly firstApply?: boolean | undefined;
  readonly allowEmpty?: boolean | undefined;
  /** The names of projects whose tasks are taken over. */
  readonly takeOver?: readonly string[] | undefined;
  /** One `GUARDRAIL=PLAN_DIGEST` each. */
  readonly override?: readonly string[] | undefined;
  /** `rollback REV`: plan the manifests of that revision instead of the current ones. */
  readonly at?: string | undefined;
}

/** A plan and what it was made from. The session is open, and the caller must close it. */
export interface Planned {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly loaded: Loaded;
  readonly session: Session;
  /** The same manifests and options, planned against another live state. */
  readonly replan: (live: LiveState) => Plan;
  /** Like `replan`, but on a new reading of the service. Fails as the first time. */
  readonly planAgain: () => Promise<Plan>;
}

interface Preparing extends Pick<PlanInput, 'unsealed'> {
  /** The plan and its guardrails are compared with `--base`. Without it, the base only decides what `--only` leaves. */
  readonly reviewed?: boolean;
  /** Nobody approves the plan before it is carried out. */
  readonly unattended?: boolean;
}

/**
 * Manifests, connection, live state and plan in one pass for `plan` and `apply`. GET requests only. `unsealed` as in the input.
 */
export async function preparePlan(
  options: PlanningOptions,
  io: Io,
  preparing: Preparing = {},
): Promise<Planned> {
  const early = await connectAhead(options, io.env);
  try {
    return await prepare(options, io, preparing, early);
  } finally {
    early?.close();
  }
}

async function prepare(
  options: PlanningOptions,
  io: Io,
  { unsealed = false, unattended = false, reviewed = false }: Preparing,
  early: EarlyConnection | undefined,
): Promise<Planned> {
  if (options.base !== undefined && options.only === undefined && !reviewed)
    throw usage(
      '--base needs --only here',
      'Pass --only pending or --only change; `tradeform plan --base` compares.',
    );
  const loaded =
    options.at === undefined ? await loadDesired(options, io) : await loadRevision(options.at, options, io);
  const takeOver = takenOverFrom(options, loaded.desired);
  // Both must happen before anything is sent: `--only` may refuse, and the base decides where a token may go.
  const only = await readOnly(options, loaded, io);
  const base =
    options.base === undefined || !reviewed
      ? undefined
      : await comparedWith(only?.base ?? (await projectAt(options.base, loaded.settings, io)), loaded);
  if (base !== undefined) requireKnownOrigin(base.rules, loaded, options, io);
  const overrides = overridesOf(options, loaded, base?.rules.guardrails);
  const { connection, diagnostics } = await requireConnection(options, io, loaded.settings);
  const needed = collectionsOf(loaded.desired);
  const [{ session, live: seen, warnings, confirm, readAgain }, source] = await Promise.all([
    openAndRead(options, io, connection, {
      needed,
      ...pinOf(loaded, base),
      compact: shareConfigs(loaded.desired),
      early,
    }),
    unlessInterrupted(loaded.source, io.stop.soft),
  ]);
  const input: PlanInput = {
    desired: loaded.desired,
    live: seen,
    baseUrl: connection.baseUrl,
    toolVersion: VERSION,
    createdAt: new Date(session.clock.now()).toISOString(),
    source: { ...source, manifestsDigest: unsealed ? '' : manifestsDigest(loaded.desired) },
    options: { ...plannerOptions(options), overrides, takeOver },
    guardrails: loaded.guardrails,
    ...(base === undefined ? {} : { baseRules: base.rules }),
    diagnostics: [...loaded.diagnostics, ...diagnostics, ...warnings, ...commitAhead(source.date, seen)],
    unsealed,
    numbered: options.at !== undefined,
  };
  const unheard = io.stop.unheard ?? (async (work) => work());
  const viewOf = async (live: LiveState): Promise<View> => {
    const uncommitted = await unheard(() => uncommittedRemovals(loaded, live, source, io));
    const whole = {
      ...input,
      live,
      unsealed: true,
      diagnostics: [...input.diagnostics, ...uncommitted],
    };
    const plan = await unheard(() => makePlan(whole));
    const state = only === undefined ? base?.at.project.state : baseOf(only, whole);
    const found = await unheard(() =>
      findOrigin({ plan, live, number: source.number, base: state }, loaded, io),
    );
    const { neverNamed: addresses, verdicts } = found.origin;
    const never = addresses.size === 0 ? {} : { neverNamed: { addresses, limit: found.limit, unattended } };
    const next = { ...whole, ...never };
    const chosen = only === undefined ? next : selectFrom(only, found, plan, next);
    return { input: chosen, verdicts, ...(only === undefined && addresses.size === 0 ? { plan } : {}) };
  };
  const planOn = ({ input: view, verdicts, plan }: View) =>
    unheard(() => {
      const made = base === undefined ? (plan ?? makePlan(view)) : planAgainst(view, base.at);
      return sealed(withOrigin(made, verdicts), unsealed);
    });
  const firstView = await viewOf(seen).catch(closing(session));
  const first = await planOn(firstView);
  const live = createsOrDeletes(first) ? await confirm(seen).catch(closing(session)) : seen;
  const view = live === seen ? firstView : await viewOf(live).catch(closing(session));
  const plan = live === seen ? first : await planOn(view);
  const unknown = unknownAddresses(plan);
  if (unknown.length > 0) {
    await session.close();
    throw new CommandFailure(3, unknown);
  }
  const replan = (then: LiveState) => makePlan({ ...view.input, live: then });
  const planAgain = async () => planOn(await viewOf(await readAgain()));
  return { plan, live, loaded, session, replan, planAgain };
}

/** The input of a plan, and who made its differences; `plan`: the plan of this input, if it was made already. */
interface View {
  readonly input: PlanInput;
  readonly verdicts: readonly Verdict[];
  readonly plan?: Plan;
}

function sealed(plan: Plan, unsealed: boolean): Plan {
  return unsealed ? plan : { ...plan, integrity: planIntegrity(plan) };
}

/** The base of `--base`: its project, and how its rules differ. */
interface PlanBase {
  readonly at: ProjectAt;
  readonly rules: BaseRules;
}

async function comparedWith(at: ProjectAt, loaded: Loaded): Promise<PlanBase> {
  return { at, rules: await compareRules(loaded, at) };
}

/** If a change drops the account pin, the pin of the base still applies, so that no other account is used. */
function pinOf({ pin }: Loaded, base: PlanBase | undefined): Pick<Reading, 'pin' | 'pinnedBy'> {
  const former = base?.rules.rules.account;
  if (pin !== undefined || base === undefined || former === undefined) return { pin };
  return { pin: former, pinnedBy: `the base, ${base.rules.name},` };
}

/** Options that name unknown addresses are typing errors and not a refused plan. They are reported before anything is shown. */
export function unknownAddresses({ diagnostics }: Plan): readonly Diagnostic[] {
  return diagnostics.filter(({ code }) => code === 'target-unknown') as Diagnostic[];
}

interface Reading extends Pick<ReadOptions, 'needed' | 'compact'> {
  readonly pin: AccountPin | undefined;
  /** Where the pin is set, if not in the project file. */
  readonly pinnedBy?: string;
  readonly early?: EarlyConnection | undefined;
}

export interface Opened {
  readonly session: Session;
  readonly live: LiveState;
  readonly warnings: readonly Diagnostic[];
  /** Reads the live state again if a create or a delete could not rely on it. */
  readonly confirm: (live: LiveState) => Promise<LiveState>;
  readonly readAgain: () => Promise<LiveState>;
}

/** Opens a session and reads the live state. Any account other than the pinned one is refused first. */
export async function openAndRead(
  options: CommonOptions,
  io: Io,
  connection: Connection,
  { needed, pin, pinnedBy, compact, early }: Reading,
): Promise<Opened> {
  const { quiet, verbose, concurrency } = options;
  const progress = showProgress(io, { quiet, verbose, total: 0 });
  const { masking, stop, tally } = io;
  const session = connect(connection, { progress, concurrency, masking, stop, tally, early });
  const { api, clock, pages } = session;
  const reading = { api, clock, progress, limiter: pages, ...(compact === undefined ? {} : { compact }) };
  const readAgain = async () => {
    const { live, diagnostics } = await unlessInterrupted(readLive({ ...reading, needed }), io.stop.soft);
    if (live === undefined) throw new CommandFailure(1, namingHost(diagnostics, connection.baseUrl));
    io.masking.know(live);
    return live;
  };
  const confirm = async (live: LiveState) => {
    if (live.confirmed || !live.complete) return live;
    const again = showProgress(io, { quiet, verbose, total: 0 });
    try {
      const result = await unlessInterrupted(
        confirmLive(live, { ...reading, progress: again }),
        io.stop.soft,
      );
      if (result.live === undefined)
        throw new CommandFailure(1, namingHost([result.failure], connection.baseUrl));
      io.masking.know(result.live);
      return result.live;
    } finally {
      again.close();
    }
  };
  try {
    const result = await unlessInterrupted(readLive({ ...reading, needed }), io.stop.soft);
    const mismatch =
      result.account === undefined ? [] : checkPins(result.account, options.pinned, pin, pinnedBy);
    if (mismatch.length > 0) throw new CommandFailure(4, mismatch);
    if (result.live === undefined) {
      // The manifests need a kind that the token cannot read: the view is incomplete, but nothing failed.
      const unseen = result.diagnostics.some(({ code }) => code === 'kind-not-visible');
      throw new CommandFailure(unseen ? 4 : 1, namingHost(result.diagnostics, connection.baseUrl));
    }
    io.masking.know(result.live);
    return { session, live: result.live, warnings: result.diagnostics, confirm, readAgain };
  } catch (error) {
    await session.close();
    throw error;
  } finally {
    progress.close();
  }
}

/** Closes the session of a command that fails. */
function closing(session: Session): (error: unknown) => Promise<never> {
  return async (error) => {
    await session.close();
    throw error;
  };
}

/** The value of `--override`. An unknown guardrail is a typing error, reported before anything is sent. */
function overridesOf(
  { override = [] }: PlanningOptions,
  { guardrails }: Loaded,
  base: BaseRules['guardrails'] | undefined,
): PlannerOptions['overrides'] {
  const names = [...guardrails.policies, ...(base?.policies ?? [])].map(({ name }) => name);
  const others = base === undefined ? [] : [BASE_RULES];
  const { overrides, diagnostics } = parseOverrides(override, [...new Set(names)], others);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  return overrides;
}

/** The kinds that the manifests name. Without reading these there is no plan. */
export function collectionsOf({ tasks, templates, labels, removals }: DesiredState): ReadonlySet<Collection> {
  return new Set([...tasks, ...templates, ...labels, ...removals].map(({ collection }) => collection));
}

/** The value of `--take-over`: possible names of other projects. Anything else is a typing error. */
function takenOverFrom(
  { takeOver = [] }: PlanningOptions,
  { project, previousProject }: DesiredState,
): PlannerOptions['takeOver'] {
  const wrong = (name: string): readonly [string, string?] | undefined => {
    if (!PROJECT_PATTERN.test(name))
      return ['is not a valid project name', 'A name is 1 to 12 characters of a-z, 0-9 and -.'];
    if (name === project) return ['is this project itself', 'Name the project that owns the tasks now.'];
    if (name === previousProject)
      return [
        'is the former name of this project',
        'Its tasks already count as tasks of this project (metadata.previous_name): remove the option.',
      ];
    return undefined;
  };
  const diagnostics = takeOver.flatMap((name): readonly Diagnostic[] => {
    const [what, hint] = wrong(name) ?? [];
    if (what === undefined) return [];
    const message = `--take-over ${name} ${what}`;
    return [problem('invalid-option', message, hint)];
  });
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  return [...new Set(takeOver)];
}

function plannerOptions(options: PlanningOptions): Omit<PlannerOptions, 'overrides' | 'takeOver'> {
  const { target = [], exclude = [], resumeStopped, allowEmpty } = options;
  return {
    targets: target,
    excludes: exclude,
    resumeStopped:
      typeof resumeStopped === 'object' ? resumeStopped : resumeStopped === true ? 'all' : 'none',
    allowEmpty: allowEmpty === true,
  };
}
