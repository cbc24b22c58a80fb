import { z } from 'zod';
import { ContentRef } from '../document/document.ts';

/** The visible parts of a page, and its width. */
export const Layout = z.object({
  width: z.enum(['default', 'wide']),
  cover: z.boolean(),
  coverSize: z.enum(['hero', 'full']),
  title: z.boolean(),
  description: z.boolean(),
  tableOfContents: z.boolean(),
  outline: z.boolean(),
  pagination: z.boolean(),
  metadata: z.boolean(),
});

/** The picture above a page. */
export const Cover = z.object({
  ref: ContentRef.optional(),
  refDark: ContentRef.optional(),
  yPos: z.number(),
  height: z.number().optional(),
});
