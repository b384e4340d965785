import type { DesiredState } from '../../desired/state.ts';
import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../model/address.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, signedDifference } from '../../model/decimal.ts';
import type { DriftCommit, DriftItem, DriftReport } from '../../model/generated/drift.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { LiveState } from '../../model/resource.ts';
import { isOneProject, PastState } from '../../plan/history/past-state.ts';
import { labelBook, planNamed } from '../../plan/named/labels-and-templates.ts';
import type { Case } from './case.ts';
import { caseOf, type DriftView } from './cases.ts';
import { DRIFT_CLASSES, type DriftPolicy, failsFor } from './classes.ts';
import type { Reach } from './item-texts.ts';
import { observedItem, type RawItem } from './items.ts';

interface DriftInput {
  /** The plan of the current git state on this live view. It says what differs. */
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

/** The input of the report at the end of a search. */
interface DriftEnd {
  readonly source: DriftReport['source'];
  /** Why there is no earlier commit. `none` without any history. */
  readonly ended: Exclude<DriftReport['history']['ended'], 'settled'>;
  readonly policy: DriftPolicy;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds out why the live state differs from git (DESIGN 9). The plan says what differs. Earlier commits, passed newest first while
 * something is `open`, tell what git moved on from what somebody changed. A pure computation except for its own progress.
 */
export class DriftSearch {
  readonly #input: DriftInput;
  readonly #view: DriftView;
  readonly #cases: readonly Case[];
  #newer: DriftCommit | null = null;
  #oldest: DriftCommit | null = null;
  #commits = 0;
  #skipped = 0;

  constructor(input: DriftInput) {
    const { plan, desired, live } = input;
    this.#input = input;
    const drafts = planNamed(desired.labels, live.labels);
    const labels = labelBook(desired.labels, drafts.drafts, live);
    this.#view = {
      head: new PastState(desired, live, labels, Date.parse(plan.created_at)),
      tasks: new Map(live.tasks.map((task) => [task.id, task])),
      named: new Map([...live.templates, ...live.labels].map((item) => [item.id, item])),
    };
    this.#cases = plan.changes.flatMap((change) => caseOf(change, this.#view) ?? []);
  }

  /** True if an earlier commit could add something. */
  get open(): boolean {
    return this.#cases.some(({ searches }) => searches.some(({ done }) => !done));
  }

