import type { Steps } from '../steps.ts';
import type { Keywords } from './keywords.ts';

/** A cluster to compare issues with; its keywords have the summed weights in its issues, or only the largest ones. */
export interface ComparedCluster {
  id: string;
  keywords: Keywords;
}

/** An issue to assign to a cluster. The key must be unique; issues are processed in its order. */
export interface ComparedIssue {
  key: string;
  keywords: Keywords;
}

/** The total number of issues, and the number of issues with each keyword. */
export interface Frequencies {
  issues: number;
  byKeyword: ReadonlyMap<string, number>;
}

/** The clusters of issues: existing ones, and new ones. */
export interface Assignment {
  /** The keys of issues by the id of their existing cluster. */
  known: Map<string, string[]>;
  /** The keys of the issues of each new cluster; the first is the most similar to the others. */
  added: string[][];
}

/** Minimum cosine similarity of two groups that are merged. */
const MIN_SIMILARITY = 0.25;

/**
 * Assigns issues to the most similar clusters, or groups them into new ones: merges the two most similar groups until none
 * are similar enough (agglomerative clustering). Rare keywords have more weight. The result does not depend on the order
 * of the input; issues without keywords are not assigned.
 */
export function* assignIssues(
  issues: readonly ComparedIssue[],
  clusters: readonly ComparedCluster[],
  frequencies: Frequencies,
): Steps<Assignment> {
  const rarity = createRarityFunction(frequencies);
  const index = new GroupIndex(rarity);
  const pairs = new PairQueue();
  const known = clusters
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, keywords }) => index.add({ cluster: id, members: [], keywords }));
  const sorted = issues
    .filter(({ keywords }) => keywords.size > 0)
    // guard: issue-order
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const groups = new Set<Group>(known);
  const addGroup = (given: Pick<Group, 'cluster' | 'members' | 'keywords'>): void => {
    const group = index.add(given);
    groups.add(group);
    // Existing clusters are not merged with each other.
    for (const [other, similarity] of index.similarTo(group))
      if (!(group.cluster && other.cluster)) pairs.add({ group, other, similarity });
  };
  for (const issue of sorted) {
    addGroup({ cluster: undefined, members: [issue], keywords: issue.keywords });
    yield;
  }
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    yield;
    const { group, other } = pair;
    if (!groups.delete(group)) continue;
    if (!groups.delete(other)) {
      groups.add(group);
      continue;
    }
    index.remove(group);
    index.remove(other);
    addGroup({
      cluster: group.cluster ?? other.cluster,
      members: [...group.members, ...other.members],
      keywords: sumOf(group.keywords, other.keywords),
    });
  }
  const made = [...groups].filter(({ members }) => members.length > 0);
  const keysOf = ({ members }: Group) => members.map(({ key }) => key).sort();
  return {
    known: new Map(made.flatMap((group) => (group.cluster ? [[group.cluster, keysOf(group)]] : []))),
    added: made
      .filter(({ cluster }) => !cluster)
      .map((group) => mostTypicalFirst(group, rarity))
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  };
}

/** The keys of the issues of a group, the one most similar to all of them first. */
function mostTypicalFirst({ members, keywords }: Group, rarity: (keyword: string) => number): string[] {
  const [first, ...rest] = members
    .map((issue) => ({ key: issue.key, similarity: similarityOf(issue.keywords, keywords, rarity) }))
    .sort((a, b) => b.similarity - a.similarity || (a.key < b.key ? -1 : 1));
  return first ? [first.key, ...rest.map(({ key }) => key).sort()] : [];
}

/** Returns a function that weights keywords: the fewer issues have one, the more (inverse document frequency). */
export const createRarityFunction =
  ({ issues, byKeyword }: Frequencies) =>
  (keyword: string): number =>
    Math.log1p((issues + 1) / ((byKeyword.get(keyword) ?? 0) + 1));

/** Issues that belong together, possibly in an existing cluster. */
interface Group {
  /** Sequence number, in the order of creation. */
  place: number;
  cluster: string | undefined;
  members: ComparedIssue[];
  keywords: Keywords;
  /** The length of its keywords as a vector. */
  length: number;
}

function sumOf(one: Keywords, other: Keywords): Keywords {
  const sum = new Map(one);
  for (const [keyword, weight] of other) sum.set(keyword, (sum.get(keyword) ?? 0) + weight);
  return sum;
}

function lengthOf(keywords: Keywords, rarity: (keyword: string) => number): number {
  let square = 0;
  for (const [keyword, weight] of keywords) square += (weight * rarity(keyword)) ** 2;
  return Math.sqrt(square);
}

function similarityOf(one: Keywords, other: Keywords, rarity: (keyword: string) => number): number {
  let product = 0;
  for (const [keyword, weight] of one) product += weight * (other.get(keyword) ?? 0) * rarity(keyword) ** 2;
  return product / (lengthOf(one, rarity) * lengthOf(other, rarity));
}

/** An inverted index of groups: only groups with a common keyword are compared. */
class GroupIndex {
  readonly #rarity: (keyword: string) => number;
  readonly #byKeyword = new Map<string, Map<Group, number>>();
  #groups = 0;

  constructor(rarity: (keyword: string) => number) {
    this.#rarity = rarity;
  }

  add(given: Pick<Group, 'cluster' | 'members' | 'keywords'>): Group {
    const group = { ...given, place: this.#groups++, length: lengthOf(given.keywords, this.#rarity) };
    for (const [keyword, weight] of group.keywords) {
      const having = this.#byKeyword.get(keyword) ?? new Map<Group, number>();
      this.#byKeyword.set(keyword, having.set(group, weight));
    }
    return group;
  }

  remove(group: Group): void {
    for (const keyword of group.keywords.keys()) this.#byKeyword.get(keyword)?.delete(group);
  }

  /** The other groups that are similar enough. */
  *similarTo(group: Group): Generator<[other: Group, similarity: number]> {
    const products = new Map<Group, number>();
    for (const [keyword, weight] of group.keywords) {
      const rarity = this.#rarity(keyword) ** 2;
      for (const [other, its] of this.#byKeyword.get(keyword) ?? [])
        products.set(other, (products.get(other) ?? 0) + weight * its * rarity);
    }
    for (const [other, product] of products) {
      const similarity = product / (group.length * other.length);
      if (other !== group && similarity >= MIN_SIMILARITY) yield [other, similarity];
    }
  }
}

interface Pair {
  group: Group;
  other: Group;
  similarity: number;
}

/** A priority queue of pairs of groups, the most similar first; ties are broken by the order of creation. */
class PairQueue {
  /** A binary heap. */
  readonly #pairs: Pair[] = [];

  add(pair: Pair): void {
    const pairs = this.#pairs;
    let place = pairs.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = pairs[above] as Pair;
      if (!isBefore(pair, parent)) break;
      pairs[place] = parent;
      place = above;
    }
    pairs[place] = pair;
  }

  pop(): Pair | undefined {
    const pairs = this.#pairs;
    const [first] = pairs;
    const last = pairs.pop();
    if (pairs.length === 0 || !last) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= pairs.length) break;
      if (below + 1 < pairs.length && isBefore(pairs[below + 1] as Pair, pairs[below] as Pair)) below++;
      if (!isBefore(pairs[below] as Pair, last)) break;
      pairs[place] = pairs[below] as Pair;
      place = below;
    }
    pairs[place] = last;
    return first;
  }
}

const isBefore = (one: Pair, other: Pair): boolean =>
  one.similarity !== other.similarity
    ? one.similarity > other.similarity
    : one.group.place !== other.group.place
      ? one.group.place < other.group.place
      : one.other.place < other.other.place;
