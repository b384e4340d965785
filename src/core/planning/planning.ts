import { isBaseUrlNamed, type Session } from '../command/connection.ts';
import { isInJob } from '../command/event.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { projectAt } from '../command/project-at-revision.ts';
import { openProjectOf } from '../command/read-project.ts';
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
import type { Verdict } from '../origin/verdict.ts';
import { requireOverrides } from '../plan/guardrails/override.ts';
import type { NeverNamed } from '../plan/identity/never-named.ts';
import { shareConfigs } from '../plan/identity/share-configs.ts';
import type { PlanInput, PlanOptions as PlannerOptions } from '../plan/input.ts';
import { type Differences, findDifferences, planOf } from '../plan/plan.ts';
import { createsOrDeletes } from '../plan/refusals.ts';
import { BASE_RULES } from '../plan/rules/rules.ts';
import type { Project } from '../project/project.ts';
import { planAgainst } from './base-plan.ts';
import { type BaseRules, compareRules, requireKnownOrigin } from './base-rules.ts';
import { LiveReader, type ProvenRead } from './live-reader.ts';
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

export interface PlanningOptions extends CommonOptions, SelectionOptions {
  readonly firstApply?: boolean | undefined;
  /** `rollback REV`: plan the manifests of that revision instead of the current ones. */
  readonly at?: string | undefined;
}

/** The session is open as long as `act` runs. */
export interface OpenPlan {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly loaded: Loaded;
  readonly session: Session;
  /** The same manifests and options, planned on a new reading of the service. Fails as the first time. */
  readonly planAgain: () => Promise<Plan>;
}

interface How {
  /** The plan is not written: the digest of the manifests stays empty. */
  readonly unwritten?: boolean;
  /** The plan and its guardrails are compared with `--base`. Without it, the base only decides what `--only` leaves. */
  readonly reviewed?: boolean;
  /** Nobody approves the plan before it is carried out. */
  readonly unattended?: boolean;
  /** Addresses, and patterns of them, that an approved plan names. */
  readonly known?: readonly string[] | undefined;
}

/**
 * Manifests, live state and plan in one pass, and then `act` on the plan while the session is open. GET requests only, up to `act`.
 * The service is read while the manifests are compiled, unless something may still forbid it: a base does where the project file
 * alone names the host, and a fleet refuses first.
 */
export async function reconcile<Result>(
  options: PlanningOptions,
  io: Io,
  how: How,
  act: (planned: OpenPlan) => Promise<Result>,
): Promise<Result> {
  if (options.base !== undefined && options.only === undefined && how.reviewed !== true)
    throw usage('--base needs --only here', 'Pass --only pending; `tradeform plan --base` compares.');
  const reading = new LiveReader(options, io);
  try {
    const project = await openProjectOf(options, io);
    const isJudged = options.base !== undefined && !isBaseUrlNamed(options, io.env);
    if (project.settings !== undefined && !isJudged && options.inFleet !== true)
      await reading.start(project.settings);
    const ready = await makeReady(await project.compile(), options, io, how);
    const proven = await reading.proven(needsOf(ready));
    const input = await inputOf(ready, proven);
    const found = await differencesOn(proven.live, ready, input);
    const confirmed = createsOrDeletes(found.differences) ? await proven.confirm() : undefined;
    const plan = await planFrom(confirmed ? await differencesOn(confirmed, ready, input) : found, ready);
    requireKnownAddresses(plan);
    return await act({
      ...{ plan, live: confirmed ?? proven.live, loaded: ready.loaded, session: proven.session },
      planAgain: async () => planFrom(await differencesOn(await proven.readAgain(), ready, input), ready),
    });
  } finally {
    await reading.end();
  }
}

/** What is known before the live state. */
interface Ready {
  readonly io: Io;
  readonly how: How;
  readonly loaded: Loaded;
  readonly only: OnlyGit | undefined;
  readonly base: BaseRules | undefined;
  readonly options: PlannerOptions;
  readonly numbered: boolean;
}

