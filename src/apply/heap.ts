/** A queue from which the item with the least rank comes first; putting in and taking out cost the logarithm of its length. */
export class Heap<Item> {
  private readonly rank: (item: Item) => number;
  private items: Item[] = [];

  constructor(rank: (item: Item) => number) {
    this.rank = rank;
  }

  first(): Item | undefined {
    return this.items[0];
  }

  put(item: Item): void {
    const { items } = this;
    let place = items.push(item) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.precedes(place, above)) return;
      this.swap(place, above);
      place = above;
    }
  }

  take(): Item | undefined {
    const { items } = this;
    this.swap(0, items.length - 1);
    const taken = items.pop();
    for (let place = 0; ; ) {
      let least = place;
      for (const below of [2 * place + 1, 2 * place + 2]) if (this.precedes(below, least)) least = below;
      if (least === place) return taken;
      this.swap(place, least);
      place = least;
    }
  }

  /** Takes out, in no particular order, what `which` names. */
  remove(which: (item: Item) => boolean): readonly Item[] {
    const all = this.items;
    this.items = [];
    const removed: Item[] = [];
    for (const item of all) {
      if (which(item)) removed.push(item);
      else this.put(item);
    }
    return removed;
  }

  private precedes(left: number, right: number): boolean {
    const [one, other] = [this.items[left], this.items[right]];
    return one !== undefined && other !== undefined && this.rank(one) < this.rank(other);
  }

  private swap(left: number, right: number): void {
    const { items } = this;
    const [one, other] = [items[left], items[right]];
    if (one === undefined || other === undefined) return;
    items[left] = other;
    items[right] = one;
  }
}
