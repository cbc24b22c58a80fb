import { z } from 'zod';
import { ContentRef, Document } from '../engine/document/document.ts';
import { runsScript } from '../engine/document/safe-href.ts';
import { emojiCodePoints } from '../engine/emoji.ts';
import type { Json, JsonObject } from '../engine/store/canonical.ts';
import { MAX_PAGE_DEPTH } from '../engine/store/depth.ts';
import { Cover, DEFAULT_LAYOUT, Layout, type PageTag } from '../engine/store/page-fields.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { PageNode } from '../engine/store/snapshot.ts';
import { type ContentView, GitBlob } from './files.api.ts';

/** A tag of a page. */
const PageTagObject = z.object({
  tag: z
    .object({
      kind: z.literal('tag').describe('Always `tag`.'),
      tag: z.string().describe('The slug of the tag.'),
    })
    .describe('A reference to one of the tags of the revision.'),
  primary: z.boolean().optional().describe('Whether the table of contents shows it.'),
});

const PageFields = z.object({
  id: z.string().describe('An opaque identifier that never changes.'),
  title: z.string().describe('The title of the page.'),
  emoji: z.string().optional().describe('Code points of the emoji, such as `1f4d8`.'),
  icon: z.string().optional().describe('The name of an icon; null or absent for none.'),
  type: z
    .enum(['document', 'group', 'link', 'computed'])
    .describe(
      'Whether the page has a document, groups other pages, is a link, or is computed from an OpenAPI spec.',
    ),
  kind: z
    .enum(['sheet', 'group', 'link'])
    .optional()
    .describe('The same as `type`, in the terms of older clients.'),
  createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
  urls: z
    .object({ app: z.string().describe('The URL of the object in the web app.') })
    .describe('The URLs of the object.'),
  slug: z.string().optional().describe('The last part of the path of the page.'),
  path: z
    .string()
    .optional()
    .describe('The slugs from the top of the space down to the page, joined by `/`.'),
  description: z.string().optional().describe('What the page is about, in a line or two.'),
  layout: Layout.optional().describe('Which parts of the page are shown.'),
  cover: Cover.optional().describe('The image at the top of the page.'),
  variables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('The variables of the page, by name.'),
  hidden: z.boolean().optional().describe('Whether the page is left out of the table of contents.'),
  condition: z
    .string()
    .optional()
    .describe('The expression that decides which visitors of a site see the page; absent for visitors.'),
  noIndex: z.boolean().optional().describe('Whether the page is left out of search.'),
  noRobotsIndex: z.boolean().optional().describe('Whether search engines are asked not to index the page.'),
  tags: z.array(PageTagObject).optional().describe('The tags of the page, in order.'),
  target: ContentRef.optional().describe('What a page of type `link` leads to.'),
  href: z
    .string()
    .optional()
    .describe('The URL that a page of type `link` leads to, if it leads to a URL that runs no script.'),
  computed: z.record(z.string(), z.unknown()).optional().describe('What the content is computed from.'),
  computedSeed: z.string().optional().describe('Changes whenever what is computed changes.'),
  documentId: z
    .string()
    .optional()
    .describe("The id of the page's document. Equal ids stand for equal documents."),
  git: GitBlob.optional().describe('The file in Git that the page was imported from.'),
});

/** A page in a list: everything but its content, with the pages below it. */
export const PageObject = PageFields.extend({
  get pages() {
    return z.array(PageObject).optional().describe('The pages below it, in order.');
  },
}).meta({ id: 'RevisionPageBase', description: 'A page of a space, without its content.' });

export type PageObject = z.infer<typeof PageObject>;

/** A single page with its content, as Markdown or as a document. */
export const PageWithContentObject = PageFields.extend({
  pages: z.array(PageObject).optional().describe('The pages below it, in order.'),
  markdown: z.string().optional().describe('The content as Markdown, if asked for.'),
  document: Document.optional().describe('The content as a document of blocks, if asked for.'),
}).meta({ id: 'RevisionPage', description: 'A page of a space with its content.' });

const KINDS = { document: 'sheet', group: 'group', link: 'link', computed: undefined } as const;

/** The depth of pages nested in a response: the limit for pages, plus the few levels that computed pages add. */
const MAX_PRESENTED_DEPTH = MAX_PAGE_DEPTH + 8;

/**
 * Presents a page and everything below it. Older content that is nested deeper than the limit is listed flat at the
 * deepest level, because responses are validated and serialized recursively.
 */
export function presentPage(node: PageNode, view: ContentView, depth = 1): PageObject {
  const { page, path, pages } = node;
  const below = () =>
    depth < MAX_PRESENTED_DEPTH
      ? pages.map((child) => presentPage(child, view, depth + 1))
      : descendantsOf(node).map((child) => presentPage({ ...child, pages: [] }, view, depth + 1));
  return {
    ...presentFields(page, view),
    ...(page.type !== 'link' && page.type !== 'computed' && { slug: page.slug, path }),
    ...(page.type !== 'link' && { pages: below() }),
  };
}

/** The pages below a page in reading order, however deep. */
function descendantsOf({ pages }: PageNode): PageNode[] {
  const found: PageNode[] = [];
  const open = pages.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node);
    for (const child of node.pages.toReversed()) open.push(child);
  }
  return found;
}

const presentTag = ({ tag, primary }: PageTag): z.infer<typeof PageTagObject> => ({
  tag: { kind: 'tag', tag },
  primary,
});

/** The public form of a stored value of a page's field, for responses that show single fields. */
export function presentPageField(field: string, value: Json): Json {
  if (field === 'emoji' && typeof value === 'string') return emojiCodePoints(value);
  if (field === 'tags' && Array.isArray(value)) return (value as PageTag[]).map(presentTag) as Json;
  return value;
}

/** An imported link may lead to a script, which clients might follow without a check of their own. */
// guard: page-href-scripts
const hrefOf = (url: string): string | undefined => (runsScript(url) ? undefined : url);

function presentFields(page: PageRecord, view: ContentView): PageObject {
  return {
    id: page.id,
    title: page.title,
    emoji: page.emoji && emojiCodePoints(page.emoji),
    icon: page.icon,
    type: page.type,
    kind: KINDS[page.type],
    createdAt: page.createdAt,
    updatedAt: page.updatedAt,
    urls: { app: view.urls.app('spaces', view.space, 'pages', page.id) },
    description: page.description,
    layout: page.type === 'document' ? { ...DEFAULT_LAYOUT, ...(page.layout as Partial<Layout>) } : undefined,
    cover: page.cover as PageObject['cover'],
    variables: page.variables as PageObject['variables'],
    hidden: page.hidden,
    condition: view.conditions ? page.condition : undefined,
    noIndex: page.noIndex,
    noRobotsIndex: page.noRobotsIndex,
    tags: page.type === 'document' ? (page.tags ?? []).map(presentTag) : undefined,
    target: page.target,
    href: page.target?.kind === 'url' ? hrefOf(page.target.url) : undefined,
    computed: page.computed as JsonObject | undefined,
    computedSeed: page.computedSeed,
    documentId: page.document,
    git: view.metadata ? page.git && { oid: page.git.oid, path: page.git.path } : undefined,
  };
}
