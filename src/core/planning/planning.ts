import {
  type Connection,
  type ConnectionResult,
  isBaseUrlNamed,
  requireConnection,
  resolveConnection,
  type Session,
} from '../command/connection.ts';
import { isInJob } from '../command/event.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { projectAt } from '../command/project-at-revision.ts';
import { VERSION } from '../command/version.ts';
import { manifestsDigest } from '../desired/digest.ts';
import type { DesiredState } from '../desired/state.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../diagnostics/diagnostic.ts';
import { PROJECT_PATTERN } from '../model/address.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { Collection } from '../model/kind.ts';
import { MAX_HALF } from '../model/marker.ts';
import type { LiveState } from '../model/resource.ts';
import { withOrigin } from '../origin/made-by.ts';
import { requireOverrides } from '../plan/guardrails/override.ts';
import { shareConfigs } from '../plan/identity/share-configs.ts';
import type { PlanInput, PlanOptions as PlannerOptions } from '../plan/input.ts';
import { makePlan } from '../plan/plan.ts';
import { createsOrDeletes } from '../plan/refusals.ts';
import { BASE_RULES } from '../plan/rules/rules.ts';
import type { Settings } from '../project/project.ts';
import { planAgainst } from './base-plan.ts';
import { type BaseRules, compareRules, requireKnownOrigin } from './base-rules.ts';
import { type Begun, beginReading, type Opened, withLive } from './live.ts';
import { type Loaded, loadDesired, loadRevision } from './load-project.ts';
import { baseOf, type OnlyGit, type OnlyOptions, readOnly, selectFrom } from './only.ts';
import { findOrigin, observedSecrets, uncommittedRemovals } from './origin.ts';
import { passedOver } from './passed-over.ts';

/** Options that decide what is planned. A saved plan names them. */
export interface SelectionOptions extends OnlyOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** `true`: all held tasks. */
  readonly resumeStopped?: boolean | readonly string[] | undefined;
  readonly allowEmpty?: boolean | undefined;
  /** The names of projects whose tasks are taken over. */
  readonly takeOver?: readonly string[] | undefined;
  /** One `GUARDRAIL=PLAN_DIGEST` each. */
  readonly override?: readonly string[] | undefined;
}

export const SELECTION = {
  target: '--target',
  exclude: '--exclude',
  resumeStopped: '--resume-stopped',
  allowEmpty: '--allow-empty',
  takeOver: '--take-over',
  override: '--override',
  only: '--only',
  base: '--base',
} as const satisfies Record<keyof SelectionOptions, string>;

/** Options of a plan, shared by `plan` and `apply`. */
export interface PlanningOptions extends CommonOptions, SelectionOptions {
  readonly firstApply?: boolean | undefined;
  /** `rollback REV`: plan the manifests of that revision instead of the current ones. */
  readonly at?: string | undefined;
}

/** A plan and what it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly loaded: Loaded;
}

/** The same while the session is open. */
export interface OpenPlan extends Planned {
  readonly session: Session;
  /** The same manifests and options, planned on a new reading of the service. Fails as the first time. */
  readonly planAgain: () => Promise<Plan>;
}

interface Preparing {
  /** The plan is not written: the digest of the manifests stays empty. */
  readonly unwritten?: boolean;
  /** The plan and its guardrails are compared with `--base`. Without it, the base only decides what `--only` leaves. */
  readonly reviewed?: boolean;
  /** Nobody approves the plan before it is carried out. */
  readonly unattended?: boolean;
  /** Addresses, and patterns of them, that an approved plan names. */
  readonly known?: readonly string[] | undefined;
}

/** Manifests, connection, live state and plan in one pass. GET requests only. */
export function preparePlan(options: PlanningOptions, io: Io, preparing: Preparing = {}): Promise<Planned> {
  return withPlan(options, io, preparing, async (planned) => planned);
}

