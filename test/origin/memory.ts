import { markerOf } from '../../src/core/model/marker.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { type Content, FIELDS, type Field, isNewer, type Ref, type Values, valuesOf } from './history.ts';

/** Who wrote a value last: `wrote` is false where the run merely found it in place. */
export interface Written {
  readonly ref: Ref;
  readonly wrote: boolean;
}

type What = Field | 'name' | 'state' | 'exists';

/** What the test knows about one task: kept by watching the service, and nothing else. */
export interface Memory {
  readonly id: string;
  /** The values that were applied last: written by a run, or named by the version that a run wrote. */
  ack: Values;
  /** Fields that a person set since. */
  readonly edits: Set<Field>;
  readonly by: Map<What, Written & { readonly content: Content | undefined }>;
  /** A person stopped it while the head was there. `gap`: the mark of an interrupted apply stood then (gap 1 of DESIGN 3). */
  /** A run paused it in order to stop or delete it, and did not want it to run again. */
  stoppedByRun: boolean;
  stopped: { readonly ref: Ref; readonly gap: boolean; readonly wanted: Content['state'] } | undefined;
}

/** A task that was deleted, by its name. */
export interface Gone {
  readonly by: 'person' | 'run';
  readonly ref: Ref;
}

/** Fields that a person changed. A task without a marker is nobody's: an adoption writes git's values. */
export function isEdited({ edits, ack }: Memory, before: StoredTask): readonly Field[] {
  if (nameOf(before) === undefined) return [];
  const values = valuesOf(before);
  return FIELDS.filter((field) => edits.has(field) && values[field] !== ack[field]);
}

export function wroteLater(memory: Memory, what: What, ref: Ref): Ref | undefined {
  const by = memory.by.get(what);
  return by?.wrote === true && isNewer(by.ref, ref) ? by.ref : undefined;
}

export function nameOf(task: StoredTask | undefined): string | undefined {
  const marker = task && markerOf(task);
  return marker?.project === 'core' ? marker.name : undefined;
}
