import type { Leaf, Mark } from '../document/document.ts';
import { publishedMark } from '../document/published-text.ts';

/** A stored mark, and how many marks that are published like it precede it. */
interface StoredMark {
  mark: Mark;
  key: string;
  index: number;
}

/**
 * Restores what is stored in the marks of a text block but not published: how they are spelled, and colors that are published as
 * the default. A leaf with the text and marks of stored ones gets those of the first that is left; another leaf gets those that
 * come next among the stored marks that are published like its own.
 */
export class MarkRestorer {
  /** The marks of leaves with the same text and marks, and how many of these leaves were restored. */
  readonly #leaves = new Map<string, { leaves: StoredMark[][]; restored: number }>();
  /** By how they are published, in the order of the text. */
  readonly #marks = new Map<string, Mark[]>();
  /** How many of them precede the current leaf, as far as is known. */
  readonly #passed = new Map<string, number>();

  /** Adds a stored leaf. */
  add(leaf: Leaf): void {
    const marks = leaf.marks.map((mark): StoredMark => {
      const key = keyOf(mark);
      const equal = this.#marks.get(key);
      if (equal) equal.push(mark);
      else this.#marks.set(key, [mark]);
      return { mark, key, index: (equal?.length ?? 1) - 1 };
    });
    const key = leafKey(leaf);
    const equal = this.#leaves.get(key);
    if (equal) equal.leaves.push(marks);
    else this.#leaves.set(key, { leaves: [marks], restored: 0 });
  }

  /** The marks of a leaf that was sent. To be called for the leaves of a block in their order. */
  restore(leaf: Leaf): Mark[] {
    const equal = this.#leaves.get(leafKey(leaf));
    if (!equal) return leaf.marks.map((mark) => this.#next(mark));
    const known = atOrLast(equal.leaves, equal.restored);
    equal.restored += 1;
    for (const { key, index } of known) this.#passed.set(key, index + 1);
    return known.map(({ mark }) => mark);
  }

  #next(mark: Mark): Mark {
    const key = keyOf(mark);
    const equal = this.#marks.get(key);
    if (!equal) return mark;
    const passed = this.#passed.get(key) ?? 0;
    this.#passed.set(key, passed + 1);
    return atOrLast(equal, passed);
  }
}

const atOrLast = <Value>(list: readonly Value[], index: number): Value =>
  list[Math.min(index, list.length - 1)] as Value;

/** Equal for marks that are published alike. */
const keyOf = (mark: Mark): string => JSON.stringify(publishedMark(mark));

const leafKey = ({ text, marks }: Leaf): string => JSON.stringify([text, marks.map(keyOf)]);
