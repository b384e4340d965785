import type { DesiredState, DesiredTask } from '../../../desired/state.ts';
import { isUnmarked } from '../../../model/armed.ts';
import { compareDecimals } from '../../../model/decimal.ts';
import type { Field } from '../../../model/generated/plan.ts';
import type { SwitchedTask } from '../../../model/generated/report.ts';
import { kindOf, TASK_KINDS } from '../../../model/kind.ts';
import { isBuyOnce } from '../../../model/resource.ts';
import { shownField } from '../../../model/secret.ts';
import {
  isChosen,
  type KnownTask,
  namesTask,
  type TaskSelection,
} from '../../../plan/identity/known-task.ts';
import { matchTasks } from '../../../plan/identity/match-tasks.ts';
import { tasksOf } from '../../../plan/identity/task-match.ts';
import { costGroupOf, costOf, sortedFields } from '../../../plan/stakes/cost.ts';
import { exposureOf, isSecretStake } from '../../../plan/stakes/exposure.ts';
import { letGo } from '../../../plan/switch/off-marks.ts';
import { compareTask, field, type LabelBook, wantedOf } from '../../../plan/task/compare-task.ts';

/** The decision of `tradeform resume` about a chosen task, and its reason for people. */
export interface ResumeChoice {
  readonly known: KnownTask;
  /**
   * `mark-settled`: only the mark of the switch is removed. `left`: chosen by a glob, a label, a kind or `--all`, but not
   * stopped by the switch. `refused`: named, but impossible.
   */
  readonly type: 'start' | 'mark-settled' | 'running' | 'left' | 'refused';
  readonly text: string;
  /** No manifest names it, as far as manifests can be read. */
  readonly isOrphan?: boolean;
  /** It would start, and could then spend differently than its manifest says. */
  readonly differs?: StoredOtherwise | undefined;
}

export interface ResumeAsk {
  readonly selection: TaskSelection;
  /** `--held`: also tasks that a person or `buy_once` stopped, without naming them. */
  readonly held: boolean;
  /** `--from`: what a pause did. A name then chooses as `--all` does. */
  readonly paused?: readonly SwitchedTask[] | undefined;
  /** Undefined if the manifests cannot be read. */
  readonly manifests: Manifests | undefined;
  /**
   * The effect of the next apply on a task without a manifest. Undefined if it has none. It does not apply to tasks under the
   * project's former name.
   */
  readonly git?: Pick<DesiredState, 'project' | 'pruneTasks'> | undefined;
}

/**
 * A named task is started, whoever stopped it. A task that was not named itself is started only if the switch stopped it or
 * tradeform's own start is pending. `--all` must not start what a person or `buy_once` stopped.
 */
export function resumeChoices(seen: readonly KnownTask[], ask: ResumeAsk): readonly ResumeChoice[] {
  const owners = new Map<string, number>();
  for (const { address } of seen) if (address !== null) owners.set(address, (owners.get(address) ?? 0) + 1);
  return seen
    .filter((known) => isChosen(known, ask.selection))
    .flatMap((known) => choose(known, ask, (owners.get(known.address ?? '') ?? 0) > 1) ?? []);
}

function choose(known: KnownTask, ask: ResumeAsk, shared: boolean): ResumeChoice | undefined {
  const chosen = ask.selection.names.some((name) => !name.includes('*') && namesTask(name, known));
  const named = chosen && ask.paused === undefined;
  const { task, owner, marker } = known;
  const armed = owner === 'owned' ? marker?.armed : undefined;
  const way = letGo({ armed, version: task.version }, task.is_active);
  const choice = (type: ResumeChoice['type'], text: string): ResumeChoice => ({ known, type, text });
  if (task.is_active && way === 'mark-settled') return choice('mark-settled', RUNS_MARKED);
  if (task.is_active) return chosen ? choice('running', 'It runs already.') : undefined;
  const manifest = ask.manifests?.get(task.id);
  const start = (text: string): ResumeChoice => ({
    ...choice('start', text),
    isOrphan: ask.manifests !== undefined && manifest === undefined,
    differs: manifest && storedOtherwise(known, manifest),
  });
  const before = ask.paused?.find(({ id }) => id === task.id)?.former?.version;
  // Its pause was one write.
  if (owner !== 'owned' && chosen && !named && Number(before) + 1 !== task.version)
    return choice('left', WRITTEN_SINCE);
  if (owner !== 'owned') return chosen ? start('') : undefined;
  if (shared) return choice(named ? 'refused' : 'left', SHARED);
  if (isUnmarked(armed) && !named) return chosen ? choice('left', STOPPED_OUTSIDE) : undefined;
  const against = againstGit(known, ask, manifest);
  if (against !== undefined && !named) return choice('left', against);
  const asked = named || ask.held;
  if (!asked && way === 'mark-settled') return choice('mark-settled', NOT_STOPPED_BY_US);
  if (!asked && way === 'left') return choice('left', STOPPED_OUTSIDE);
  const said = [
    against,
    isBuyOnce(task.config) ? 'buy_once: it switches itself off after its next trade.' : undefined,
  ];
  return start(said.filter((text) => text !== undefined).join(' '));
}

