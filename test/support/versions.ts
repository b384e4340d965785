import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import { versionDigest } from '../../src/core/desired/version.ts';
import { LIMITS } from '../../src/core/model/kind.ts';
import { formatVersion, markerOf } from '../../src/core/model/marker.ts';
import type { LiveState, LiveTask } from '../../src/core/model/resource.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

type Seeded = Pick<LiveTask, 'collection' | 'remark'>;

/** The live state as an apply of these manifests leaves it: a marker without a version gets that of the task that it names. */
export function withVersions(desired: DesiredState, live: LiveState): LiveState {
  const tasks = live.tasks.map((task) => {
    const remark = versionedRemark(desired, task);
    return remark === task.remark ? task : { ...task, remark };
  });
  return tasks.every((task, index) => task === live.tasks[index]) ? live : { ...live, tasks };
}

/** The same on the service, without a new version of any task. */
export function writeVersions(sandbox: Sandbox, desired: DesiredState): void {
  for (const task of [...sandbox.state.tasks.values()]) {
    const remark = versionedRemark(desired, task);
    if (remark !== task.remark) sandbox.editStored(task.id, { remark, bump: false });
  }
}

function versionedRemark(desired: DesiredState, task: Seeded): string {
  const marker = markerOf(task);
  if (marker === undefined || marker.version !== undefined) return task.remark;
  const wanted = named(desired, task.collection, marker.name);
  return wanted === undefined ? task.remark : withVersion(task.remark, wanted);
}

function named({ tasks }: DesiredState, collection: string, name: string): DesiredTask | undefined {
  const those = tasks.filter((task) => task.collection === collection);
  return those.find((task) => task.name === name) ?? those.find((task) => task.previousName === name);
}

/** The remark with the version of a task in its marker, if there is room; the marker has none. */
export function withVersion(remark: string, task: DesiredTask, number = 0): string {
  return addVersion(remark, `.${formatVersion({ digest: versionDigest(task), number })}`);
}

function addVersion(remark: string, version: string): string {
  const text = remark.replace(/(\[git:[^@.#~\]]+(?:@[^.#~\]]+)?)(?=[#~\]])/, `$1${version}`);
  return text.length > LIMITS.remark ? remark : text;
}

const VERSION = /(\[git:[^@.#~\]]+(?:@[^.#~\]]+)?)(\.[0-9A-Za-z]{8})(?=[#~\]])/;

/** The remark with the marker as it is without a version, for tests of its other parts. */
export function withoutVersion(remark: string): string {
  return remark.replace(VERSION, '$1');
}

/** A remark as somebody writes it who keeps the marker of the task: with the version that stands there. */
export function keepingVersion(remark: string, stored: string): string {
  const version = VERSION.exec(stored)?.[2];
  const marker = markerOf({ remark });
  return version === undefined || marker === undefined || marker.version !== undefined
    ? remark
    : addVersion(remark, version);
}
