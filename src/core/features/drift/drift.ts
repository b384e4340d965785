import { unlessInterrupted } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { type PresentOptions, present } from '../../command/output/present.ts';
import { readProjectOf, requireCompiled, requireWholeCheckout } from '../../command/read-project.ts';
import { VERSION } from '../../command/version.ts';
import { manifestsDigest } from '../../desired/digest.ts';
import type { DesiredState } from '../../desired/state.ts';
import { CommandFailure, type Diagnostic, note, problem, warning } from '../../diagnostics/diagnostic.ts';
import { oneOfHint } from '../../diagnostics/suggest.ts';
import { DRIFT_CLASSES, type DriftPolicy, failsFor } from '../../documents/drift-classes.ts';
import { refusedBy } from '../../documents/plan-summary.ts';
import { addressOrId } from '../../model/address.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, signedDifference } from '../../model/decimal.ts';
import {
  DRIFT_FORMAT,
  type DriftClass,
  type DriftItem,
  type DriftReport,
} from '../../model/generated/drift.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { LiveState } from '../../model/resource.ts';
import { Origin } from '../../origin/origin.ts';
import type { Guardrails } from '../../plan/guardrails/compiled.ts';
import { NO_OPTIONS, type PlanInput } from '../../plan/input.ts';
import { findDifferences, planOf } from '../../plan/plan.ts';
import { isSelected } from '../../plan/selection.ts';
import { readOnce } from '../../planning/live-reader.ts';
import { type Commits, commitsOf, limitOf, observedSecrets, searchHistory } from '../../planning/origin.ts';
import { collectionsOf, requireKnownAddresses } from '../../planning/planning.ts';
import { readGit } from '../../project/git-state.ts';
import type { Project, Settings } from '../../project/project.ts';
import { LIST, readProjectAt } from '../../project/revision.ts';
import { driftItemsOf, observedItem, type RawItem } from './pure/cases.ts';

export interface DriftOptions extends CommonOptions, PresentOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Classes that do not affect the exit code. */
  readonly ignore?: readonly string[] | undefined;
  /** Classes that fail, although they are otherwise only reported. */
  readonly failOn?: readonly string[] | undefined;
}

/**
 * `tradeform drift`: what differs from git, and why (DESIGN 9). Returns the exit code: 4 if the live view is incomplete (known
 * facts are shown), 2 with drift, else 0. Sends GET requests only.
 */
export async function runDrift(options: DriftOptions, io: Io): Promise<number> {
  const policy = policyOf(options);
  const git = await readGitSource(options, io);
  const document = await unlessInterrupted(search(options, git, policy, io), io.stop.soft);
  const exitCode = !document.complete ? 4 : document.drift ? 2 : 0;
  const known = { wallets: git.desired.wallets };
  return present({ document, known, command: 'drift', exitCode }, options, io);
}

async function search(
  options: DriftOptions,
  { desired, settings, guardrails, source, number, history, diagnostics }: GitSource,
  policy: DriftPolicy,
  io: Io,
): Promise<DriftReport> {
  const needs = { place: settings, needed: collectionsOf(desired), pin: settings.account };
  const { session, live, baseUrl, warnings } = await readOnce(options, io, needs);
  const { target = [], exclude = [] } = options;
  const input: PlanInput = {
    desired,
    live,
    baseUrl,
    toolVersion: VERSION,
    createdAt: new Date(session.clock.now()).toISOString(),
    source: { commit: source.commit, dirty: source.dirty, manifestsDigest: source.manifests_digest, number },
    options: { ...NO_OPTIONS, targets: target, excludes: exclude, allowEmpty: true },
    guardrails,
    diagnostics: [],
  };
  const all = findDifferences(input);
  const furtherSecrets = await observedSecrets(all, live, { desired, settings }, io);
  const found = furtherSecrets.size === 0 ? all : findDifferences({ ...input, furtherSecrets });
  const plan = planOf(found);
  requireKnownAddresses(plan);
  const origin = new Origin({ changes: plan.changes, desired, live, number, base: undefined, renews: false });
  if (history === undefined) origin.end(true);
  const read =
    history === undefined ? undefined : await readHistory(origin, history, { desired, settings }, io);
  const ofAccount = plan.diagnostics.filter(({ code }) => code === 'first-apply' || code === 'frozen');
  // The report itself says what an incomplete view means.
  const shownWarnings = warnings.filter(({ code }) => live.complete || code !== 'view-incomplete');
  return driftReport(plan, live, origin, policy, {
    source,
    history: read?.history ?? { commits: 0, skipped: 0, oldest: null, ended: 'none' },
    diagnostics: [
      ...shownWarnings,
      ...diagnostics,
      ...(ofAccount as Diagnostic[]),
      ...(read?.diagnostics ?? []),
    ],
  });
}

