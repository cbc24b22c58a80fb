import type { Scores } from '../../routers/engine/search/scores.ts';

/**
 * The scores of some documents by their number; 0 for those that were not found.
 * @param searched the numbers of the documents, in any order
 */
export function scoresByDocument(scores: Scores, searched: Iterable<number>): number[] {
  const numbers = Int32Array.from(searched);
  const found = {
    count: 0,
    scores: new Int32Array(numbers.length),
    indexes: new Int32Array(numbers.length),
  };
  scores.find({ numbers, shift: 0 }, 0, numbers.length, found);
  const byDocument: number[] = Array(numbers.reduce((most, number) => Math.max(most, number + 1), 0)).fill(0);
  for (let at = 0; at < found.count; at++)
    byDocument[numbers[found.indexes[at] as number] as number] = found.scores[at] as number;
  return byDocument;
}
