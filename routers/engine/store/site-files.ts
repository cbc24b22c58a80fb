/** Path segments at which a site serves something else than a page. */

/** Files that a site serves besides its pages. */
export const SITE_FILES = ['sitemap.xml', 'robots.txt', 'llms.txt', 'llms-full.txt', 'feed.xml'] as const;

/** The path segment below which a site serves anything that is not a page. */
export const RESERVED_SEGMENT = '~';

/** The end of the address of a page as Markdown. */
export const MARKDOWN_END = '.md';

export const isMarkdownSegment = (segment: string): boolean =>
  segment.endsWith(MARKDOWN_END) && segment.length > MARKDOWN_END.length;

/** Whether a segment of a path never leads to a page, a section or a site. */
export const isReservedSegment = (segment: string): boolean =>
  segment === RESERVED_SEGMENT || isMarkdownSegment(segment) || SITE_FILES.some((name) => name === segment);
