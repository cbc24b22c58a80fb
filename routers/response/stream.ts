import type { TrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { declaredTypes } from '../../schema/json/declared-type.ts';

const isStream = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The output of a subscription: items, each with an id to resume after. They are not validated one by one. */
export function streamOf<Item>(item: z.ZodType<Item>): z.ZodType<AsyncIterable<TrackedEnvelope<Item>>> {
  const stream = z.custom<AsyncIterable<TrackedEnvelope<Item>>>(isStream);
  declaredTypes.set(stream, { itemsOf: item });
  return stream;
}
