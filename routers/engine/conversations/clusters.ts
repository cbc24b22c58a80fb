import type { Keywords } from './keywords.ts';

/** A cluster as issues are compared with it: the sums of the weights in its issues, or the largest of them. */
export interface ComparedCluster {
  id: string;
  keywords: Keywords;
}

/** An issue to be put into a cluster. The key gives the order, and must be unique. */
export interface ComparedIssue {
  key: string;
  keywords: Keywords;
}

/** How many issues there are in all, and how many have each keyword. */
export interface Frequencies {
  issues: number;
  of: ReadonlyMap<string, number>;
}

/** Where issues belong: into a cluster that was there, or with others into a new one. */
export interface Assignment {
  /** Keys of issues by the id of the cluster. */
  known: Map<string, string[]>;
  /** The keys of the issues of each new cluster; the first is the one most like the others. */
  added: string[][];
}

/** Least cosine of an issue and the cluster that it is put into. */
const LEAST_SIMILARITY = 0.3;

/**
 * Puts each issue into the cluster that is most like it, or into a new one. Keywords that few issues have count more. The
 * same issues get the same clusters in whatever order they are given; issues without keywords get none.
 */
export function assignIssues(
  issues: readonly ComparedIssue[],
  clusters: readonly ComparedCluster[],
  frequencies: Frequencies,
): Assignment {
  const rarity = rarityIn(frequencies);
  const index = new ClusterIndex(rarity);
  for (const { id, keywords } of clusters) index.add(id, keywords);
  const isKnown = new Set(clusters.map(({ id }) => id));
  const sorted = issues
    .filter(({ keywords }) => keywords.size > 0)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const placed = new Map<string, string>();
  for (const { key, keywords } of sorted) {
    const cluster = index.mostLike(keywords)?.id ?? `new ${key}`;
    index.add(cluster, keywords);
    placed.set(key, cluster);
  }
  // What came first had little to be compared with: each of the new ones is compared again with what they have become.
  for (const { key, keywords } of sorted) {
    const before = placed.get(key) as string;
    if (isKnown.has(before)) continue;
    index.remove(before, keywords);
    const cluster = index.mostLike(keywords)?.id ?? before;
    index.add(cluster, keywords);
    placed.set(key, cluster);
  }
  const byCluster = Map.groupBy(sorted, ({ key }) => placed.get(key) as string);
  const known = [...byCluster].filter(([id]) => isKnown.has(id));
  const added = [...byCluster].filter(([id]) => !isKnown.has(id));
  return {
    known: new Map(known.map(([id, members]) => [id, members.map(({ key }) => key)])),
    added: added.map(([id, members]) =>
      mostTypicalFirst(members, (keywords) => index.similarity(id, keywords)),
    ),
  };
}

/** The keys of issues; first the one that is most like its cluster. */
function mostTypicalFirst(members: ComparedIssue[], similarity: (keywords: Keywords) => number): string[] {
  const [first, ...rest] = members
    .map(({ key, keywords }) => ({ key, similarity: similarity(keywords) }))
    .sort((a, b) => b.similarity - a.similarity || (a.key < b.key ? -1 : 1));
  return first ? [first.key, ...rest.map(({ key }) => key).sort()] : [];
}

/** How much a keyword counts: the fewer issues have it, the more. */
export const rarityIn =
  ({ issues, of }: Frequencies) =>
  (keyword: string): number =>
    Math.log1p((issues + 1) / ((of.get(keyword) ?? 0) + 1));

interface IndexedCluster {
  id: string;
  weights: Map<string, number>;
  /** The square of its length as a vector. */
  square: number;
  members: number;
}

/** Clusters by their keywords: only those that share one are compared. */
class ClusterIndex {
  readonly #rarity: (keyword: string) => number;
  readonly #clusters = new Map<string, IndexedCluster>();
  readonly #byKeyword = new Map<string, Set<IndexedCluster>>();

  constructor(rarity: (keyword: string) => number) {
    this.#rarity = rarity;
  }

  add(id: string, keywords: Keywords): void {
    let cluster = this.#clusters.get(id);
    if (!cluster) {
      cluster = { id, weights: new Map(), square: 0, members: 0 };
      this.#clusters.set(id, cluster);
    }
    cluster.members++;
    this.#change(cluster, keywords, 1);
  }

  remove(id: string, keywords: Keywords): void {
    const cluster = this.#clusters.get(id);
    if (!cluster) return;
    cluster.members--;
    this.#change(cluster, keywords, -1);
    if (cluster.members === 0) this.#clusters.delete(id);
  }

  /** The cluster most like some keywords, if one is like them enough; of equal ones the first by id. */
  mostLike(keywords: Keywords): { id: string; similarity: number } | undefined {
    const products = new Map<IndexedCluster, number>();
    let square = 0;
    for (const [keyword, weight] of keywords) {
      const rarity = this.#rarity(keyword) ** 2;
      square += weight * weight * rarity;
      for (const cluster of this.#byKeyword.get(keyword) ?? []) {
        const product = weight * (cluster.weights.get(keyword) ?? 0) * rarity;
        products.set(cluster, (products.get(cluster) ?? 0) + product);
      }
    }
    let best: { id: string; similarity: number } | undefined;
    for (const [cluster, product] of products) {
      const similarity = product / Math.sqrt(square * cluster.square);
      if (similarity < LEAST_SIMILARITY) continue;
      const isBetter =
        !best || similarity > best.similarity || (similarity === best.similarity && cluster.id < best.id);
      if (isBetter) best = { id: cluster.id, similarity };
    }
    return best;
  }

  similarity(id: string, keywords: Keywords): number {
    const cluster = this.#clusters.get(id);
    if (!cluster) return 0;
    let product = 0;
    let square = 0;
    for (const [keyword, weight] of keywords) {
      const rarity = this.#rarity(keyword) ** 2;
      square += weight * weight * rarity;
      product += weight * (cluster.weights.get(keyword) ?? 0) * rarity;
    }
    return product / Math.sqrt(square * cluster.square);
  }

  #change(cluster: IndexedCluster, keywords: Keywords, sign: 1 | -1): void {
    for (const [keyword, weight] of keywords) {
      const before = cluster.weights.get(keyword) ?? 0;
      const after = before + sign * weight;
      cluster.square += (after * after - before * before) * this.#rarity(keyword) ** 2;
      if (after > 0) {
        cluster.weights.set(keyword, after);
        const having = this.#byKeyword.get(keyword) ?? new Set();
        this.#byKeyword.set(keyword, having.add(cluster));
      } else {
        cluster.weights.delete(keyword);
        this.#byKeyword.get(keyword)?.delete(cluster);
      }
    }
  }
}
