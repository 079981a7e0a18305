/** A queue that returns the item with the smallest key first. Items with equal keys keep their order. */
export type Heap<Item> = Readonly<{
  add(key: number, item: Item): void;
  first(): Readonly<{ key: number; item: Item }> | undefined;
  /** Removes the first item and returns it. */
  take(): Item | undefined;
}>;

type Entry<Item> = Readonly<{ key: number; turn: number; item: Item }>;

/** Returns an empty heap. */
export function emptyHeap<Item>(): Heap<Item> {
  const entries: Entry<Item>[] = [];
  let turns = 0;
  const isBefore = (a: Entry<Item> | undefined, b: Entry<Item> | undefined) =>
    a !== undefined && b !== undefined && (a.key - b.key || a.turn - b.turn) < 0;
  const rise = (entry: Entry<Item>) => {
    let index = entries.length;
    for (;;) {
      const above = (index - 1) >> 1;
      const parent = entries[above];
      if (index === 0 || parent === undefined || !isBefore(entry, parent)) break;
      entries[index] = parent;
      index = above;
    }
    entries[index] = entry;
  };
  const sink = (entry: Entry<Item>) => {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const below = isBefore(entries[left + 1], entries[left]) ? left + 1 : left;
      const child = entries[below];
      if (child === undefined || !isBefore(child, entry)) break;
      entries[index] = child;
      index = below;
    }
    entries[index] = entry;
  };
  return {
    add: (key, item) => rise({ key, turn: turns++, item }),
    first: () => entries[0],
    take() {
      const [first] = entries;
      const last = entries.pop();
      if (last && entries.length > 0) sink(last);
      return first?.item;
    },
  };
}
