import { z } from 'zod';
import { BlockObject } from '../engine/document/document.ts';
import { ChangedPage } from './changes.api.ts';

const BlockChange = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['added', 'removed', 'moved']).describe('What happened to the block.'),
      block: BlockObject.describe('The block.'),
    }),
    z.object({
      type: z.literal('changed').describe('What happened to the block.'),
      before: BlockObject.describe('The block as it was.'),
      after: BlockObject.describe('The block as it is.'),
    }),
  ])
  .meta({ id: 'BlockChange', description: 'A change to one of the outermost blocks of a document.' });

const ComparedText = z.object({
  type: z.enum(['created', 'edited', 'deleted']).describe('What happened to the page or reusable content.'),
  page: ChangedPage.optional().describe('The page whose text differs.'),
  reusableContent: ChangedPage.pick({ id: true, title: true })
    .optional()
    .describe('The reusable content whose text differs.'),
  markdown: z
    .string()
    .optional()
    .describe(
      'With `format=markdown`: the hunks of a unified diff of its Markdown, title included. Empty if the Markdown is the same.',
    ),
  blocks: z
    .array(BlockChange)
    .optional()
    .describe('With `format=document`: the outermost blocks that were added, removed, moved or changed.'),
});

/** What differs between the texts of two revisions. */
export const ComparisonObject = z
  .object({
    object: z.literal('comparison').describe('The type of the object: always `comparison`.'),
    base: z
      .string()
      .optional()
      .describe('The id of the revision that it is compared with; absent for the first revision of a space.'),
    revision: z.string().describe('The id of the revision that is compared.'),
    items: z
      .array(ComparedText)
      .describe(
        'The pages, in the order of their ids, and then the reusable contents, whose title or text differs.',
      ),
    more: z.number().int().optional().describe('The number of differences beyond the limit.'),
  })
  .meta({ id: 'RevisionComparison', description: 'What differs between the texts of two revisions.' });

const MAX_COMPARED = 100;

/** Input fields that all comparisons share. */
export const comparisonInput = {
  pageId: z.string().optional().describe('The id of a page, to compare only that page.'),
  format: z
    .enum(['markdown', 'document'])
    .default('markdown')
    .describe('`markdown` for unified diffs, `document` for lists of changed blocks.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_COMPARED)
    .default(20)
    .describe('The maximum number of pages and reusable contents to compare.'),
};
export type ComparisonInput = z.output<z.ZodObject<typeof comparisonInput>>;
