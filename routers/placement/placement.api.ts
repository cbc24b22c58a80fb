import { z } from 'zod';

const ContentPointer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('space'), space: z.string() }),
  z.object({ type: z.literal('collection'), collection: z.string() }),
]);
export type ContentPointer = z.infer<typeof ContentPointer>;

/** Where to move a collection or space, as fields of an input. */
export const destination = {
  parent: z
    .string()
    .nullable()
    .optional()
    .describe(
      'The collection to move it into; null for the root of the organization; absent to keep the parent.',
    ),
  position: z
    .object({ before: ContentPointer.optional(), after: ContentPointer.optional() })
    .optional()
    .describe('The sibling to place it next to; at the end by default.'),
};
const Destination = z.object(destination);
export type Destination = z.infer<typeof Destination>;
