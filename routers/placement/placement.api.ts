import { z } from 'zod';

const ContentPointer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('space').describe('The type of the item.'),
    space: z.string().describe('The id of the space.'),
  }),
  z.object({
    type: z.literal('collection').describe('The type of the item.'),
    collection: z.string().describe('The id of the collection.'),
  }),
]);
export type ContentPointer = z.infer<typeof ContentPointer>;

/** Where to move a collection or space, as fields of an input. */
export const destination = {
  parent: z
    .string()
    .nullable()
    .optional()
    .describe(
      'The id of the collection to move it into; null for the root of the organization; absent to keep the parent.',
    ),
  position: z
    .object({
      before: ContentPointer.optional().describe('The sibling that it comes directly before.'),
      after: ContentPointer.optional().describe('The sibling that it comes directly after.'),
    })
    .optional()
    .describe('The sibling to place it next to; by default, it moves to the end.'),
};
const Destination = z.object(destination);
export type Destination = z.infer<typeof Destination>;
