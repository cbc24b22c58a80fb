import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../document/document.ts';

/** The visible parts of a page, and its width. */
export const Layout = z.object({
  width: z.enum(['default', 'wide']).describe('How wide the content is.'),
  cover: z.boolean().describe('Whether the cover is shown.'),
  coverSize: z.enum(['hero', 'full']).describe('How large the cover is.'),
  coverMask: z.enum(['none', 'radial']).describe('Whether the cover fades out.'),
  title: z.boolean().describe('Whether the title is shown.'),
  description: z.boolean().describe('Whether the description is shown.'),
  tableOfContents: z.boolean().describe('Whether the table of contents is shown.'),
  outline: z.boolean().describe('Whether the outline of the page is shown.'),
  pagination: z.boolean().describe('Whether links to the pages before and after are shown.'),
  metadata: z.boolean().describe('Whether the time of the last change is shown.'),
  tags: z.boolean().describe('Whether the tags are shown.'),
  actions: z.boolean().describe('Whether the actions of the page are shown.'),
  anchors: z.boolean().describe('Whether headings have links to themselves.'),
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
export const PageTag = z.object({
  tag: TagSlug.describe('The slug of a tag of the space.'),
  primary: z.boolean().optional().describe('Whether it is shown first.'),
});
export type PageTag = z.infer<typeof PageTag>;

/** Tags as they are stored: each once, and marked only if it is the primary one. */
export const uniqueTags = (tags: readonly PageTag[]): PageTag[] =>
  [...new Map(tags.map((given) => [given.tag, given])).values()].map(({ tag, primary }) => ({
    tag,
    ...(primary && { primary }),
  }));

/** The picture above a page. */
export const Cover = z.object({
  ref: ContentRef.optional().describe('The image.'),
  refDark: ContentRef.optional().describe('The image in dark mode, if it is another.'),
  yPos: z.number().describe('Where the image is cut vertically, from the top.'),
  height: z.number().optional().describe('The height in pixels.'),
});
