import type { ContentRef, Document } from '../document/document.ts';
import { mapRefs } from '../document/readers.ts';
import { defaultHref } from '../document/refs.ts';
import { carryKeys, normalizeDocument } from '../markdown/keys.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import type { DocumentContent } from './changes.ts';
import { restoreDocumentSpelling } from './document-spelling.ts';
import { restoreLinkLabels } from './link-labels.ts';
import type { LinkMapping } from './links.ts';
import { restoreMarkdownSpelling } from './markdown-spelling.ts';

/** The ids of new pages and files by the names (`ref`) that the batch gave them. */
export type Names = ReadonlyMap<string, string>;

/** Replaces names in a reference by ids. */
export function resolveNames(ref: ContentRef, names: Names): ContentRef {
  if ('space' in ref && ref.space !== undefined) return ref;
  if (ref.kind === 'page') return { ...ref, page: names.get(ref.page) ?? ref.page };
  if (ref.kind === 'anchor' && ref.page) return { ...ref, page: names.get(ref.page) ?? ref.page };
  if (ref.kind === 'file') return { ...ref, file: names.get(ref.file) ?? ref.file };
  return ref;
}

/**
 * Parses the new content of a page. Blocks that remain keep their keys, by which comments and merges identify them; a
 * document that brings its own keys keeps those.
 */
export function parseContent(
  content: DocumentContent,
  {
    links,
    names,
    previous,
  }: { links: LinkMapping | undefined; names: Names; previous: Document | undefined },
): Document {
  const { markdown, document } = content;
  const read = document ? normalizeDocument(document) : parseMarkdown(markdown ?? '', links);
  const named = names.size > 0 ? mapRefs(read, (ref) => resolveNames(ref, names)) : read;
  const bringsKeys = document?.nodes.some(({ key }) => key !== undefined) ?? false;
  const keyed = previous && !bringsKeys ? carryKeys(previous, named) : named;
  if (document) return previous ? restoreDocumentSpelling(previous, keyed) : keyed;
  const labelled = restoreLinkLabels(keyed, previous);
  if (!previous) return labelled;
  const mayBeWritten = createHrefFinder(markdown ?? '');
  return restoreMarkdownSpelling(previous, labelled, (href) => {
    const ref = links?.resolve(href, 'link');
    // A link by id may be new: the caller replaced the path.
    return ref && !mayBeWritten(defaultHref(ref)) ? ref : undefined;
  });
}

/** Paths such as `/pages/<id>`, and anchors. */
const PATHS = /(?:\/[a-z-]+\/[\w-]+)+/g;
const ANCHORS = /#[^\s()<>"'\]#]+/g;

/** Returns a function for whether a link by id may be in some Markdown, which is searched once for all links. */
function createHrefFinder(markdown: string): (href: string) => boolean {
  let found: Set<string> | undefined;
  return (href) => {
    found ??= new Set([...(markdown.match(PATHS) ?? []), ...(markdown.match(ANCHORS) ?? [])]);
    const [path = '', anchor] = href.split('#');
    return (path === '' || found.has(path)) && (anchor === undefined || found.has(`#${anchor}`));
  };
}
