import { attributesIn, isAttributeList } from '../../document/attribute-lists.ts';
import type { Block } from '../../document/document.ts';
import { idInMdxComment } from '../../document/mdx-comments.ts';
import { formatOf, numberIn, trimBlanks } from '../nodes.ts';

/** The deepest level of headings in documents, which is one below that in Markdown: its first is the page's title. */
const DEEPEST = 3;

/** The type of a heading with this many `#`. */
export const headingType = (level: number): string => `heading-${Math.min(DEEPEST, Math.max(1, level - 1))}`;

/** How many `#` a heading of a type is written with: as many as before, if that still gives the type. */
export function markdownLevel(type: string, written: number | undefined): number {
  if (written !== undefined && written >= 1 && written <= 6 && headingType(written) === type) return written;
  return Math.min(DEEPEST, Math.max(1, Number(type.slice('heading-'.length)) || 1)) + 1;
}

/** How many `#` a heading is written with. */
export const levelOf = (heading: Block): number =>
  markdownLevel(heading.type, numberIn(formatOf(heading), 'level'));

/** The hint that keeps a level that is not the usual one of its type. */
export const levelHint = (level: number): { level: number } | undefined =>
  level === markdownLevel(headingType(level), undefined) ? undefined : { level };

const ANCHOR = /<a(?: [a-z]+="[^"<>]*")+><\/a>/y;
/** An id in braces, as of Pandoc, or with blanks or a colon as of MkDocs and Kramdown. */
const BRACES = /^\{:?[ \t]*#([A-Za-z0-9_.:-]+)[ \t]*\}$/;

/** The id that braces give, perhaps among other attributes, or in a comment of MDX. */
function idInBraces(braces: string): string | undefined {
  const only = BRACES.exec(braces)?.[1];
  return (
    only ?? idInMdxComment(braces) ?? (isAttributeList(braces) ? attributesIn(braces).get('id') : undefined)
  );
}

/** What an id in braces may follow only with a blank between them: an escape, or the braces of a template. */
const NEEDS_BLANK = '\\{';

/** Whether the end of a heading from an index on would be read as its id. */
export function endsInId(heading: string, index: number): boolean {
  if (index <= 0 || idInBraces(heading.slice(index)) === undefined) return false;
  const before = heading.charAt(index - 1);
  return ' \t'.includes(before) || (heading.startsWith('{#', index) && !NEEDS_BLANK.includes(before));
}

/** How the id of a heading was written, if not as `<a href="#id" id="id"></a>` after it. */
export type WrittenId = { at: 'start' | 'end'; markdown: string };

/** The id in a text of anchor elements or of braces; the first if there are several. */
export function idIn(markdown: string): string | undefined {
  return / (?:id|name)="([^"<>]+)"/.exec(markdown)?.[1] ?? idInBraces(markdown.trim());
}

/** A heading's text without the anchors before or after it, the id that they give it, and how they were written. */
export function splitId(source: string): { content: string; id?: string; written?: WrittenId } {
  const start = anchorsAtEnd(source);
  if (start < source.length) {
    const content = trimBlanks(source.slice(0, start));
    const markdown = source.slice(content.length);
    const id = idIn(markdown);
    if (id === undefined) return { content: source };
    return defaultAnchor(id) === markdown
      ? { content, id }
      : { content, id, written: { at: 'end', markdown } };
  }
  const end = anchorsAtStart(source);
  const id = end === 0 ? undefined : idIn(source.slice(0, end));
  if (id === undefined) return { content: source };
  return { content: source.slice(end), id, written: { at: 'start', markdown: source.slice(0, end) } };
}

export const defaultAnchor = (id: string): string => ` <a href="#${id}" id="${id}"></a>`;

/** The index of the anchors at the end of a text. */
function anchorsAtEnd(source: string): number {
  const braces = source.lastIndexOf('{');
  if (endsInId(source, braces)) return braces;
  let start = source.length;
  for (let end = start; source.endsWith('</a>', end); ) {
    const at = source.lastIndexOf('<a ', end);
    if (at < 0 || !isAnchor(source, at, end)) break;
    start = at;
    end = trimBlanks(source.slice(0, at)).length;
  }
  return start;
}

function isAnchor(source: string, at: number, end: number): boolean {
  ANCHOR.lastIndex = at;
  return ANCHOR.test(source) && ANCHOR.lastIndex === end && idIn(source.slice(at, end)) !== undefined;
}

function anchorsAtStart(source: string): number {
  let end = 0;
  for (;;) {
    ANCHOR.lastIndex = end;
    const match = ANCHOR.exec(source);
    if (!match || idIn(match[0]) === undefined) return end;
    end = ANCHOR.lastIndex;
    while (end < source.length && ' \t'.includes(source.charAt(end))) end += 1;
  }
}
