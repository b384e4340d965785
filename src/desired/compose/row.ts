import type { Problem } from '../../manifest/manifest.ts';
import type { Place } from '../../manifest/places.ts';
import { didYouMean, someOf } from '../../manifest/suggest.ts';
import type { Json } from '../../model/json.ts';
import type { ReferenceValue } from './scope.ts';

/** The values of one task in a task set, and their places. */
export interface TableRow {
  readonly start: Place;
  /** The place of a cell. Undefined if the row has no such column. */
  place(column: string): Place | undefined;
  find(column: string): ReferenceValue | Problem;
}

export interface CellValue {
  readonly value: Json;
  readonly secret: boolean;
  readonly untyped: boolean;
  /** Computed only if it is shown. */
  readonly place: () => Place;
}

export function rowOf(start: () => Place, cells: ReadonlyMap<string, CellValue>): TableRow {
  return {
    get start() {
      return start();
    },
    place: (column) => cells.get(column)?.place(),
    find: (column) => cells.get(column) ?? unknownColumn(column, [...cells.keys()]),
  };
}

function unknownColumn(column: string, known: readonly string[]): Problem {
  return {
    code: 'unknown-variable',
    message: `the rows have no column ${column}`,
    hint: didYouMean(column, known) ?? `its columns are ${someOf(known)}; null leaves a field out`,
  };
}
