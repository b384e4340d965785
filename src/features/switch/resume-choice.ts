import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { dueTime, isUnmarked } from '../../model/armed.ts';
import { isBuyOnce } from '../../model/resource.ts';
import { isChosen, type KnownTask, namesTask, type TaskSelection } from '../../plan/identity/known-task.ts';
import { letGo } from '../../plan/switch/off-marks.ts';
import { type Manifests, type StoredOtherwise, storedOtherwise } from './stored-otherwise.ts';

/** The decision of `tradeform resume` about a chosen task, and its reason for people. */
export interface ResumeChoice {
  readonly known: KnownTask;
  /**
   * `mark-settled`: only the mark of the switch is removed. `left`: chosen by a glob, a label, a kind, `--all` or `--due`, but not
   * stopped by the switch. `refused`: named, but impossible.
   */
  readonly type: 'start' | 'mark-settled' | 'running' | 'left' | 'refused';
  readonly text: string;
  /** It would start, and could then spend differently than its manifest says. */
  readonly differs?: StoredOtherwise | undefined;
}

export interface ResumeAsk {
  readonly selection: TaskSelection;
  /** `--held`: also tasks that a person or `buy_once` stopped, without naming them. */
  readonly held: boolean;
  /** `--due`: only tasks that are due by then, in minutes since the epoch. Names then only narrow the choice. */
  readonly dueBy?: number | undefined;
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
  const { dueBy } = ask;
  const meant = ask.selection.names.some((name) => !name.includes('*') && namesTask(name, known));
  const named = meant && dueBy === undefined;
  const { task, owner, marker } = known;
  const armed = owner === 'owned' ? marker?.armed : undefined;
  const way = letGo({ armed, version: task.version }, task.is_active, dueBy);
  const choice = (type: ResumeChoice['type'], text: string): ResumeChoice => ({ known, type, text });
  if (task.is_active && way === 'mark-settled') return choice('mark-settled', RUNS_MARKED);
  if (dueBy !== undefined && way === 'left')
    return meant ? choice('left', notDue(dueTime(armed))) : undefined;
  if (task.is_active) return named ? choice('running', 'It runs already.') : undefined;
  const manifest = ask.manifests?.get(task.id);
  const start = (text: string): ResumeChoice => ({
    ...choice('start', text),
    differs: manifest && storedOtherwise(known, manifest),
  });
  if (owner !== 'owned') return named ? start('') : undefined;
  if (shared) return choice(named ? 'refused' : 'left', SHARED);
  if (isUnmarked(armed) && !named) return undefined;
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
const RUNS_MARKED = 'It runs because somebody started it; the mark of the switch is out of date.';
const NOT_STOPPED_BY_US =
  'The switch kept it off but did not stop it: it is held again as before (under stopped_tasks: resume the next apply starts it). Name it to start it.';
const STOPPED_OUTSIDE =
  'A person or buy_once stopped it, not the switch. Name it, or pass --held, to start it.';

function notDue(due: string | null): string {
  return due === null ? 'It has no due time.' : `It is not due before ${due.slice(0, 16)}Z.`;
}

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
    return `Its manifest was removed: the next apply ${git.pruneTasks}s it (prune.tasks).`;
  return manifest?.state === 'paused'
    ? 'The manifest wants it paused: it will differ from git (started), and the next apply stops it again.'
    : undefined;
}
