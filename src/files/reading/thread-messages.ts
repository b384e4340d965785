import type { ReadRecord } from '../../manifest/record.ts';

/** Texts to read. */
export type Question = readonly string[];

/** A record for each of them. */
export interface Answer {
  readonly jsons: readonly string[];
  /** How many offsets each has. */
  readonly counts: readonly number[];
  /** Of all of them: one block of memory, which is handed over and not copied. */
  readonly offsets: Int32Array;
}

export function answerOf(records: readonly ReadRecord[]): Answer {
  const offsets = new Int32Array(records.reduce((sum, record) => sum + record.offsets.length, 0));
  let at = 0;
  for (const record of records) {
    offsets.set(record.offsets, at);
    at += record.offsets.length;
  }
  return {
    jsons: records.map(({ json }) => json),
    counts: records.map((record) => record.offsets.length),
    offsets,
  };
}

export function recordsIn({ jsons, counts, offsets }: Answer): readonly ReadRecord[] {
  let at = 0;
  return jsons.map((json, index) => {
    const from = at;
    at += counts[index] ?? 0;
    return { json, offsets: offsets.subarray(from, at) };
  });
}