async function makeReady(here: Project, options: PlanningOptions, io: Io, how: How): Promise<Ready> {
  const loaded = options.at === undefined ? loadDesired(here, io) : await loadRevision(options.at, here, io);
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
  return {
    ...{ io, how, loaded, only, base, numbered },
    options: { ...plannerOptions(options), overrides, takeOver },
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
function needsOf({ loaded: { desired, settings }, base }: Ready): Parameters<LiveReader['proven']>[0] {
  const pin = settings.account;
  const what = { place: settings, needed: collectionsOf(desired), compact: shareConfigs(desired) };
  const former = base?.rules.account;
  if (pin !== undefined || base === undefined || former === undefined) return { ...what, pin };
  return { ...what, pin: former, pinnedBy: `the base, ${base.name},` };
}

/** The input of the plan, before git is asked who made the differences. */
async function inputOf(ready: Ready, { session, live, baseUrl, warnings }: ProvenRead): Promise<PlanInput> {
  const { io, loaded, base, how } = ready;
  const source = await unlessInterrupted(loaded.source, io.stop.soft);
  return {
    desired: loaded.desired,
    ...{ live, baseUrl, toolVersion: VERSION },
    createdAt: new Date(session.clock.now()).toISOString(),
    source: { ...source, manifestsDigest: how.unwritten === true ? '' : manifestsDigest(loaded.desired) },
    options: ready.options,
    guardrails: loaded.guardrails,
    ...(base === undefined ? {} : { baseRules: base }),
    diagnostics: [...loaded.diagnostics, ...warnings],
    numbered: ready.numbered,
    inJob: isInJob(io.env),
    known: how.known ?? [],
  };
}

interface Traced {
  readonly differences: Differences;
  readonly verdicts: readonly Verdict[];
  readonly limit: NeverNamed['limit'];
}

/** The differences of the manifests from a live state, with what only git knows of them, and without what `--only` leaves. */
function differencesOn(
  live: LiveState,
  { io, how: { unattended = false }, loaded, only, base }: Ready,
  given: PlanInput,
): Promise<Traced> {
  return unheard(io, async () => {
    const uncommitted = await uncommittedRemovals(loaded, live, given.source, io);
    const elsewhere = given.numbered === true ? [] : passedOver(loaded, live);
    const input = { ...given, live, diagnostics: [...given.diagnostics, ...uncommitted, ...elsewhere] };
    const all = findDifferences(input);
    const state = only === undefined ? base?.at.project.state : baseOf(only, input);
    const there = state && { state, number: only?.baseNumber };
    const asked = { changes: all.changes, live, number: given.source.number, base: there };
    const found = await findOrigin({ ...asked, renews: only !== undefined }, loaded, io);
    const { view, verdicts } = found.origin;
    const addresses = view.neverNamed;
    const observed = await observedSecrets(all, live, loaded, io);
    const secrets = [
      ...observed,
      ...verdicts.map(({ change, secrets }) => [change.address, secrets] as const),
    ];
    const isNews = addresses.size > 0 || secrets.some(([, paths]) => paths.length > 0);
    const neverNamed = { addresses, limit: found.limit, unattended };
    const known = isNews ? { ...input, neverNamed, furtherSecrets: new Map(secrets) } : input;
    const left = only === undefined ? known : selectFrom(found, all.changes, known);
    const differences = isNews || only !== undefined ? findDifferences(left) : all;
    return { differences, verdicts, limit: found.limit };
  });
}

/** The plan of these differences, the only one, beside that of a base. */
function planFrom({ differences, verdicts, limit }: Traced, { io, base }: Ready): Promise<Plan> {
  return unheard(io, () => {
    const plan = base === undefined ? planOf(differences) : planAgainst(differences, base.at);
    return withOrigin(plan, verdicts, limit);
  });
}

function unheard<Result>({ stop }: Io, work: () => Result | Promise<Result>): Promise<Result> {
  return stop.unheard === undefined ? Promise.resolve(work()) : stop.unheard(work);
}

/** Options that name unknown addresses are typing errors and not a refused plan (exit 3), reported before anything is shown. */
export function requireKnownAddresses({ diagnostics }: Plan): void {
  const unknown = diagnostics.filter(({ code }) => code === 'target-unknown') as Diagnostic[];
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
}

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