/** Reads earlier commits as far as they can tell something, and says what the history does not show. */
async function readHistory(
  origin: Origin,
  commits: Commits,
  of: Pick<GitSource, 'desired' | 'settings'>,
  io: Io,
): Promise<{ readonly history: DriftReport['history']; readonly diagnostics: readonly Diagnostic[] }> {
  const none = { commits: 0, skipped: 0, oldest: null };
  if (!origin.open) return { history: { ...none, ended: 'settled' }, diagnostics: [] };
  const searched = await searchHistory(origin, commits, of, io);
  const { history, broken: skipped, oldest } = searched;
  if (history.problem !== undefined) {
    const unlisted = warning(
      'history-none',
      `what was applied last is known only where git wants the same now: git cannot list the earlier commits: ${history.problem}`,
      LIST,
    );
    return { history: { ...none, ended: 'none' }, diagnostics: [unlisted] };
  }
  const limit = limitOf(searched);
  const unknown = `what was applied from an earlier commit may be unknown: ${limit?.text}`;
  return {
    history: {
      ...{ commits: searched.commits, skipped, oldest: oldest ?? null },
      ended: origin.open ? history.ended : 'settled',
    },
    diagnostics: limit === undefined ? [] : [note('history-limited', unknown, limit.hint)],
  };
}

function policyOf({ ignore = [], failOn = [] }: DriftOptions): DriftPolicy {
  const wrong = [
    ...ignore.flatMap((name) => notAClass('--ignore', name)),
    ...failOn.flatMap((name) => notAClass('--fail-on', name)),
    ...ignore
      .filter((name) => failOn.includes(name))
      .map((name) => `${name} is in both --ignore and --fail-on`)
      .map((message) => problem('invalid-option', message, 'remove it from one of them')),
  ];
  if (wrong.length > 0) throw new CommandFailure(3, wrong);
  return { ignore: classes(ignore), failOn: classes(failOn) };
}

function classes(names: readonly string[]): readonly DriftClass[] {
  return DRIFT_CLASSES.filter((kind) => names.includes(kind));
}

function notAClass(option: string, name: string): readonly Diagnostic[] {
  if (DRIFT_CLASSES.some((kind) => kind === name)) return [];
  const message = `${option} ${name} is not a class of drift`;
  return [problem('invalid-option', message, oneOfHint(DRIFT_CLASSES, name))];
}

/**
 * Why the live state differs from git (DESIGN 9): the verdicts of `src/core/origin` by class, and what belongs to nobody. `plan`: that of
 * the current git state on this live view.
 */
function driftReport(
  plan: Plan,
  live: LiveState,
  origin: Origin,
  policy: DriftPolicy,
  { source, history, diagnostics }: Pick<DriftReport, 'source' | 'history' | 'diagnostics'>,
): DriftReport {
  const { ended, oldest, commits, skipped } = history;
  const isAll = ended === 'settled' || (ended === 'beginning' && skipped === 0);
  const reach = ended === 'none' ? 'nowhere' : isAll ? 'all' : 'part';
  // The diagnostic of the address lists the tasks with its name, so they are not reported one by one.
  const told = new Set(
    plan.changes.flatMap(({ reason, blocked }) => (reason === 'conflict' ? (blocked?.ids ?? []) : [])),
  );
  const found: readonly RawItem[] = [
    ...origin.verdicts.flatMap((verdict) => driftItemsOf(verdict, origin.view, reach)),
    ...plan.observations
      .filter(({ id }) => !told.has(id))
      .map((observation) => observedItem(observation, origin.view.tasks.get(observation.id))),
  ];
  const items = found.map((item) => judged(item, plan, policy)).sort(byCost);
  const { tool, created_at, project, environment, service, complete } = plan;
  return {
    format: DRIFT_FORMAT,
    ...{ tool, created_at, project, environment, service, source },
    ...(plan.selection === undefined
      ? {}
      : { selection: { targets: [...plan.selection.targets], excludes: [...plan.selection.excludes] } }),
    ...{ digest: plan.digest, complete },
    drift: items.some(({ fails }) => fails),
    history: { commits, skipped, oldest, ended },
    policy: { ignore: [...policy.ignore], fail_on: [...policy.failOn] },
    summary: summaryOf(items),
    exposure: stakesOf(plan, items),
    items,
    diagnostics: [...diagnostics, ...(complete ? [] : [incomplete(live)])],
  };
}

/** With --target and --exclude, only the selected items fail. The others are still shown. */
function judged(
  item: RawItem,
  { selection, diagnostics, changes, observations }: Plan,
  policy: DriftPolicy,
): DriftItem {
  const own = diagnostics.filter(({ address }) => address !== undefined && address === item.address);
  const ids = changes.find(({ address }) => address === item.address)?.blocked?.ids ?? [item.id];
  const copies = observations.flatMap(({ id, copy }) => (ids.includes(id) ? (copy ?? []) : []));
  const isMeant = selection === undefined || (item.address !== null && isSelected(item.address, selection));
  return {
    ...item,
    ...(copies.length === 0 ? {} : { copies }),
    refused: refusedBy(own),
    fails: isMeant && failsFor(item, policy),
    ignored: policy.ignore.includes(item.class),
  };
}