/** Like `preparePlan`, and runs work on the plan in the same session, which is closed then. */
export async function withPlan<Result>(
  options: PlanningOptions,
  io: Io,
  preparing: Preparing,
  work: (planned: OpenPlan) => Promise<Result>,
): Promise<Result> {
  const ahead: Ahead = {};
  const ready = await getReady(options, io, preparing, ahead).catch(async (error: unknown) => {
    await ahead.begun?.end();
    throw error;
  });
  const { loaded, connection } = ready;
  const reading = { ...readingOf(ready), begun: ahead.begun };
  return withLive(options, io, connection, reading, async (opened) => {
    const { session, live: seen } = opened;
    const given = await giveInput(ready, opened);
    const first = await planOn(ready, given, seen);
    const live = createsOrDeletes(first) ? await opened.confirm(seen) : seen;
    const plan = live === seen ? first : await planOn(ready, given, live);
    requireKnownAddresses(plan);
    const planAgain = async () => planOn(ready, given, await opened.readAgain());
    return work({ plan, live, loaded, session, planAgain });
  });
}

/** What goes on while the manifests are compiled. */
interface Ahead {
  resolved?: ConnectionResult;
  begun?: Begun;
}

/** What is known before the live state. */
interface Ready {
  readonly io: Io;
  readonly how: Preparing;
  readonly loaded: Loaded;
  readonly only: OnlyGit | undefined;
  readonly base: BaseRules | undefined;
  readonly options: PlannerOptions;
  readonly connection: Connection;
  readonly diagnostics: readonly Diagnostic[];
  readonly numbered: boolean;
}

/**
 * The manifests, git, the rules of the base, and the connection. The reading of the service begins as soon as nothing can forbid it
 * any more: a base may, where the project file alone names the host, and so may a fleet.
 */
async function getReady(options: PlanningOptions, io: Io, how: Preparing, ahead: Ahead): Promise<Ready> {
  if (options.base !== undefined && options.only === undefined && how.reviewed !== true)
    throw usage('--base needs --only here', 'Pass --only pending; `tradeform plan --base` compares.');
  const begin = async (settings: Settings) => {
    ahead.resolved = await resolveConnection(options, io, settings);
    const { connection } = ahead.resolved;
    if (connection !== undefined) ahead.begun = beginReading(options, io, connection);
  };
  const judged = options.base !== undefined && !isBaseUrlNamed(options, io.env);
  const early = judged || 'pinned' in options ? undefined : begin;
  const loaded =
    options.at === undefined
      ? await loadDesired(options, io, early)
      : await loadRevision(options.at, options, io, early);
  const takeOver = takenOverFrom(options, loaded.desired);
  // The base decides where a token may go, unless the operator named the host.
  const only = await readOnly(options, loaded, io);
  const numbered = options.at !== undefined;
  if (only !== undefined || numbered) await requireNumber(loaded);
  const base =
    options.base === undefined || how.reviewed !== true
      ? undefined
      : await compareRules(loaded, only?.base ?? (await projectAt(options.base, loaded.settings, io)));
  if (base !== undefined) requireKnownOrigin(base, loaded, options, io);
  const overrides = overridesOf(options, loaded, base?.guardrails);
  const { connection, diagnostics } = await requireConnection(options, io, loaded.settings, ahead.resolved);
  return {
    ...{ io, how, loaded, only, base, connection, diagnostics },
    options: { ...plannerOptions(options), overrides, takeOver },
    numbered,
  };
}

/** Without a number in its markers, a job of an older commit would write over this one. */
async function requireNumber({ source }: Loaded): Promise<void> {
  const { number = 0 } = await source;
  if (number <= MAX_HALF) return;
  const message = `there are ${number} commits up to HEAD, and a marker numbers at most ${MAX_HALF}: an older job could take this run back`;
  throw new CommandFailure(4, [problem('history-too-long', message, WITHOUT_NUMBER)]);
}

const WITHOUT_NUMBER =
  'Let one job at a time apply, without `--only`, or keep the manifests in a repository with a shorter history.';

