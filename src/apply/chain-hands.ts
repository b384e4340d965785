import type { Change, Operation } from '../model/generated/plan.ts';
import { markedVersion } from '../model/marker.ts';
import { isTask, type LiveResource } from '../model/resource.ts';
import { placeholder } from '../plan/draft.ts';
import type { Position } from './deps.ts';
import { plannedResources } from './predict.ts';
import { type Hand, handOf } from './task-step.ts';

/** The resources that a chain works on, by id; what it creates also by its placeholder. */
export class ChainHands {
  private readonly tasks = new Map<string, Hand>();
  private readonly others = new Map<string, LiveResource>();

  /** `done`: the operations that an earlier run has carried out; `position`: what it left. */
  constructor(change: Change, done: readonly Operation[], position: Position | undefined) {
    for (const resource of plannedResources(change)) {
      const present = position?.resources.get(resource.id);
      const gone = position !== undefined && present === undefined;
      this.add(resource.id, present ?? resource, resource, gone, done);
    }
    const key = placeholder(change.address);
    const created = position?.resources.get(key);
    if (created !== undefined) this.add(key, created, undefined, false, done);
  }

  task(key: string): Hand | undefined {
    return this.tasks.get(key);
  }

  other(key: string): LiveResource | undefined {
    return this.others.get(key);
  }

  all(): readonly Hand[] {
    return [...new Set(this.tasks.values())];
  }

  /** Something that the chain created or had to read first. */
  put(key: string, resource: LiveResource): void {
    this.add(key, resource, undefined, false, []);
  }

  private add(
    key: string,
    present: LiveResource,
    former: LiveResource | undefined,
    gone: boolean,
    done: readonly Operation[],
  ): void {
    if (!isTask(present)) {
      this.others.set(key, present);
      return;
    }
    const hand = handOf(present, former !== undefined && isTask(former) ? former : undefined);
    const upon = done.filter(({ subject, verb }) => subject === key && verb !== 'create');
    hand.gone = gone;
    hand.pausedByUs = upon.some(({ verb }) => verb === 'pause');
    if (upon.length > 0) hand.ownMark = markedVersion(present);
    this.tasks.set(key, hand);
    this.tasks.set(present.id, hand);
  }
}
