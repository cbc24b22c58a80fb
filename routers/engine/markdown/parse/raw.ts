import type { Block, ContentRef, Inline } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { asRef, defaultHref, defaultRef, type RefKind } from '../../document/refs.ts';
import { decodeEntities, encodeAttribute } from '../html/html.ts';
import { stringIn, verbatim, voidInline } from '../nodes.ts';
import { linkTarget } from '../write/link-target.ts';
import { parseLinkDestination } from './parser.ts';

/** A URL in raw text: its position, and the URL itself, unescaped. */
type Target = { start: number; end: number; href: string; kind: RefKind; syntax: 'attribute' | 'markdown' };

/** What raw text is searched for: code, tags, and the beginning of the URL of a Markdown link. */
const PARTS = /^[ \t]*(?:`{3,}|~{3,})|`[^`\n]+`|\]\(|<[a-zA-Z][^<>]*>|\{%[^%\n]*%\}/gm;
const ATTRIBUTE = /\s(href|src|srcset|url|page)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const IMAGE = /^<(?:img|source)\b/i;

/** A link definition up to its URL. */
const DEFINITION = /^ {0,3}\[(?!\^)(?:\\[\s\S]|[^\\\]])+\]:\s*/;

/** The URLs in raw text, in order, without those in code. */
function targetsIn(markdown: string): Target[] {
  const targets: Target[] = [];
  const definition = DEFINITION.exec(markdown)?.[0];
  if (definition !== undefined) addDestination(targets, markdown, definition.length);
  let isCode = false;
  PARTS.lastIndex = 0;
  for (let match = PARTS.exec(markdown); match; match = PARTS.exec(markdown)) {
    const [part] = match;
    if (/^[ \t]*(?:```|~~~)/.test(part)) isCode = !isCode;
    else if (isCode || part.startsWith('`')) continue;
    else if (part === '](') addDestination(targets, markdown, PARTS.lastIndex);
    else addAttributes(targets, part, match.index);
  }
  return targets;
}

function addDestination(targets: Target[], markdown: string, start: number): void {
  const found = parseLinkDestination(markdown, start, markdown.length);
  if (!found.ok || found.str === '') return;
  targets.push({ start, end: found.pos, href: found.str, kind: 'link', syntax: 'markdown' });
}

function addAttributes(targets: Target[], tag: string, offset: number): void {
  const isTemplate = tag.startsWith('{');
  for (const match of tag.matchAll(ATTRIBUTE)) {
    const name = match[1] ?? '';
    const value = match[2] ?? match[3] ?? '';
    const isAddress = isTemplate ? name !== 'href' : name !== 'url' && name !== 'page';
    if (!isAddress || value === '' || (name === 'srcset' && /[\s,]/.test(value))) continue;
    const end = offset + match.index + match[0].length - 1;
    const kind = isTemplate ? (name === 'src' ? 'file' : 'link') : IMAGE.test(tag) ? 'image' : 'link';
    const href = isTemplate ? value : decodeEntities(value);
    targets.push({ start: end - value.length, end, href, kind, syntax: 'attribute' });
  }
}

/** An inline that keeps unknown Markdown verbatim, with the references in it. */
export function rawInline(markdown: string, refOf: RefOf): Inline {
  return voidInline('markdown', { markdown, ...refsIn(markdown, refOf) });
}

/** A block that keeps unknown Markdown verbatim, with the references in it. */
export function rawBlock(markdown: string, refOf: RefOf): Block {
  const block = verbatim(markdown);
  block.data = { ...block.data, ...refsIn(markdown, refOf) };
  return block;
}

function refsIn(markdown: string, refOf: RefOf): { refs?: ContentRef[] } {
  const targets = targetsIn(markdown);
  return targets.length > 0 ? { refs: targets.map(({ href, kind }) => refOf(href, kind)) } : {};
}

/** Elements that show something though they have no text. */
const MEDIA = /<(img|iframe|video|audio|source)\b[^<>]*>/gi;
const ALT = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/** An element in raw text that shows a picture or another resource. */
export interface RawMedia {
  kind: 'image' | 'frame';
  ref: ContentRef;
  /** The URL as it is written. */
  href: string;
  alt?: string;
}

/** The elements in raw text that show a resource, in order. */
export function mediaIn(node: Block | Inline): RawMedia[] {
  const markdown = stringIn(node.data, 'markdown') ?? '';
  const elements = [...markdown.matchAll(MEDIA)];
  if (elements.length === 0) return [];
  const targets = refsOf(node, markdown);
  const found: RawMedia[] = [];
  let next = 0;
  for (const { 0: tag, 1: name = '', index } of elements) {
    while ((targets[next]?.start ?? Number.POSITIVE_INFINITY) < index) next += 1;
    const target = targets[next];
    if (!target || target.start >= index + tag.length) continue;
    const alt = ALT.exec(tag);
    const text = decodeEntities(alt?.[1] ?? alt?.[2] ?? '');
    const kind = name.toLowerCase() === 'img' ? 'image' : 'frame';
    found.push({ kind, ref: target.ref, href: target.href, ...(text !== '' && { alt: text }) });
  }
  return found;
}

/** The URLs in the raw text of a node, each with the reference it was resolved to. */
function refsOf({ data }: Block | Inline, markdown: string): (Target & { ref: ContentRef })[] {
  const targets = targetsIn(markdown);
  const refs = Array.isArray(data?.refs) && data.refs.length === targets.length ? data.refs : [];
  return targets.map((target, index) => ({ ...target, ref: asRef(refs[index]) ?? defaultRef(target.href) }));
}

/** The references in the raw text of a node, by the URLs that they were resolved from. */
export const refsByUrl = (node: Block | Inline): Map<string, ContentRef> =>
  new Map(refsOf(node, stringIn(node.data, 'markdown') ?? '').map(({ href, ref }) => [href, ref]));

/** Resolves the URLs in the raw text of a node as they were resolved when it was read. */
export function resolveIn(node: Block | Inline): (href: string) => ContentRef | undefined {
  const refs = refsByUrl(node);
  return (href) => refs.get(href);
}

/** Raw text with its URLs updated to those that its references have now. */
export function writeRaw(node: Block | Inline, hrefOf: Href): string {
  const markdown = stringIn(node.data, 'markdown') ?? '';
  const refs = Array.isArray(node.data?.refs) ? (node.data.refs as unknown[]) : [];
  if (refs.length === 0) return markdown;
  const targets = targetsIn(markdown);
  // A client may have changed the text and not the references.
  if (targets.length !== refs.length) return markdown;
  const isDefinition = DEFINITION.test(markdown);
  let result = '';
  let copied = 0;
  targets.forEach(({ start, end, href, syntax }, index) => {
    const ref = asRef(refs[index]);
    const current = ref ? hrefOf(ref) : href;
    // Clients get definitions as they are in the file: links in the text are written without them.
    if (current === href || (ref && isDefinition && current === defaultHref(ref))) return;
    result += markdown.slice(copied, start);
    result += syntax === 'markdown' ? linkTarget(current, undefined) : encodeAttribute(current);
    copied = end;
  });
  return result + markdown.slice(copied);
}