/** What is read. If a change drops the account pin, the pin of the base still applies, so that no other account is used. */
function readingOf({ loaded: { desired, settings }, base }: Ready): Parameters<typeof withLive>[3] {
  const pin = settings.account;
  const what = { needed: collectionsOf(desired), compact: shareConfigs(desired) };
  const former = base?.rules.account;
  if (pin !== undefined || base === undefined || former === undefined) return { ...what, pin };
  return { ...what, pin: former, pinnedBy: `the base, ${base.name},` };
}

/** The input of the plan, before git is asked who made the differences. */
async function giveInput(ready: Ready, { session, live, warnings }: Opened): Promise<PlanInput> {
  const { io, loaded, base, how } = ready;
  const source = await unlessInterrupted(loaded.source, io.stop.soft);
  return {
    desired: loaded.desired,
    live,
    baseUrl: ready.connection.baseUrl,
    toolVersion: VERSION,
    createdAt: new Date(session.clock.now()).toISOString(),
    source: { ...source, manifestsDigest: how.unwritten === true ? '' : manifestsDigest(loaded.desired) },
    options: ready.options,
    guardrails: loaded.guardrails,
    ...(base === undefined ? {} : { baseRules: base }),
    diagnostics: [...loaded.diagnostics, ...ready.diagnostics, ...warnings],
    numbered: ready.numbered,
    inJob: isInJob(io.env),
    known: how.known ?? [],
  };
}

/** The plan on a live state, with what only git knows of it. */
async function planOn(
  { io, how: { unattended = false }, loaded, only, base }: Ready,
  given: PlanInput,
  live: LiveState,
): Promise<Plan> {
  const unheard = io.stop.unheard ?? (async (work) => work());
  const uncommitted = await unheard(() => uncommittedRemovals(loaded, live, given.source, io));
  const elsewhere = given.numbered === true ? [] : passedOver(loaded, live);
  const diagnostics = [...given.diagnostics, ...uncommitted, ...elsewhere];
  const whole: PlanInput = { ...given, live, diagnostics };
  const all = await unheard(() => makePlan(whole));
  const state = only === undefined ? base?.at.project.state : baseOf(only, whole);
  const there = state && { state, number: only?.baseNumber };
  const found = await unheard(() =>
    findOrigin(
      { plan: all, live, number: given.source.number, base: there, renews: only !== undefined },
      loaded,
      io,
    ),
  );
  const { neverNamed: addresses, verdicts } = found.origin;
  const observed = await unheard(() => observedSecrets(all, live, loaded, io));
  const secrets = [...observed, ...verdicts.map(({ change, secrets }) => [change.address, secrets] as const)];
  const known: PlanInput =
    addresses.size === 0 && secrets.every(([, paths]) => paths.length === 0)
      ? whole
      : {
          ...whole,
          neverNamed: { addresses, limit: found.limit, unattended },
          furtherSecrets: new Map(secrets),
        };
  const input = only === undefined ? known : selectFrom(found, all, known);
  return unheard(() => {
    const made = base !== undefined ? planAgainst(input, base.at) : input === whole ? all : makePlan(input);
    return withOrigin(made, verdicts);
  });
}

/** Options that name unknown addresses are typing errors and not a refused plan (exit 3), reported before anything is shown. */
export function requireKnownAddresses({ diagnostics }: Plan): void {
  const unknown = diagnostics.filter(({ code }) => code === 'target-unknown') as Diagnostic[];
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
}

/** The value of `--override`. */
function overridesOf(
  { override = [] }: PlanningOptions,
  { guardrails }: Loaded,
  base: BaseRules['guardrails'] | undefined,
): PlannerOptions['overrides'] {
  const names = [...guardrails.policies, ...(base?.policies ?? [])].map(({ name }) => name);
  const others = base === undefined ? [] : [BASE_RULES];
  return requireOverrides(override, [...new Set(names)], others);
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
