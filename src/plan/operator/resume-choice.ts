import type { DesiredTask } from '../../desired/state.ts';
import { isBuyOnce } from '../subject.ts';
import { isChosen, type KnownTask, namesTask, type TaskSelection } from './choose.ts';

/** What `tradeform resume` does with a chosen task, and what is to be said of it. */
export interface ResumeChoice {
  readonly known: KnownTask;
  /** `left`: chosen by a glob, a label, a kind or `--all`, and not the switch's to start. `refused`: named, and impossible. */
  readonly type: 'start' | 'running' | 'left' | 'refused';
  readonly text: string;
}

export interface ResumeAsk {
  readonly selection: TaskSelection;
  /** `--held`: also what a person or `buy_once` stopped, without naming it. */
  readonly held: boolean;
  /** Of the manifests, by address; undefined where they cannot be read. */
  readonly desired: ReadonlyMap<string, Pick<DesiredTask, 'state'>> | undefined;
}

/**
 * A task that is named is started whoever stopped it. What is only among many is started where the switch stopped it, or
 * where an own start is pending: what a person stopped, or `buy_once`, is not theirs who say `--all`.
 */
export function resumeChoices(seen: readonly KnownTask[], ask: ResumeAsk): readonly ResumeChoice[] {
  const owners = new Map<string, number>();
  for (const { address } of seen) if (address !== null) owners.set(address, (owners.get(address) ?? 0) + 1);
  return seen
    .filter((known) => isChosen(known, ask.selection))
    .flatMap((known) => choose(known, ask, (owners.get(known.address ?? '') ?? 0) > 1) ?? []);
}

function choose(known: KnownTask, ask: ResumeAsk, shared: boolean): ResumeChoice | undefined {
  const named = ask.selection.names.some((name) => !name.includes('*') && namesTask(name, known));
  const { task, owner, marker } = known;
  const choice = (type: ResumeChoice['type'], text: string): ResumeChoice => ({ known, type, text });
  if (task.is_active) return named ? choice('running', 'It runs already.') : undefined;
  if (owner !== 'owned') return named ? choice('start', '') : undefined;
  if (shared) return choice(named ? 'refused' : 'left', SHARED);
  const armed = marker?.armed;
  if (armed === undefined && !named) return undefined;
  const against = againstGit(known, ask);
  if (against !== undefined && !named) return choice('left', against);
  const switched = armed === 'off' || armed === task.version;
  if (!switched && armed !== undefined && !named && !ask.held) return choice('left', STOPPED_OUTSIDE);
  const orphan = ask.desired !== undefined && !ask.desired.has(known.address ?? '');
  const said = [
    against,
    orphan ? 'No manifest has it: what the next apply does with it, prune.tasks says.' : undefined,
    isBuyOnce(task.config) ? 'buy_once: it stops itself after its next trade.' : undefined,
  ];
  return choice('start', said.filter((text) => text !== undefined).join(' '));
}

const SHARED =
  'Two tasks carry this address: an apply that was interrupted while it replaced the task, or a clone. Apply first, or settle it with metadata.id.';
const STOPPED_OUTSIDE =
  'A person or buy_once stopped it, not the switch. Name it, or pass --held, to start it as well.';

function againstGit({ address, marker }: KnownTask, { desired }: ResumeAsk): string | undefined {
  if (desired === undefined) {
    return marker?.armed === undefined
      ? 'Git had it paused when it was last applied: an apply may stop it again.'
      : undefined;
  }
  return desired.get(address ?? '')?.state === 'paused'
    ? 'The manifest wants it paused: it drifts from git (started), and the next apply stops it again.'
    : undefined;
}