const SHARED =
  'Two tasks carry this address: an apply was interrupted while it replaced the task, or somebody cloned it. Apply first, or choose one with metadata.id.';
const WRITTEN_SINCE =
  'It was written since that pause. To start it as it is stored now: name it by its id, with --include-unmanaged.';
const RUNS_MARKED = 'It runs because somebody started it since.';
const NOT_STOPPED_BY_US = 'To start it now, name it.';
const STOPPED_OUTSIDE =
  'A person or buy_once stopped it, not the switch. Name it, or pass --held, to start it.';

/** Git wants it off or deleted, so it starts only if it is named. */
function againstGit(
  { marker }: KnownTask,
  { manifests, git }: ResumeAsk,
  manifest: DesiredTask | undefined,
): string | undefined {
  if (manifests === undefined) {
    return isUnmarked(marker?.armed)
      ? 'Git wanted it paused at the last apply: an apply may stop it again.'
      : undefined;
  }
  if (
    manifest === undefined &&
    marker?.project === git?.project &&
    git !== undefined &&
    git.pruneTasks !== 'never'
  )
    return `No manifest names it: an apply that is approved ${git.pruneTasks}s it.`;
  return manifest?.state === 'paused'
    ? 'The manifest wants it paused: it will differ from git (started), and the next apply stops it again.'
    : undefined;
}

/** How a task can spend differently than its manifest says. Values from the environment are hidden. */
interface StoredOtherwise {
  /** The address of the manifest: that of the task, unless git renames it. */
  readonly address: string;
  readonly state: DesiredTask['state'];
  /** `before`: stored, `after`: in the manifest. The most expensive field first. */
  readonly fields: readonly Field[];
  /** SOL at stake according to the manifest. null if it may not be shown. */
  readonly exposure: string | null;
}

/** By the ids of live tasks. */
export type Manifests = ReadonlyMap<string, DesiredTask>;

/** The manifests of live tasks, matched as in the next plan. `seen`: all tasks of the requested kinds. */
export function manifestsOf(desired: DesiredState, seen: readonly KnownTask[]): Manifests {
  const byAddress = new Map(desired.tasks.map((task) => [task.address as string, task]));
  const byId = new Map(
    seen.flatMap(({ task, address }) => {
      const named = byAddress.get(address ?? '');
      return named === undefined ? [] : [[task.id, named] as const];
    }),
  );
  const live = seen.map(({ task }) => task);
  for (const kind of TASK_KINDS) {
    const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
    for (const [task, match] of matchTasks(kind, desired, wanted, live).matches)
      for (const { id } of tasksOf(match)) byId.set(id, task);
  }
  return byId;
}

/**
 * Undefined if the task spends as its manifest says, and on the same wallets. Fields in `lifecycle.ignore_changes` are not
 * compared.
 */
function storedOtherwise({ task, exposure }: KnownTask, desired: DesiredTask): StoredOtherwise | undefined {
  const kind = kindOf(desired.collection);
  const wanted = wantedOf(desired, task, NO_LABELS);
  const differing = [
    ...(task.target_wallet === desired.target_wallet
      ? []
      : [field(desired, 'target_wallet', task.target_wallet, desired.target_wallet)]),
    ...compareTask(kind, desired, wanted, task, NO_LABELS).fields,
  ];
  const fields = differing.filter(({ path }) => costGroupOf(costOf(path)) === 'money');
  const inGit = exposureOf(kind.config, wanted.config);
  if (fields.length === 0 && compareDecimals(inGit, exposure) === 0) return undefined;
  const { secrets = [], address, state } = desired;
  const hidden = isSecretStake(kind.config, wanted.config, secrets);
  return {
    address,
    state,
    fields: sortedFields(fields).map((item) => shownField(item, secrets)),
    exposure: hidden ? null : inGit,
  };
}

/** Labels and notes spend nothing. */
const NO_LABELS: LabelBook = { ref: () => undefined, shownName: (name) => name, liveName: (id) => id };
