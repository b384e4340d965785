/** A place in a list that is ordered by a key, then by id. */
export interface ListPosition {
  readonly key: number | string;
  readonly id: string;
}

function comparePositions(a: ListPosition, b: ListPosition): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/**
 * Records in ascending order of position. Adding and removing cost one binary search and one move of the tail, so pages of
 * 50,000 tasks need no sorting between writes.
 */
export class OrderedRecords<R> {
  readonly #position: (record: R) => ListPosition;
  readonly #records: R[] = [];

  constructor(position: (record: R) => ListPosition) {
    this.#position = position;
  }

  get length(): number {
    return this.#records.length;
  }

  at(index: number): R | undefined {
    return this.#records[index];
  }

  *[Symbol.iterator](): IterableIterator<R> {
    yield* this.#records;
  }

  add(record: R): void {
    const last = this.#records.at(-1);
    const position = this.#position(record);
    if (last === undefined || comparePositions(this.#position(last), position) < 0)
      this.#records.push(record);
    else this.#records.splice(this.countBefore(position), 0, record);
  }

  remove(record: R): void {
    const position = this.#position(record);
    const index = this.countBefore(position);
    const found = this.#records[index];
    if (found !== undefined && comparePositions(this.#position(found), position) === 0) {
      this.#records.splice(index, 1);
    }
  }

  /** The number of records strictly before a position. */
  countBefore(position: ListPosition): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const record = this.#records[middle];
      if (record !== undefined && comparePositions(this.#position(record), position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
