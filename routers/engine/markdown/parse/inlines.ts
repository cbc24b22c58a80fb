import type { Block, ContentRef, Inline, InlineNode, Mark } from '../../document/document.ts';
import type { RefKind } from '../../document/refs.ts';
import { parseHtml } from '../html/html.ts';
import { htmlLinkOf } from '../html/html-inlines.ts';
import { htmlLink, htmlMark, pairHtmlTags } from '../html/html-marks.ts';
import { parseHtmlObject } from '../html/html-objects.ts';
import { appendText, fragment, leafText, sameMarks, setFormat, textNode, voidInline } from '../nodes.ts';
import { escapeAlt } from '../write/escape.ts';
import { type InlineContainer, type InlineOptions, writeInlines } from '../write/serialize-inlines.ts';
import { needsNoteLink, takeAnnotated, takeNoteLink } from './annotated.ts';
import { findSpelling } from './escape-spelling.ts';
import { addBreakToList, isOfContent, takeSpace } from './inline-attributes.ts';
import { defaultBreak, spellBreaks } from './line-breaks.ts';
import { onlyLinkable } from './link-content.ts';
import { plainText, recordTarget } from './link-spelling.ts';
import { type ParserEnv, type Token, tokenizeInline } from './parser.ts';
import { rawInline } from './raw.ts';
import { codeOfName, nameOfCode } from './shortcodes.ts';

/** State shared in parsing one document. */
export type ParseContext = {
  env: ParserEnv;
  refOf: (href: string, kind: RefKind) => ContentRef;
  hrefOf: (ref: ContentRef) => string;
  definitions: ReadonlyMap<string, { href: string; title: string }>;
  /** Labels of the link definitions that verbatim footnotes refer to. */
  noteLabels: ReadonlySet<string>;
  footnotes: Footnotes;
  /** The names of the components of MDX that the source may use. */
  components: ReadonlySet<string>;
};

/** The footnotes that become annotations. */
export type Footnotes = {
  bodies: ReadonlyMap<string, { blocks: Block[]; length: number }>;
  used: Set<string>;
  /** How many characters of bodies may still be repeated: every annotation has the whole body of its note. */
  room: number;
};