/** The most expensive class first, running tasks before others. */
function byCost(a: DriftItem, b: DriftItem): number {
  return (
    DRIFT_CLASSES.indexOf(a.class) - DRIFT_CLASSES.indexOf(b.class) ||
    Number(b.running) - Number(a.running) ||
    compareTexts(addressOrId(a), addressOrId(b))
  );
}

/**
 * Without the exposure of hidden items: their amounts came from the environment in an earlier commit, which the plan does not
 * know.
 */
function stakesOf({ exposure, changes }: Plan, items: readonly DriftItem[]): DriftReport['exposure'] {
  const hidden = new Set(items.flatMap((item) => (item.exposure.secret === true ? [item.address] : [])));
  const left = changes.filter(({ address, exposure: own }) => own.secret !== true && hidden.has(address));
  const without = (side: 'before' | 'after') => {
    const sum = addDecimals(left.map(({ exposure: own }) => own[side]));
    return signedDifference(sum, exposure[side]).replace('+', '');
  };
  return {
    live: without('before'),
    git: without('after'),
    running_live: exposure.running_before,
    running_git: exposure.running_after,
    outside: exposure.outside,
  };
}

function summaryOf(items: readonly DriftItem[]): DriftReport['summary'] {
  const of = (kind: DriftClass) => items.filter((item) => item.class === kind).length;
  const counts = Object.fromEntries(DRIFT_CLASSES.map((kind) => [kind, of(kind)]));
  return { ...(counts as Record<DriftClass, number>), failing: items.filter(({ fails }) => fails).length };
}

function incomplete({ proof }: LiveState): Diagnostic {
  return problem(
    'view-incomplete',
    `The report may be incomplete or wrong: ${proof}`,
    'Run again when nobody else writes, or give the token read scopes for all task kinds.',
  );
}

/** The git state, and the commits before it. */
interface GitSource {
  readonly desired: DesiredState;
  readonly settings: Settings;
  readonly guardrails: Guardrails;
  readonly source: DriftReport['source'];
  /** How many commits there are up to this one; undefined if that is not known. */
  readonly number: number | undefined;
  /** Undefined if there is no earlier commit. */
  readonly history: Commits | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The git state is the commit of HEAD. If the working tree equals the commit, it is read from disk as in `plan`. If not, the
 * commit itself is read, and uncommitted changes do not count. Without a commit of the project, the working tree is used. Fails
 * (exit 3) if this state does not compile.
 */
async function readGitSource(options: CommonOptions, io: Io): Promise<GitSource> {
  const environment = chosenEnvironment(options.environment, io.env);
  const onDisk = await readProjectOf(options, io);
  const { settings } = onDisk;
  if (settings === undefined) throw new CommandFailure(3, onDisk.diagnostics, onDisk.sources);
  requireWholeCheckout(onDisk);
  const { projectDir, projectFile } = settings;
  const { commit, dirty, number } = await readGit(settings, io.env, onDisk.sources);
  const history = await commitsOf(settings, io);
  if ('why' in history) return sourceOf(onDisk, { commit, dirty }, withoutHistory(history.why));
  if (!dirty) return sourceOf(onDisk, { commit, dirty }, { number, history, diagnostics: [] });
  const found = history.repository.at('HEAD', history.head, projectFile);
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const request = { projectDir, projectFile, environment, env: io.env };
  const committed = await readProjectAt(found.revision, request);
  io.masking.learnEnvironment(committed.environment);
  if (
    committed.settings === undefined &&
    committed.diagnostics.some(({ code }) => code === 'no-project-file')
  )
    return sourceOf(onDisk, { commit, dirty }, withoutHistory('no commit has the project yet'));
  // A file that is no manifest also makes a working tree dirty.
  const [here, there] = [onDisk, committed].map(({ state }) => state && manifestsDigest(state));
  const diagnostics = here !== undefined && here === there ? [] : [notCommitted(history.head)];
  return sourceOf(committed, { commit, dirty }, { number, history, diagnostics });
}

/** Without `history`, the state is the working tree. */
function sourceOf(
  project: Project,
  { commit, dirty }: Pick<DriftReport['source'], 'commit' | 'dirty'>,
  found: Pick<GitSource, 'number' | 'history' | 'diagnostics'>,
): GitSource {
  const { state: desired, settings, guardrails } = requireCompiled(project);
  const read = found.history === undefined ? 'working-tree' : 'commit';
  const source = { commit, dirty, read, manifests_digest: manifestsDigest(desired) } as const;
  return { desired, settings, guardrails, source, ...found };
}

function withoutHistory(why: string): Pick<GitSource, 'number' | 'history' | 'diagnostics'> {
  const diagnostic = note(
    'history-none',
    `what was applied last is known only where git wants the same now: ${why}`,
    'the desired state comes from the working tree; run drift in a clone with history to compare with earlier commits',
  );
  return { number: undefined, history: undefined, diagnostics: [diagnostic] };
}

function notCommitted(commit: string): Diagnostic {
  return note(
    'working-tree-differs',
    `the working tree differs from commit ${commit.slice(0, 7)}, which drift compares with`,
    'commit the changes to include them; `tradeform plan` uses the working tree',
  );
}
