import { hash } from 'node:crypto';
import { z } from 'zod';
import { type ContentRef, OpenApiRef } from '../document/document.ts';
import type { PageRecord } from './records.ts';

/** The source of a computed page: a file of the space with an OpenAPI document, or an OpenAPI spec. */
export const ComputedSource = z.object({
  type: z.literal('builtin:openapi').describe('The type of the source.'),
  props: z
    .object({
      models: z.boolean().optional().describe('Whether the models are included; true by default.'),
    })
    .optional()
    .describe('The settings of the source.'),
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
            .describe('A reference to the OpenAPI document.'),
        })
        .describe('The OpenAPI spec.'),
    })
    .describe('The content that the page is computed from, by name.'),
});

/** Returns the source of a computed page; undefined for other pages and for unknown sources. */
export function computedSourceOf(page: PageRecord): { ref: ContentRef; models: boolean } | undefined {
  if (page.type !== 'computed') return undefined;
  const parsed = ComputedSource.safeParse(page.computed);
  if (!parsed.success) return undefined;
  const { props, dependencies } = parsed.data;
  return { ref: dependencies.spec.ref, models: props?.models ?? true };
}

/** The id of a page generated for a computed page, by the id of the computed page. */
export const generatedPageId = (computed: string, key: string): string =>
  hash('sha256', `${computed}/${key}`, 'base64url').slice(0, 20);
