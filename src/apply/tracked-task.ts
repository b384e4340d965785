import { isOpenAt, isPendingAt } from '../model/armed.ts';
import { isPending, markedVersion, sameMarker } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { tookMarker } from './compare.ts';
import type { Reading, TaskVerb } from './decide.ts';

/** A task that a chain works on, and what this run knows of it. */
export class TrackedTask {
  /** As the last answer or reading showed it. */
  known: LiveTask;
  /** As the plan found it; undefined for one that this run created. */
  readonly former: LiveTask | undefined;
  /** The pending version in its marker, where this run wrote it and it still stands. */
  ownMark: number | undefined;
  /** The version at which this run may start it: at its own mark, or as its own patch returned it. */
  startable: number | undefined;
  pausedByUs = false;
  /** Writes of others that this run has gone on from since it paused the task. */
  goneOver = 0;
  gone = false;

  constructor(known: LiveTask, former: LiveTask | undefined) {
    this.known = known;
    this.former = former;
    // The plan was made on this very version: a start that was pending then is pending now.
    this.startable = isPending(known) ? known.version : undefined;
  }

  /** A step of this run is done. */
  written(verb: TaskVerb, left: LiveTask): void {
    this.known = left;
    switch (verb) {
      case 'mark':
        this.ownMark = markedVersion(left);
        this.startable = undefined;
        break;
      case 'pause':
        this.pausedByUs = true;
        this.startable = isPendingAt(this.ownMark, left.version) ? left.version : undefined;
        break;
      case 'patch':
        this.ownMark = markedVersion(left);
        this.startable = left.is_active ? undefined : left.version;
        break;
      case 'resume':
        this.ownMark = undefined;
        this.startable = undefined;
        break;
      case 'delete':
        break;
    }
  }

  deleted(): void {
    this.gone = true;
    this.ownMark = undefined;
    this.startable = undefined;
  }

  /** This run goes on from a harmless write of somebody else. */
  rebase({ read, body }: Reading<LiveTask>, starts: boolean): void {
    if (starts && !this.known.is_active) this.goneOver += 1;
    // The reading carries the mark that this run has just tried to write.
    if (tookMarker(read, body)) this.ownMark = markedVersion(read);
    this.known = read;
    this.startable = undefined;
  }

  /** Somebody changed it, and the chain ends: keeps what is there now, and whether a pending mark of this run is left behind. */
  movedBy({ before, body, refused, read }: Reading<LiveTask>): void {
    const tried = !refused && tookMarker(read, body);
    const kept = sameMarker(before, read);
    const mark = tried ? markedVersion(read) : kept ? this.ownMark : undefined;
    this.known = read;
    this.startable = undefined;
    this.ownMark = isOpenAt(mark, read.version) ? mark : undefined;
  }

  /** Nothing of this run is pending any more. */
  rolledBack(now: LiveTask): void {
    this.known = now;
    this.ownMark = undefined;
    this.startable = undefined;
  }
}
