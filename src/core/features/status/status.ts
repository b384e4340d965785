import { isBaseUrlNamed } from '../../command/connection.ts';
import { isInJob } from '../../command/event.ts';
import type { Io } from '../../command/io.ts';
import { isNamedBy, kindsMeant, labelsMeant, refuseWords, unmatched } from '../../command/meant.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { type PresentOptions, present } from '../../command/output/present.ts';
import { VERSION } from '../../command/version.ts';
import type { DesiredState } from '../../desired/state.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { uncountedIn } from '../../documents/plan-view.ts';
import { addressOrId } from '../../model/address.ts';
import { isFreeze } from '../../model/freeze.ts';
import type { Plan, PlanExposure } from '../../model/generated/plan.ts';
import { STATUS_FORMAT, type StatusReport, type StatusRow } from '../../model/generated/status.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import type { ProjectNames } from '../../model/marker.ts';
import type { LiveState } from '../../model/resource.ts';
import { sumOf } from '../../plan/stakes/exposure.ts';
import { freezeWarnings } from '../../plan/stakes/frozen.ts';
import { readOnce } from '../../planning/live-reader.ts';
import { reconcile } from '../../planning/planning.ts';
import { findUpward } from '../../project/find-project.ts';
import { filterRows, SORTS, type Sort, type StatusFilter, statusRows } from './pure/rows.ts';

export interface StatusOptions extends CommonOptions, PresentOptions, StatusFilter {
  readonly sort?: Sort;
}

/**
 * `tradeform status`: every task, desired and live, with the plan's words about it. Without a project, what is on the account of
 * `--base-url` or `TRADEFORM_BASE_URL`, except in a job or with the name of an environment. Returns 0. Sends GET requests only.
 */
export async function runStatus(
  addresses: readonly string[],
  options: StatusOptions,
  io: Io,
): Promise<number> {
  kindsMeant(options.kind ?? [], TASK_KINDS);
  // A job, and one who names an environment, mean a project: in a wrong folder, everything would seem well.
  const meansProject = isInJob(io.env) || chosenEnvironment(options.environment, io.env) !== undefined;
  const noProject = options.project === undefined && findUpward(io.cwd) === undefined;
  const alone = noProject && !meansProject && isBaseUrlNamed(options, io.env);
  const seen = alone
    ? await accountAlone(options, io)
    : await reconcile(commonOf(options), io, {}, async ({ plan, live, loaded: { desired } }) => ({
        ...{ plan, live, desired },
      }));
  const labels = await labelsMeant(options.label ?? [], seen.live, () => seen.desired.labels);
  const filter = { ...options, label: labels.map(({ name }) => name) };
  const document = reportOf(addresses, filter, seen);
  return present({ document, command: 'status', exitCode: 0 }, options, io);
}

/** What is reported, as of a plan. */
interface SeenAccount {
  readonly plan: Pick<
    Plan,
    | 'changes'
    | 'observations'
    | 'created_at'
    | 'project'
    | 'environment'
    | 'service'
    | 'complete'
    | 'diagnostics'
  > & {
    readonly exposure: Pick<PlanExposure, 'before' | 'outside' | 'left_out'>;
  };
  readonly live: LiveState;
  readonly desired: Pick<DesiredState, 'tasks' | 'labels'> & ProjectNames;
}

/** Nothing is wanted, and every task counts. */
async function accountAlone(options: StatusOptions, io: Io): Promise<SeenAccount> {
  const { live, baseUrl, warnings, session } = await readOnce(commonOf(options), io, { place: undefined });
  const running = live.tasks.filter(({ is_active: runs }) => runs);
  const { sol: before, unreadable: count } = sumOf(running.map((task) => ({ task })));
  const text = `${count} of the amounts cannot be read: they count as 0.`;
  const { token_prefix, login_username } = live.account;
  const plan = {
    ...{ changes: [], observations: [], project: '', environment: null },
    created_at: new Date(session.clock.now()).toISOString(),
    service: { base_url: baseUrl, token_prefix, login_username },
    complete: live.complete,
    exposure: {
      before,
      outside: [],
      left_out: count === 0 ? [] : [{ reason: 'unreadable' as const, count, text }],
    },
    diagnostics: [...freezeWarnings(live.labels.filter(isFreeze), []), ...warnings],
  };
  return { plan, live, desired: { project: undefined, tasks: [], labels: [] } };
}

/** Diagnostics about the view. Those about a plan belong to `plan`. */
const TOLD: ReadonlySet<string> = new Set([
  'view-incomplete',
  'kind-not-visible',
  'token-expiring',
  'frozen',
]);

/** These options of the table mean something else to a plan. */
function commonOf(options: StatusOptions): CommonOptions {
  const { project, environment, baseUrl, tokenFile, concurrency, quiet, verbose, pinned, inFleet } = options;
  return { project, environment, baseUrl, tokenFile, concurrency, quiet, verbose, pinned, inFleet };
}

function reportOf(
  addresses: readonly string[],
  options: StatusOptions,
  { plan, live, desired }: SeenAccount,
): StatusReport {
  const all = statusRows(plan, live, desired);
  const rows = options.sort === undefined ? all : all.toSorted(SORTS[options.sort]);
  const having = (test: (row: StatusRow) => boolean) => rows.filter(test).length;
  return {
    format: STATUS_FORMAT,
    tool: { name: 'tradeform', version: VERSION },
    created_at: plan.created_at,
    project: plan.project,
    environment: plan.environment,
    service: plan.service,
    complete: plan.complete,
    summary: {
      tasks: rows.length,
      running: having(({ live: is }) => is === 'running'),
      paused: having(({ live: is }) => is === 'paused'),
      missing: having(({ live: is }) => is === 'missing'),
      held: having(({ state }) => state === 'held'),
      pending: having(({ state }) => state === 'pending'),
      blocked: having(({ state }) => state === 'blocked'),
      differs: having(({ state }) => state === 'differs'),
      adopted: having(({ state, actions }) => state === 'differs' && actions.includes('adopt')),
    },
    exposure: plan.exposure.before,
    outside: plan.exposure.outside,
    uncounted: [...uncountedIn(plan.exposure)],
    tasks: [...filterRows(namedRows(addresses, rows), options)],
    // The codes in a plan are from the closed set, although the plan schema only calls them strings.
    diagnostics: plan.diagnostics.filter(({ code }) => TOLD.has(code)) as Diagnostic[],
  };
}

/** Fails (exit 3) for a word that names no row. */
function namedRows(words: readonly string[], rows: readonly StatusRow[]): readonly StatusRow[] {
  const named = new Map(words.map((word) => [word, rowsNamed(word, rows)]));
  refuseWords(
    words.filter((word) => named.get(word)?.length === 0),
    (word) =>
      unmatched(
        word,
        'no task in the manifests or on the service, nor a wallet or a remark',
        rows.map(addressOrId),
      ),
  );
  const meant = new Set([...named.values()].flat());
  return words.length === 0 ? rows : rows.filter((row) => meant.has(row));
}

const LEAST_PART = 2;

/** What a word means: what it names, or what has this target wallet. If there is none, what has it in its remark, in any case. */
function rowsNamed(word: string, rows: readonly StatusRow[]): readonly StatusRow[] {
  const exact = rows.filter((row) => isNamedBy(word, addressOrId(row), row.id) || word === row.target);
  if (exact.length > 0 || word.length < LEAST_PART) return exact;
  const part = word.toLowerCase();
  return rows.filter(({ remark }) => remark.toLowerCase().includes(part));
}
