import { nearest } from '../../diagnostics/suggest.ts';
import { addressOrId, bareName, isBareName, matchesAddress } from '../../model/address.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { kindOf, type TaskCollection } from '../../model/kind.ts';
import { isOwnMarker, type Marker, type ProjectNames, remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { exposureOf, isReadable } from '../stakes/exposure.ts';

type Ownership = 'owned' | 'unmanaged' | 'foreign' | 'damaged';

/** A live task, as commands of the operator refer to it. */
export interface KnownTask {
  readonly task: LiveTask;
  readonly owner: Ownership;
  readonly marker: Marker | undefined;
  /** The address, `sniper/dawn`, of an owned task; null for all others. */
  readonly address: string | null;
  /** The worst case per trigger in SOL, running or not. */
  readonly exposure: string;
  /** False if an amount cannot be read, so the exposure is unknown. */
  readonly readable: boolean;
}

/** Selects tasks: names, kinds and labels narrow each other; several values of one option widen the choice. */
export interface TaskSelection {
  /** Addresses, names and ids; `*` stands for any text. Empty: all tasks. */
  readonly names: readonly string[];
  readonly kinds: readonly TaskCollection[];
  readonly labels: readonly string[];
  /** True to include tasks that the project does not own. */
  readonly includeUnmanaged: boolean;
}

/** What a task is to the project by its remark, if it is not the project's. */
export const OTHERS = { marked: 'foreign', plain: 'unmanaged', damaged: 'damaged' } as const;

export function knownTask(task: LiveTask, project: ProjectNames): KnownTask {
  const { type, marker } = remarkOf(task);
  const owned = marker !== undefined && isOwnMarker(marker, project);
  const { config } = kindOf(task.collection);
  return {
    task,
    owner: owned ? 'owned' : OTHERS[type],
    marker,
    address: owned ? `${task.collection}/${marker.name}` : null,
    exposure: exposureOf(config, task.config),
    readable: isReadable(config, task.config),
  };
}

/** The name of a task in messages: its address, or its kind and id. */
export function nameOf({ address, task }: KnownTask): string {
  return addressOrId({ address, kind: task.collection, id: task.id });
}

/** `did you mean …?` with an address, for a text that matches none: a bare name is compared with bare names. */
export function nearTask(text: string, addresses: readonly string[]): string | undefined {
  const names = new Map(
    addresses.map((address) => [isBareName(text) ? bareName(address) : address, address]),
  );
  const near = nearest(text, names.keys());
  return near === undefined ? undefined : `did you mean ${names.get(near)}?`;
}

/** True if a text of the command line names the task: its address, its name or its id. */
export function namesTask(text: string, { address, marker, task }: KnownTask): boolean {
  const own = address === null ? [] : isBareName(text) ? [marker?.name ?? ''] : [address];
  const ids = isBareName(text) ? [task.id] : [`${task.collection}/${task.id}`];
  return (
    own.some((known) => matchesAddress(text, known)) ||
    ids.some((known) => matchesAddress(text.toLowerCase(), known))
  );
}

export function isChosen(known: KnownTask, selection: TaskSelection): boolean {
  const { names, kinds, labels, includeUnmanaged } = selection;
  const { task, owner } = known;
  if (owner !== 'owned' && !includeUnmanaged) return false;
  if (kinds.length > 0 && !kinds.includes(task.collection)) return false;
  if (labels.length > 0 && !labels.includes(task.risk_label_id ?? '')) return false;
  return names.length === 0 || names.some((name) => namesTask(name, known));
}

/** Sorts by exposure, the highest first; an unreadable exposure counts as the highest. */
export function byExposure(a: KnownTask, b: KnownTask): number {
  return (
    Number(a.readable) - Number(b.readable) ||
    compareDecimals(b.exposure, a.exposure) ||
    compareTexts(nameOf(a), nameOf(b))
  );
}
