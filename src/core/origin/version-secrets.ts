import type { DesiredState, DesiredTask } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import { ownMarkerOf, readableOf, remarkOf, type Version } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { SECRETABLE } from '../plan/secrets.ts';
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
  readonly #desired: DesiredState;
  readonly #found = new Map<string, readonly string[]>();
  readonly #open = new Map<string, Sought>();
  #unread = true;
  #lacks = false;

  /** `manifests`: those of HEAD that are known by the ids of live tasks, and not by the names in their markers. */
  constructor(
    desired: DesiredState,
    tasks: readonly LiveTask[],
    manifests: ReadonlyMap<string, DesiredTask>,
  ) {
    this.#desired = desired;
    const addresses = new Map(desired.tasks.map((task) => [task.address as string, task]));
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
      this.#found.set(task.id, isUnreadable ? SECRETABLE : (here?.secrets ?? []));
      if (version === undefined || (here !== undefined && versionDigest(here) === version.digest)) continue;
      const names = [...read.names, ...(here === undefined ? [] : namesOf(here))];
      this.#open.set(task.id, { collection: task.collection, names, version });
    }
  }

  wants(): boolean {
    return this.#open.size > 0;
  }

  look({ state, unread }: Pick<Visit, 'state' | 'unread'>): void {
    if (unread !== undefined) this.#lacks = true;
    if (typeof state !== 'object' || !isOneProject(state, this.#desired)) return;
    for (const [id, { collection, names, version }] of this.#open) {
      const named = state.tasks.filter((task) => task.collection === collection);
      const task = names.flatMap((name) => named.find((one) => one.name === name) ?? [])[0];
      if (task?.previousName !== undefined) names.push(task.previousName);
      if (task === undefined || versionDigest(task) !== version.digest) continue;
      this.#found.set(id, [...(this.#found.get(id) ?? []), ...(task.secrets ?? [])]);
      this.#open.delete(id);
    }
  }

  end(whole: boolean): void {
    if (whole) this.#unread = this.#lacks;
  }

  /** What was applied without a commit has no number, and is in no history. */
  of({ id }: LiveTask): readonly string[] {
    const version = this.#open.get(id)?.version;
    const mayHide = version !== undefined && (this.#unread || version.number > 0);
    return mayHide ? SECRETABLE : (this.#found.get(id) ?? []);
  }
}
