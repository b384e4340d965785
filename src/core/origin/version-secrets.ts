import type { DesiredState, DesiredTask } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import { mayBeOwn, ownMarkerOf, readableOf, remarkOf, type Version } from '../model/marker.ts';
import { SECRETABLE } from '../model/parts.ts';
import type { LiveTask } from '../model/resource.ts';
import type { Seeker, Visit } from './origin.ts';
import { isOneProject, namesOf } from './tracks.ts';

interface Sought {
  readonly collection: LiveTask['collection'];
  readonly names: string[];
  readonly version: Version;
}

/**
 * Which fields of live tasks git took from the environment in HEAD, or in the commit of the version in their marker. All that can
 * come from there, where that commit cannot be found.
 */
export class VersionSecrets implements Seeker {
  readonly #found = new Map<string, readonly string[]>();
  readonly #open = new Map<string, Sought>();
  #history = true;

  /** `manifests`: those of HEAD that are known by the ids of live tasks, and not by the names in their markers. */
  constructor(
    private readonly desired: DesiredState,
    tasks: readonly LiveTask[],
    manifests: ReadonlyMap<string, DesiredTask>,
  ) {
    const addresses = new Map(desired.tasks.map((task) => [task.address as string, task]));
    const own = [desired.project, desired.previousProject, ...desired.tasks.map(({ name }) => name)];
    for (const task of tasks) {
      const remark = remarkOf(task);
      const marker = ownMarkerOf(task, desired);
      if (marker === undefined && remark.type !== 'damaged') continue;
      const read =
        marker === undefined ? readableOf(remark) : { names: [marker.name], version: marker.version };
      const named = read.names.flatMap((name) => addresses.get(`${task.collection}/${name}`) ?? []);
      const here = manifests.get(task.id) ?? named[0];
      const { version } = read;
      const isUnreadable = marker === undefined && version === undefined;
      // What only looks like a marker is nobody's: git gave it no value.
      if (isUnreadable && !mayBeOwn(remark, own)) continue;
      this.#found.set(task.id, isUnreadable ? SECRETABLE : (here?.secrets ?? []));
      if (version === undefined || (here !== undefined && versionDigest(here) === version.digest)) continue;
      const names = [...read.names, ...(here === undefined ? [] : namesOf(here))];
      this.#open.set(task.id, { collection: task.collection, names, version });
    }
  }

  wants(): boolean {
    return this.#open.size > 0;
  }

  look({ state }: Pick<Visit, 'state'>): void {
    if (typeof state !== 'object' || !isOneProject(state, this.desired)) return;
    for (const [id, { collection, names, version }] of this.#open) {
      const named = state.tasks.filter((task) => task.collection === collection);
      const task = names.flatMap((name) => named.find((one) => one.name === name) ?? [])[0];
      if (task?.previousName !== undefined) names.push(task.previousName);
      if (task === undefined || versionDigest(task) !== version.digest) continue;
      this.#found.set(id, [...(this.#found.get(id) ?? []), ...(task.secrets ?? [])]);
      this.#open.delete(id);
    }
  }

  end(): void {}

  /** Without a commit there is no text of git that could not be read. */
  withoutHistory(): void {
    this.#history = false;
  }

  of({ id }: LiveTask): readonly string[] {
    return this.#history && this.#open.has(id) ? SECRETABLE : (this.#found.get(id) ?? []);
  }
}
