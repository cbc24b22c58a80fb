/** An item that stores its position in a heap; -1 while it is not in one. */
export interface HeapItem {
  position: number;
}

/** A binary heap whose items store their positions, so that any item is removed or moved in O(log n). */
export class IndexedHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Adds an item, or moves one whose order has changed. */
  put(item: Item): void {
    if (item.position < 0) item.position = this.#items.push(item) - 1;
    this.#rise(item);
    this.#sink(item);
  }

  /** Removes an item, if it is there. */
  remove(item: Item): void {
    const { position } = item;
    if (position < 0) return;
    item.position = -1;
    const last = this.#items.pop() as Item;
    if (last === item) return;
    this.#place(last, position);
    this.#rise(last);
    this.#sink(last);
  }

  #place(item: Item, position: number): void {
    this.#items[position] = item;
    item.position = position;
  }

  #rise(item: Item): void {
    while (item.position > 0) {
      const { position } = item;
      const above = (position - 1) >> 1;
      const parent = this.#items[above] as Item;
      if (!this.#isBefore(item, parent)) return;
      this.#place(parent, position);
      this.#place(item, above);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const { position } = item;
      const left = this.#items[2 * position + 1];
      const right = this.#items[2 * position + 2];
      const least = left && right && this.#isBefore(right, left) ? right : left;
      if (!least || !this.#isBefore(least, item)) return;
      const below = least.position;
      this.#place(least, position);
      this.#place(item, below);
    }
  }
}
