/**
 * Returns a longest subsequence with strictly increasing keys, in O(n log n) (patience sorting).
 */
export function longestIncreasing<Item>(items: readonly Item[], keyOf: (item: Item) => number): Item[] {
  // piles[n] is the end of the best chain of n + 1 items so far; each link points to its predecessor in the chain.
  const piles: Link<Item>[] = [];
  for (const item of items) {
    const key = keyOf(item);
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((piles[middle] as Link<Item>).key < key) low = middle + 1;
      else high = middle;
    }
    piles[low] = { item, key, previous: piles[low - 1] };
  }
  const longest: Item[] = [];
  for (let link = piles.at(-1); link; link = link.previous) longest.push(link.item);
  return longest.reverse();
}

interface Link<Item> {
  item: Item;
  key: number;
  previous: Link<Item> | undefined;
}
