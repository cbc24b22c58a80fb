import { z } from 'zod';
import { type ContentRef, OpenApiRef } from '../document/document.ts';
import type { PageRecord } from './records.ts';

/** What a computed page is made from: an OpenAPI document among the files of the space, or a specification. */
export const ComputedSource = z.object({
  type: z.literal('builtin:openapi').describe('What computes the content.'),
  props: z
    .object({
      models: z.boolean().optional().describe('False leaves out the models; they are shown by default.'),
    })
    .optional()
    .describe('What it is computed with.'),
  dependencies: z
    .object({
      spec: z
        .object({
          ref: z
            .discriminatedUnion('kind', [
              z.object({
                kind: z.literal('file').describe('The kind of target.'),
                file: z.string().describe('The id of the file.'),
                space: z.undefined().optional().describe('The id of the space.'),
              }),
              OpenApiRef,
            ])
            .describe('Which specification it is.'),
        })
        .describe('The OpenAPI spec.'),
    })
    .describe('What it is computed from, by name.'),
});

/** The source of a page; undefined if it is not computed, or from something that is not known. */
export function computedSourceOf(page: PageRecord): { ref: ContentRef; models: boolean } | undefined {
  if (page.type !== 'computed') return undefined;
  const parsed = ComputedSource.safeParse(page.computed);
  if (!parsed.success) return undefined;
  const { props, dependencies } = parsed.data;
  return { ref: dependencies.spec.ref, models: props?.models ?? true };
}
