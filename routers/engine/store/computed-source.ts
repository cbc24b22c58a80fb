import { z } from 'zod';
import { ContentRef } from '../document/document.ts';
import type { PageRecord } from './records.ts';

/** What a computed page is made from: an OpenAPI document among the files of the space, or a specification. */
export const ComputedSource = z.object({
  type: z.literal('builtin:openapi'),
  props: z
    .object({
      models: z.boolean().optional().describe('False leaves out the models; they are shown by default.'),
    })
    .optional(),
  dependencies: z.object({
    spec: z.object({
      ref: ContentRef.describe('A file of the space, or an OpenAPI specification by its slug.'),
    }),
  }),
});

/** The source of a page; undefined if it is not computed, or from something that is not known. */
export function computedSourceOf(page: PageRecord): { ref: ContentRef; models: boolean } | undefined {
  if (page.type !== 'computed') return undefined;
  const parsed = ComputedSource.safeParse(page.computed);
  if (!parsed.success) return undefined;
  return { ref: parsed.data.dependencies.spec.ref, models: parsed.data.props?.models ?? true };
}