  /** A commit that does not compile is counted and skipped. A commit of another project is ignored. */
  look(commit: DriftCommit, onLine: boolean, state: DesiredState | 'none' | 'broken'): void {
    this.#oldest = commit;
    if (state === 'broken') {
      this.#skipped += 1;
      return;
    }
    this.#commits += 1;
    const { plan, desired, live } = this.#input;
    const past =
      state === 'none' || !isOneProject(state, desired)
        ? undefined
        : new PastState(state, live, this.#view.head.labels, Date.parse(plan.created_at));
    const visit = { commit, onLine, past, movedOn: onLine ? this.#newer : null };
    for (const { searches } of this.#cases)
      for (const search of searches) if (!search.done) search.look(visit);
    if (onLine) this.#newer = commit;
  }

  report({ source, ended, policy, diagnostics }: DriftEnd): DriftReport {
    const { plan, live } = this.#input;
    const reach = ended === 'none' ? 'nowhere' : ended === 'beginning' ? 'all' : 'part';
    const items = this.#items(reach)
      .map((item) => judged(item, plan, policy))
      .sort(byCost);
    const { tool, created_at, project, environment, service, complete } = plan;
    return {
      format: 'tradeform.drift/1',
      tool,
      created_at,
      project,
      environment,
      service,
      source,
      ...(plan.selection === undefined ? {} : { selection: plan.selection }),
      complete,
      drift: items.some(({ fails }) => fails),
      history: {
        commits: this.#commits,
        skipped: this.#skipped,
        oldest: this.#oldest,
        ended: ended === 'none' || this.open ? ended : 'settled',
      },
      policy: { ignore: [...policy.ignore], fail_on: [...policy.failOn] },
      summary: summaryOf(items),
      exposure: stakesOf(plan, items),
      items,
      diagnostics: [...diagnostics, ...(complete ? [] : [incomplete(live)])],
    };
  }

  #items(reach: Reach): readonly RawItem[] {
    const { plan } = this.#input;
    const { tasks } = this.#view;
    // The diagnostic of the address lists the tasks with its name, so they are not reported one by one.
    const told = new Set(
      plan.changes.flatMap(({ reason, blocked }) => (reason === 'conflict' ? (blocked?.ids ?? []) : [])),
    );
    return [
      ...this.#cases.flatMap((item) => item.conclude(reach)),
      ...plan.observations
        .filter(({ id }) => !told.has(id))
        .map((observation) => observedItem(observation, tasks.get(observation.id))),
    ];
  }
}

/** With --target and --exclude, only the selected items fail. The others are still shown. */
function judged(item: RawItem, { selection }: Plan, policy: DriftPolicy): DriftItem {
  return {
    ...item,
    fails: isSelected(item.address, selection) && failsFor(item, policy),
    ignored: policy.ignore.includes(item.class),
  };
}

function isSelected(address: string | null, selection: Plan['selection']): boolean {
  if (selection === undefined) return true;
  if (address === null) return false;
  const { targets, excludes } = selection;
  const names = (patterns: readonly string[]) => patterns.some((pattern) => matchesAddress(pattern, address));
  return (targets.length === 0 || names(targets)) && !names(excludes);
}

/** First tasks that trade unmanaged, then the most expensive class, running tasks before others. */
function byCost(a: DriftItem, b: DriftItem): number {
  const stray = (item: DriftItem) => item.class === 'unmanaged' && item.running;
  const name = ({ address, kind, id }: DriftItem) => address ?? `${kind}/${id}`;
  return (
    Number(stray(b)) - Number(stray(a)) ||
    DRIFT_CLASSES.indexOf(a.class) - DRIFT_CLASSES.indexOf(b.class) ||
    Number(b.running) - Number(a.running) ||
    compareTexts(name(a), name(b))
  );
}

/**
 * Without the exposure of hidden items: their amounts came from the environment in an earlier commit, which the plan does not
 * know.
 */
function stakesOf({ exposure, changes }: Plan, items: readonly DriftItem[]): DriftReport['exposure'] {
  const hidden = new Set(items.flatMap((item) => (item.exposure.secret === true ? [item.address] : [])));
  const left = changes.filter(({ address, exposure: own }) => own.secret !== true && hidden.has(address));
  const without = (total: string, parts: readonly string[]) =>
    signedDifference(addDecimals(parts), total).replace('+', '');
  return {
    live: without(
      exposure.before,
      left.map(({ exposure: own }) => own.before),
    ),
    git: without(
      exposure.after,
      left.map(({ exposure: own }) => own.after),
    ),
    running_live: exposure.running_before,
    running_git: exposure.running_after,
  };
}

function summaryOf(items: readonly DriftItem[]): DriftReport['summary'] {
  const of = (kind: DriftItem['class']) => items.filter((item) => item.class === kind).length;
  return {
    changed: of('changed'),
    pending: of('pending'),
    stopped: of('stopped'),
    started: of('started'),
    interrupted: of('interrupted'),
    missing: of('missing'),
    conflict: of('conflict'),
    unmanaged: of('unmanaged'),
    foreign: of('foreign'),
    damaged: of('damaged'),
    failing: items.filter(({ fails }) => fails).length,
  };
}

function incomplete({ proof }: LiveState): Diagnostic {
  return problem(
    'view-incomplete',
    `The report may be incomplete or wrong: ${proof}`,
    'Run again when nobody else writes, or give the token read scopes for all task kinds.',
  );
}
