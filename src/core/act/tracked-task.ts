import { isOpenAt, isPendingAt } from '../model/armed.ts';
import { isPending, markedVersion, sameMarker } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { tookMarker } from './compare.ts';
import type { Reading, TaskVerb } from './decide.ts';

export class TrackedTask {
  /** The pending version in its marker, if this run wrote it and it still exists. */
  ownMark: number | undefined;
  /** The version at which this run may start the task: the version of its own mark, or the one that its own patch returned. */
  startable: number | undefined;
  pausedByUs = false;
  /** Writes of others that this run accepted since it paused the task. */
  goneOver = 0;
  gone = false;
  /** The state known when somebody was found to have written to it since; what was written is not known. */
  outdated: LiveTask | undefined;

  constructor(
    public known: LiveTask,
    /** The state in the plan; undefined for a task that this run created. */
    readonly former: LiveTask | undefined,
  ) {
    // The plan was made for exactly this version: a start that was pending then is pending now.
    this.startable = isPending(known) ? known.version : undefined;
  }

  written(verb: TaskVerb, left: LiveTask): void {
    this.known = left;
    if (verb === 'delete') return;
    if (verb === 'pause') this.pausedByUs = true;
    else this.ownMark = verb === 'resume' ? undefined : markedVersion(left);
    const ready =
      verb === 'pause' ? isPendingAt(this.ownMark, left.version) : verb === 'patch' && !left.is_active;
    this.startable = ready ? left.version : undefined;
  }

  /** A reading that no step rests on. */
  seen({ version }: LiveTask): void {
    if (version !== this.known.version) this.outdated = this.known;
  }

  deleted(): void {
    this.gone = true;
    this.ownMark = undefined;
    this.startable = undefined;
  }

  rebase({ read, body }: Reading<LiveTask>, starts: boolean): void {
    if (starts && !this.known.is_active) this.goneOver += 1;
    // The reading contains the mark that this run just tried to write.
    if (tookMarker(read, body)) this.ownMark = markedVersion(read);
    this.known = read;
    this.startable = undefined;
  }

  /** Records the change by somebody else that ends the chain: the state found, and whether a pending mark of this run is left. */
  movedBy({ before, body, refused, read }: Reading<LiveTask>): void {
    const tried = !refused && tookMarker(read, body);
    const kept = sameMarker(before, read);
    const mark = tried ? markedVersion(read) : kept ? this.ownMark : undefined;
    this.known = read;
    this.startable = undefined;
    this.ownMark = isOpenAt(mark, read.version) ? mark : undefined;
  }

  rolledBack(now: LiveTask): void {
    this.known = now;
    this.ownMark = undefined;
    this.startable = undefined;
  }
}
