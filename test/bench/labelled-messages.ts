import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LabelledMessage {
  topic: string;
  text: string;
}

interface LabelledMessages {
  tuned: LabelledMessage[];
  heldOut: LabelledMessage[];
  /** About what nobody had in mind who wrote the vocabulary of the engine. */
  other: LabelledMessage[];
}

/** The messages by what they are for: of each topic of `support-messages.txt` in turn for tuning, and held out. */
export async function readLabelledMessages(): Promise<LabelledMessages> {
  const messages = await readFixture('support-messages.txt');
  const [tuned, heldOut] = [0, 1].map((half) => messages.filter(({ place }) => place % 2 === half));
  return {
    tuned: tuned ?? [],
    heldOut: heldOut ?? [],
    other: await readFixture('support-messages-other.txt'),
  };
}

/** @returns the messages of a file, each with its place in its topic */
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
