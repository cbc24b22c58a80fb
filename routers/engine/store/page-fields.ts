import { z } from 'zod';
import { ContentRef } from '../document/document.ts';

/** Which parts of a page a reader sees, and how wide it is. */
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
