/** How unknown Markdown is published: clients draw nothing for a type that they do not know. */

import type { Block, ContentRef, Document, Inline, InlineNode, Mark, Text } from '../../document/document.ts';
import { isUnshown } from '../../document/mdx-comments.ts';
import { labelOf } from '../../document/refs.ts';
import { decodeEntities } from '../html/html.ts';
import { buttonOf } from '../html/html-objects.ts';
import {
  block,
  distinctMarks,
  fragment,
  inlinesOf,
  stringIn,
  textNode,
  voidBlock,
  voidInline,
} from '../nodes.ts';
import { type LinkDefinitions, readDocument } from '../parse/parse-document.ts';
import { mediaIn, refsByUrl, resolveIn } from '../parse/raw.ts';
import { walkBlocks } from '../walk.ts';
import { legacyApiPart } from './legacy-api.ts';
import { componentIn } from './raw-components.ts';
import { embedded, type PlacedBlock, partsInHtml } from './raw-html.ts';
import { tableIn } from './raw-tables.ts';

/** The definition of a link or footnote, which is shown where it is referenced. */
const DEFINITION = /^\s{0,3}\[[^\]\n]*\]:/;
const NOTE_DEFINITION = /^ {0,3}\[\^([^\]\s]+)\]:[ \t]*/;
/** A footnote, after the link around the annotated text if there is one. */
const NOTE = /^(?:\[([^\n]*)\]\(#user-content-fn-[^()\s]*\))?\[\^([^\]\s]+)\]$/;
/** A reference to a footnote in HTML, around the annotated text. */
const NOTE_LINK = /^<a data-footnote-ref href="#user-content-fn-([^"\s]+)">([^<]*)<\/a>$/;
/** Tags that earlier versions stored verbatim, and that are known now. */
const UNDERSTOOD = /^\{% *(?:updates|prompt)\b/;

/** Characters of footnotes that may be repeated in a document, where its footnotes together are not longer. */
const MIN_REPEATED = 10_000;

/** A raw block as blocks of published types, of which the first has its key; unchanged if it has nothing to show. */
export function publishedRawBlock(node: Block): readonly Block[] {
  const [first, ...others] = shownBlocksIn(node) ?? [publishedRawPart(node)];
  return first ? [keyedAs(node, first), ...others] : [];
}

/** The blocks that a raw block of HTML, or of a component of MDX, is shown as; undefined for others. */
export function shownBlocksIn(node: Block): Block[] | undefined {
  const parts = htmlPartsIn(node);
  if (parts) return parts.map(({ block: part }) => part);
  const component = node.type === 'markdown' ? componentIn(markdownOf(node), resolveIn(node)) : undefined;
  return component && [component];
}

/** The blocks that raw HTML is shown as, with their places in it; undefined for other blocks. */
export function htmlPartsIn(node: Block): PlacedBlock[] | undefined {
  const markdown = node.type === 'markdown' ? markdownOf(node) : '';
  const showsSomething =
    isElement(markdown) && !NAMESAKE.test(markdown) && (wordsIn(markdown) !== '' || WORDLESS.test(markdown));
  return showsSomething ? partsInHtml(markdown, resolveIn(node)) : undefined;
}

/** A component that has the name of an element of HTML. */
const NAMESAKE = /^\s*<Aside[\s>]/;

/** Elements that are shown though they have no words. */
const WORDLESS = /<(?:hr|video|audio)[\s/>]/i;

const isElement = (markdown: string): boolean => markdown.trimStart().startsWith('<');

const keyedAs = ({ key }: Block, made: Block): Block => (key === undefined ? made : { ...made, key });

/** A raw block that is not shown as HTML. */
function publishedRawPart(node: Block): Block {
  const markdown = markdownOf(node);
  if (UNDERSTOOD.test(markdown)) {
    const [only, ...others] = readDocument(markdown, resolveIn(node)).document.nodes;
    if (only && only.type !== 'markdown' && others.length === 0) return only;
  }
  if (DEFINITION.test(markdown) || isUnshown(markdown)) return node;
  const apiPart = legacyApiPart(markdown);
  if (apiPart) return apiPart;
  const table = tableIn(markdown, resolveIn(node));
  if (table) return table;
  if (wordsIn(markdown) !== '') {
    const lines = markdown.split('\n').map((line) => block('code-line', [textNode(line)], {}));
    return block('code', lines, { syntax: isElement(markdown) ? 'html' : 'markdown' });
  }
  const media = mediaIn(node);
  const images = media.filter(({ kind }) => kind === 'image');
  if (images.length > 0) {
    const nodes = images.map(({ ref, alt }) => voidBlock('image', { ref, ...(alt && { alt }) }, []));
    return block('images', nodes, {});
  }
  return embedded(media[0]?.ref) ?? node;
}

/** The same for an inline. */
export function publishedRawInline(node: Inline, noteOf: (label: string) => Block[] | undefined): InlineNode {
  const markdown = markdownOf(node);
  if (isUnshown(markdown)) return node;
  const marks = distinctMarks(node.data?.marks);
  const marked = (made: Inline): Inline =>
    marks.length > 0 ? { ...made, data: { ...made.data, marks: [...marks] } } : made;
  const annotated = annotatedIn(markdown, marks);
  const note = annotated && noteOf(annotated.label);
  if (annotated && note && note.length > 0) {
    const fragments = [fragment('annotation-body', note)];
    return marked({
      object: 'inline',
      type: 'annotation',
      isVoid: false,
      nodes: [annotated.text],
      fragments,
    });
  }
  if (annotated) return annotated.text;
  const button = buttonOf(markdown);
  if (button) return marked(button);
  const link = playerLink(node, marks);
  if (link) return marked(link);
  const words = wordsIn(markdown);
  if (words !== '') return textNode(words, [...marks]);
  const [image] = mediaIn(node).filter(({ kind }) => kind === 'image');
  if (!image) return node;
  return marked(voidInline('inline-image', { ref: image.ref, ...(image.alt && { alt: image.alt }) }));
}

/** The tags of a video or sound among text. */
const PLAYER = /^<(?:video|audio|source)\s[^<>]*\bsrc\s*=/i;

/** A link to a video or sound among text, where a block cannot be; undefined for other inlines. */
function playerLink(node: Inline, marks: readonly Mark[]): Inline | undefined {
  const markdown = markdownOf(node);
  const [media] = /^<(?:video|audio)[\s>]/i.test(markdown) || PLAYER.test(markdown) ? mediaIn(node) : [];
  if (media?.kind !== 'frame') return undefined;
  const nodes = [textNode(labelOf(media.href), [...marks])];
  return { object: 'inline', type: 'link', isVoid: false, data: { ref: media.ref }, nodes };
}

/** The label of a footnote, and the text that it belongs to; if that is not known, the label in superscript. */
function annotatedIn(markdown: string, marks: readonly Mark[]): { label: string; text: Text } | undefined {
  const [, inHtml, inElement = ''] = NOTE_LINK.exec(markdown) ?? [];
  if (inHtml !== undefined) return { label: inHtml, text: textNode(decodeEntities(inElement), [...marks]) };
  const [, linked, label] = NOTE.exec(markdown) ?? [];
  if (label === undefined) return undefined;
  const [paragraph] = linked === undefined ? [] : readDocument(linked, undefined).document.nodes;
  const leaves = inlinesOf(paragraph?.nodes).flatMap((node) => (node.object === 'text' ? node.leaves : []));
  const text: Text = { object: 'text', leaves };
  return { label, text: leaves.length > 0 ? text : textNode(label, [...marks, SUPERSCRIPT]) };
}

const SUPERSCRIPT: Mark = { object: 'mark', type: 'superscript' };

const markdownOf = (node: Block | Inline): string => stringIn(node.data, 'markdown') ?? '';

/** The text of unknown Markdown, without tags and comments. */
function wordsIn(markdown: string): string {
  const text = withoutComments(markdown).replace(/\{%[^%]*%\}|<\/?[A-Za-z!?][^<>]*>/g, ' ');
  return decodeEntities(text).replace(/\s+/g, ' ').trim();
}

function withoutComments(markdown: string): string {
  let result = '';
  let position = 0;
  for (;;) {
    const start = markdown.indexOf('<!--', position);
    const end = start < 0 ? -1 : markdown.indexOf('-->', start);
    if (end < 0) return result + markdown.slice(position);
    result += markdown.slice(position, start);
    position = end + 3;
  }
}

/**
 * The bodies of the footnotes in a document, as they were written. Returns a function that makes, for each part of the document
 * that is published, one that finds them by label and does not repeat long ones often. The document is searched once.
 */
export function rawNotes(document: Document): () => (label: string) => Block[] | undefined {
  let bodies: Map<string, { source: Block; blocks?: Block[] }> | undefined;
  let links: Links | undefined;
  let most = 0;
  const find = () => {
    const found = definitionsIn(document);
    most = found.reduce((sum, [, source]) => sum + markdownOf(source).length, 0);
    return new Map(found.map(([name, source]) => [name, { source }]));
  };
  return () => {
    let room: number | undefined;
    const given = new Set<string>();
    return (label) => {
      bodies ??= find();
      room ??= Math.max(MIN_REPEATED, most);
      const body = bodies.get(label);
      if (!body) return undefined;
      if (given.has(label)) room -= markdownOf(body.source).length;
      if (room < 0) return undefined;
      given.add(label);
      links ??= linksIn(document);
      body.blocks ??= readNote(body.source, links);
      return body.blocks;
    };
  };
}

function definitionsIn(document: Document): [string, Block][] {
  const found: [string, Block][] = [];
  walkBlocks(document.nodes, (node) => {
    const label = node.type === 'markdown' ? NOTE_DEFINITION.exec(markdownOf(node))?.[1] : undefined;
    if (label !== undefined) found.push([label, node]);
  });
  // Of two with one label, the first counts.
  return found.reverse();
}

/** The link definitions of a document, and the references of their URLs. */
interface Links {
  definitions: LinkDefinitions;
  refs: Map<string, ContentRef>;
}

function linksIn(document: Document): Links {
  const links: Links = { definitions: {}, refs: new Map() };
  walkBlocks(document.nodes, (node) => {
    const label = node.type === 'markdown' ? stringIn(node.data, 'label') : undefined;
    // Of two with one label, the first counts.
    if (label === undefined || Object.hasOwn(links.definitions, label)) return;
    const href = stringIn(node.data, 'href') ?? '';
    links.definitions[label] = { href, title: stringIn(node.data, 'title') ?? '' };
    if (Array.isArray(node.data?.refs)) for (const [url, ref] of refsByUrl(node)) links.refs.set(url, ref);
  });
  return links;
}

function readNote(node: Block, { definitions, refs }: Links): Block[] {
  const source = markdownOf(node)
    .replace(NOTE_DEFINITION, '')
    .replace(/^(?: {4}|\t)/gm, '');
  const refOf = resolveIn(node);
  return readDocument(source, (href) => refOf(href) ?? refs.get(href), definitions).document.nodes;
}
