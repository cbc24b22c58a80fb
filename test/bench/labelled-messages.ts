import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LabelledMessage {
  topic: string;
  text: string;
}

/** The messages of `support-messages.txt`, by what they are for: of each topic in turn for tuning, and held out. */
export async function readLabelledMessages(): Promise<{
  tuned: LabelledMessage[];
  heldOut: LabelledMessage[];
}> {
  const source = await readFile(join(import.meta.dirname, 'support-messages.txt'), 'utf8');
  const halves: { tuned: LabelledMessage[]; heldOut: LabelledMessage[] } = { tuned: [], heldOut: [] };
  let topic = '';
  let place = 0;
  for (const line of source.split('\n')) {
    if (line.startsWith('## ')) [topic, place] = [line.slice(3), 0];
    else if (line !== '' && !line.startsWith('#'))
      (place++ % 2 === 0 ? halves.tuned : halves.heldOut).push({ topic, text: line });
  }
  return halves;
}

/**
 * How well clusters agree with topics: 1 if they are the same, about 0 if they have nothing to do with each other.
 * Hubert and Arabie, "Comparing partitions" (1985).
 */
export function adjustedRandIndex(pairs: readonly (readonly [topic: string, cluster: string])[]): number {
  const together = (key: (pair: readonly [string, string]) => string): number => {
    let sum = 0;
    for (const [, group] of Map.groupBy(pairs, key)) sum += (group.length * (group.length - 1)) / 2;
    return sum;
  };
  const both = together(([topic, cluster]) => `${topic}\0${cluster}`);
  const byTopic = together(([topic]) => topic);
  const byCluster = together(([, cluster]) => cluster);
  const expected = (byTopic * byCluster) / ((pairs.length * (pairs.length - 1)) / 2);
  return (both - expected) / ((byTopic + byCluster) / 2 - expected);
}