/** Characters that can start anything but plain text. */
const SPECIAL = /[\\`*_[\]<&~$:{!\n]/;

/** The inline nodes of Markdown, and how special characters were spelled where the writer would spell them otherwise. */
export function parseInlines(
  content: string,
  context: ParseContext,
  place: InlineContainer,
): { nodes: InlineNode[]; spelling?: Record<string, string> } {
  if (!SPECIAL.test(content)) return { nodes: [textNode(content)] };
  const tokens = tokenizeInline(content, context.env);
  const { nodes, breaks } = buildNodes(tokens, context, place);
  const breakSpelling = spellBreaks(breaks, defaultBreak(place));
  const known = breakSpelling === undefined ? undefined : { '\n': breakSpelling };
  const spelling = findSpelling(tokens, nodes, content, writeOptions(context, place), known) ?? known;
  return spelling ? { nodes, spelling } : { nodes };
}

/** The options to write what was just parsed, to compare it with its source. */
export function writeOptions(context: ParseContext, place: InlineContainer): InlineOptions {
  return {
    place,
    definitions: context.definitions,
    footnotes: (context.env.footnotes?.size ?? 0) > 0,
    hrefOf: context.hrefOf,
  };
}

const CODE: Mark = { object: 'mark', type: 'code' };

const MARKDOWN_MARKS: Record<string, Mark> = {
  '**': { object: 'mark', type: 'bold' },
  __: { object: 'mark', type: 'bold', data: { syntax: '__' } },
  _: { object: 'mark', type: 'italic' },
  '*': { object: 'mark', type: 'italic', data: { syntax: '*' } },
  '~~': { object: 'mark', type: 'strikethrough' },
};

/** A link being read; `html` is the index of its opening tag if it is an element. */
type LinkFrame = { nodes: InlineNode[]; token: Token; marks: Mark[]; html?: number };

/** The state of turning the flat tokens of one piece of inline content into nodes. */
type Builder = {
  context: ParseContext;
  place: InlineContainer;
  pairs: ReadonlyMap<number, number>;
  nodes: InlineNode[];
  marks: Mark[];
  outerMarks: Mark[][];
  links: LinkFrame[];
  /** Indexes of HTML tags that became marks, whose partners end them. */
  openedTags: Set<number>;
  /** How each line break was written. */
  breaks: string[];
};

/** The nodes of inline tokens, and how their line breaks were written. */
export function buildNodes(
  tokens: readonly Token[],
  context: ParseContext,
  place: InlineContainer,
): Pick<Builder, 'nodes' | 'breaks'> {
  const builder: Builder = {
    context,
    place,
    pairs: pairHtmlTags(tokens),
    nodes: [],
    marks: [],
    outerMarks: [],
    links: [],
    openedTags: new Set(),
    breaks: [],
  };
  tokens.forEach((token, index) => {
    if (token.type === 'attribute_list') addAttributes(builder, tokens, index);
    else add(builder, token, index);
  });
  const { nodes, breaks } = builder;
  return { nodes: nodes.length > 0 ? nodes : [textNode('')], breaks };
}

function add(builder: Builder, token: Token, index: number): void {
  switch (token.type) {
    case 'text':
    case 'text_special':
      appendText(builder.nodes, token.content, builder.marks);
      return;
    case 'code_inline':
      appendText(builder.nodes, token.content, [...builder.marks, CODE]);
      return;
    case 'strong_open':
    case 'em_open':
    case 's_open':
      openMark(builder, MARKDOWN_MARKS[token.markup]);
      return;
    case 'strong_close':
    case 'em_close':
    case 's_close':
      closeMark(builder);
      return;
    case 'softbreak':
    case 'hardbreak':
      addBreak(builder, token.markup === '' ? '\\\n' : token.markup);
      return;
    case 'link_open':
      builder.links.push({ nodes: builder.nodes, token, marks: builder.marks });
      builder.nodes = [];
      return;
    case 'link_close':
      closeLink(builder);
      return;
    case 'image':
      addImage(builder, token);
      return;
    case 'html_inline':
      addHtml(builder, token, index);
      return;
    case 'footnote_ref':
      addFootnote(builder, token);
      return;
    case 'math_inline':
      addVoid(builder, 'inline-math', { formula: token.content });
      return;
    case 'emoji':
      addEmoji(builder, token.content);
      return;
    case 'mdx_comment':
      addVoid(builder, 'markdown', { markdown: token.markup });
      return;
    case 'expression': {
      const node = voidInline('expression', { expression: token.content });
      if (token.markup.startsWith('{')) setFormat(node, 'markdown', token.markup);
      push(builder, node);
      return;
    }
    default:
      addObject(builder, token);
  }
}

function openMark(builder: Builder, mark: Mark | undefined): void {
  builder.outerMarks.push(builder.marks);
  if (mark && !builder.marks.some((active) => active.type === mark.type))
    builder.marks = [...builder.marks, mark];
}

function closeMark(builder: Builder): void {
  builder.marks = builder.outerMarks.pop() ?? [];
}

function addBreak(builder: Builder, written: string): void {
  if (addBreakToList(builder.nodes, written)) return;
  appendText(builder.nodes, '\n', builder.marks);
  builder.breaks.push(written);
}

function addVoid(builder: Builder, type: string, data: Record<string, unknown>): void {
  push(builder, voidInline(type, data));
}

/** Adds an inline. It has no leaves, so the marks around it are kept in its data. */
function push(builder: Builder, node: Inline): void {
  if (builder.marks.length > 0) node.data = { ...node.data, marks: builder.marks };
  builder.nodes.push(node);
}

function addHtml(builder: Builder, token: Token, index: number): void {
  const partner = builder.pairs.get(index);
  const mark = htmlMark(token.content);
  if (partner !== undefined && mark && !builder.marks.some((active) => active.type === mark.type)) {
    builder.openedTags.add(index);
    openMark(builder, mark);
    return;
  }
  if (partner !== undefined && builder.openedTags.has(partner)) {
    if (builder.links.at(-1)?.html === partner) closeHtmlLink(builder);
    else closeMark(builder);
    return;
  }
  if (partner !== undefined && builder.links.length === 0 && htmlLink(token.content)) {
    builder.openedTags.add(index);
    builder.links.push({ nodes: builder.nodes, token, marks: builder.marks, html: index });
    builder.nodes = [];
    return;
  }
  if (/^<br ?\/?>$/.test(token.content)) {
    addBreak(builder, token.content);
    return;
  }
  push(builder, rawInline(token.content, builder.context.refOf));
}

function closeHtmlLink(builder: Builder): void {
  const frame = builder.links.pop();
  if (!frame) return;
  const inside = builder.nodes;
  builder.nodes = frame.nodes;
  const { refOf } = builder.context;
  const element = htmlLink(frame.token.content);
  const nodes = element && onlyLinkable(inside);
  const link = nodes && htmlLinkOf(element, nodes, refOf);
  if (!link) {
    // Its content cannot be in a link, so the tags are kept verbatim.
    push(builder, rawInline(frame.token.content, refOf));
    for (const node of inside) builder.nodes.push(node);
    push(builder, rawInline('</a>', refOf));
    return;
  }
  setFormat(link, 'html', true);
  push(builder, link);
}

function addFootnote(builder: Builder, token: Token): void {
  const { bodies, used } = builder.context.footnotes;
  const label = token.content;
  const body = bodies.get(label);
  if (used.has(label)) builder.context.footnotes.room -= body?.length ?? 0;
  used.add(label);
  if (!body || builder.context.footnotes.room < 0) {
    addRawNote(builder, token);
    return;
  }
  const link = takeNoteLink(builder.nodes, label);
  const nodes = link?.nodes ?? [takeAnnotated(builder.nodes, builder.marks) ?? textNode('')];
  const annotation: Inline = {
    object: 'inline',
    type: 'annotation',
    isVoid: false,
    data: { label },
    nodes,
    fragments: [fragment('annotation-body', body.blocks)],
  };
  if ((link !== undefined) !== needsNoteLink(nodes)) setFormat(annotation, 'link', link !== undefined);
  push(builder, annotation);
}

/** Keeps a footnote verbatim, together with the link around the annotated text. */
function addRawNote(builder: Builder, token: Token): void {
  const link = takeNoteLink(builder.nodes, token.content);
  const text = link ? writeInlines([link], writeOptions(builder.context, builder.place)) : '';
  addVoid(builder, 'markdown', { markdown: text + token.markup });
}

/** Adds the inline object that an element represents, or the element verbatim. */
function addObject(builder: Builder, token: Token): void {
  const { refOf } = builder.context;
  const element = parseHtml(token.markup)?.[0];
  const object = element?.tag === undefined ? undefined : parseHtmlObject(element, refOf);
  if (object?.type === 'expression' && token.markup.includes('\\'))
    setFormat(object, 'markdown', token.markup);
  push(builder, object ?? rawInline(token.markup, refOf));
}

/** Adds an attribute list, of which nothing is shown; as text if it belongs to nothing. */
function addAttributes(builder: Builder, tokens: readonly Token[], index: number): void {
  const { markup } = tokens[index] as Token;
  if (isOfContent(tokens, index, builder.place) && builder.links.length === 0)
    push(builder, voidInline('markdown', { markdown: takeSpace(builder) + markup }));
  else appendText(builder.nodes, markup, builder.marks);
}

function addEmoji(builder: Builder, name: string): void {
  const code = codeOfName(name) ?? '';
  const node = voidInline('emoji', { code });
  if (name !== nameOfCode(code)) setFormat(node, 'name', name);
  push(builder, node);
}

function addImage(builder: Builder, token: Token): void {
  const href = String(token.attrGet('src') ?? '');
  const title = token.attrGet('title');
  const alt = plainText(token.children ?? []);
  const node = voidInline('inline-image', { ref: builder.context.refOf(href, 'image') });
  if (alt !== '') node.data = { ...node.data, alt };
  if (title !== null) node.data = { ...node.data, caption: title };
  if (token.content !== escapeAlt(alt)) setFormat(node, 'alt', { text: alt, markdown: token.content });
  recordTarget(node, token, href, title === null ? undefined : String(title));
  push(builder, node);
}

function closeLink(builder: Builder): void {
  const frame = builder.links.pop();
  if (!frame) return;
  const { token } = frame;
  const nodes = builder.nodes.length > 0 ? builder.nodes : [textNode('')];
  builder.nodes = frame.nodes;
  const href = String(token.attrGet('href') ?? '');
  const title = token.attrGet('title');
  const ref = builder.context.refOf(href, 'link');
  if (title === 'mention' && isPlain(nodes, frame.marks) && token.meta?.label === undefined) {
    addVoid(builder, 'mention', { ref, text: leafText(nodes) });
    return;
  }
  const node: Inline = { object: 'inline', type: 'link', isVoid: false, data: { ref }, nodes };
  if (title !== null) node.data = { ...node.data, title };
  if (token.markup === 'autolink') setFormat(node, 'autolink', true);
  else recordTarget(node, token, href, title === null ? undefined : String(title));
  push(builder, node);
}

function isPlain(nodes: readonly InlineNode[], marks: readonly Mark[]): boolean {
  const only = nodes[0];
  return nodes.length === 1 && only?.object === 'text' && sameMarks(only.leaves[0]?.marks ?? [], marks);
}
