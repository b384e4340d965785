import type { Problem } from '../../manifest/manifest.ts';
import type { Place } from '../../manifest/places.ts';
import { didYouMean, someOf } from '../../manifest/suggest.ts';
import type { Json } from '../../model/json.ts';
import type { ReferenceValue } from './scope.ts';

/** The values of one task of a task set, and where they stand. */
export interface TableRow {
  readonly start: Place;
  /** Of a cell; undefined where the row has none of that name. */
  place(column: string): Place | undefined;
  find(column: string): ReferenceValue | Problem;
}

export interface CellValue {
  readonly value: Json;
  readonly secret: boolean;
  readonly untyped: boolean;
  /** Asked for when it is shown. */
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
