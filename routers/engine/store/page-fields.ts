import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../document/document.ts';

/** The visible parts of a page, and its width. */
export const Layout = z.object({
  width: z.enum(['default', 'wide']),
  cover: z.boolean(),
  coverSize: z.enum(['hero', 'full']),
  coverMask: z.enum(['none', 'radial']),
  title: z.boolean(),
  description: z.boolean(),
  tableOfContents: z.boolean(),
  outline: z.boolean(),
  pagination: z.boolean(),
  metadata: z.boolean(),
  tags: z.boolean(),
  actions: z.boolean(),
  anchors: z.boolean(),
});
export type Layout = z.infer<typeof Layout>;

/** The layout of a page of which nothing is set. */
export const DEFAULT_LAYOUT: Layout = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
};

/** The slug of a tag, which names it in its space. */
const TagSlug = text({ min: 1, max: 100 });
/** Tags of one page. */
export const MAX_TAGS = 100;

/** A tag of a page; the primary one stands beside it in the table of contents. */
export const PageTag = z.object({ tag: TagSlug, primary: z.boolean().optional() });
export type PageTag = z.infer<typeof PageTag>;

/** Tags as they are stored: each once, and marked only if it is the primary one. */
export const uniqueTags = (tags: readonly PageTag[]): PageTag[] =>
  [...new Map(tags.map((given) => [given.tag, given])).values()].map(({ tag, primary }) => ({
    tag,
    ...(primary && { primary }),
  }));

/** The picture above a page. */
export const Cover = z.object({
  ref: ContentRef.optional(),
  refDark: ContentRef.optional(),
  yPos: z.number(),
  height: z.number().optional(),
});
