import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../document/document.ts';

/** The layout of a page: its visible parts, and its width. */
export const Layout = z.object({
  width: z.enum(['default', 'wide']).describe('The width of the content.'),
  cover: z.boolean().describe('Whether the cover is visible.'),
  coverSize: z.enum(['hero', 'full']).describe('The size of the cover.'),
  coverMask: z.enum(['none', 'radial']).describe('The mask of the cover; `radial` fades it out.'),
  title: z.boolean().describe('Whether the title is visible.'),
  description: z.boolean().describe('Whether the description is visible.'),
  tableOfContents: z.boolean().describe('Whether the table of contents is visible.'),
  outline: z.boolean().describe('Whether the outline of the page is visible.'),
  pagination: z.boolean().describe('Whether links to the previous and next page are visible.'),
  metadata: z.boolean().describe('Whether the time of the last update is visible.'),
  tags: z.boolean().describe('Whether the tags are visible.'),
  actions: z.boolean().describe('Whether the actions menu of the page is visible.'),
  anchors: z.boolean().describe('Whether headings have links to themselves.'),
});
export type Layout = z.infer<typeof Layout>;

/** The default layout of a page. */
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

/** The slug of a tag, which identifies it in its space. */
const TagSlug = text({ min: 1, max: 100 });
/** Maximum number of tags of a page. */
export const MAX_TAGS = 100;

/** A tag of a page; the primary one is shown next to the page in the table of contents. */
export const PageTag = z.object({
  tag: TagSlug.describe('The slug of a tag of the space.'),
  primary: z
    .boolean()
    .optional()
    .describe('Whether this is the primary tag, which is shown in the table of contents.'),
});
export type PageTag = z.infer<typeof PageTag>;

/** Normalizes tags for storage: removes duplicates, and `primary` unless it is true. */
export const uniqueTags = (tags: readonly PageTag[]): PageTag[] =>
  [...new Map(tags.map((given) => [given.tag, given])).values()].map(({ tag, primary }) => ({
    tag,
    ...(primary && { primary }),
  }));

/** The cover image above a page. */
export const Cover = z.object({
  ref: ContentRef.optional().describe('The image.'),
  refDark: ContentRef.optional().describe('The image in dark mode, if different.'),
  yPos: z.number().describe('The vertical offset of the visible part of the image, from the top.'),
  height: z.number().optional().describe('The height in pixels.'),
});
