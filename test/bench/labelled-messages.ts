import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LabelledMessage {
  topic: string;
  text: string;
}

interface LabelledMessages {
  tuned: LabelledMessage[];
  heldOut: LabelledMessage[];
  /** Messages about topics for which the engine's vocabulary was not written. */
  other: LabelledMessage[];
}

/** The messages by purpose: those of each topic in `support-messages.txt` alternate between tuning and held out. */
export async function readLabelledMessages(): Promise<LabelledMessages> {
  const messages = await readFixture('support-messages.txt');
  const [tuned, heldOut] = [0, 1].map((half) => messages.filter(({ place }) => place % 2 === half));
  return {
    tuned: tuned ?? [],
    heldOut: heldOut ?? [],
    other: await readFixture('support-messages-other.txt'),
  };
}

/** The messages in a file, each with its index within its topic. */
async function readFixture(name: string): Promise<(LabelledMessage & { place: number })[]> {
  const source = await readFile(join(import.meta.dirname, name), 'utf8');
  const messages: (LabelledMessage & { place: number })[] = [];
  let [topic, place] = ['', 0];
  for (const line of source.split('\n')) {
    if (line.startsWith('## ')) [topic, place] = [line.slice(3), 0];
    else if (line !== '' && !line.startsWith('#')) messages.push({ topic, text: line, place: place++ });
  }
  return messages;
}

/**
 * The agreement between clusters and topics: 1 if they are the same, about 0 if they are unrelated.
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
