import type { ContentRef, Inline, InlineNode, Leaf, Mark } from '../../document/document.ts';
import { asRef, defaultHref, defaultRef } from '../../document/refs.ts';
import { encodeText, parseHtml } from '../html/html.ts';
import { writeLinkTag } from '../html/html-inlines.ts';
import { parseHtmlObject, writeHtmlObject, writeMarkdownEmoji } from '../html/html-objects.ts';
import { writeInlineImage } from '../html/image-tags.ts';
import { distinctMarks, formatOf, stringIn } from '../nodes.ts';
import { NOTE_ANCHOR, needsNoteLink } from '../parse/annotated.ts';
import { lastChar } from '../parse/flanking.ts';
import { breakSpeller, breaksOf, defaultBreak, isLineStart, lineEnd } from '../parse/line-breaks.ts';
import { normalizeReference } from '../parse/parser.ts';
import { writeRaw } from '../parse/raw.ts';
import { isStuckShortcode } from '../parse/shortcodes.ts';
import { codeSpan } from './code-span.ts';
import {
  type DelimiterPlace,
  delimitersOf,
  hoistBlanks,
  nextChar,
  type Piece,
  shared,
  type TextPiece,
} from './delimiters.ts';
import {
  characterSpelling,
  type EscapeContext,
  escapeAlt,
  escapeDefinition,
  escapeLineEnd,
  escapeLineStart,
  escapeText,
} from './escape.ts';
import { isReferenceTo, linkTarget } from './link-target.ts';

/** Where inline content stands; headings and cells are one line. */
export type InlineContainer = 'paragraph' | 'heading' | 'cell';

export type InlineOptions = {
  place: InlineContainer;
  /** How characters are written that could be written otherwise, line breaks among them. */
  spelling?: Record<string, string>;
  nextBreak?: () => string;
  hrefOf?: (ref: ContentRef) => string;
  /** Link definitions of the document by normalized label. */
  definitions: ReadonlyMap<string, { href: string; title: string }>;
  footnotes: boolean;
  /** The content stands between square brackets, not at the beginning of a line. */
  inside?: boolean;
  /** Gives the label under which an annotation's body is written. */
  noteLabel?: (note: Inline) => string;
};

/** Matches one line in which nothing could be read as markup in any context: most text. */
const PLAIN = /^[A-Za-z](?:[^\\`*_[\]<&~$:{!|\r\n\0]*[^\\`*_[\]<&~$:{!|\r\n\0 \t])?$/;

/** Writes inline nodes as Markdown. */
export function writeInlines(nodes: readonly InlineNode[], options: InlineOptions): string {
  const plain = options.spelling ? undefined : plainLine(nodes);
  if (plain !== undefined) return plain;
  const breaks = options.spelling?.['\n'];
  const all =
    breaks === undefined
      ? options
      : { ...options, nextBreak: breakSpeller(breaks, defaultBreak(options.place)) };
  const written = joinPieces(hoistBlanks(piecesOf(nodes, all, 0), all.spelling), all);
  return options.place === 'paragraph' ? escapeDefinition(written) : written;
}

/** The text of nodes that are one plain line without marks. */
function plainLine(nodes: readonly InlineNode[]): string | undefined {
  const only = nodes[0];
  if (nodes.length !== 1 || only?.object !== 'text' || only.leaves.length !== 1) return undefined;
  const leaf = only.leaves[0] as Leaf;
  return leaf.marks.length === 0 && PLAIN.test(leaf.text) ? leaf.text : undefined;
}

/** Flattens nodes, leaving out the marks that already stand around the link they are in. */
function piecesOf(nodes: readonly InlineNode[], options: InlineOptions, outer: number): Piece[] {
  const pieces: Piece[] = [];
  for (const node of nodes) {
    if (node.object === 'inline') {
      const text = writeInline(node, options);
      pieces.push({ kind: 'raw', text, marks: marksAround(node).slice(outer), node });
      continue;
    }
    for (const leaf of node.leaves) {
      if (leaf.text === '') continue;
      const isCode = leaf.marks.length > 0 && leaf.marks.some(isCodeSpan);
      const around = outer === 0 ? leaf.marks : leaf.marks.slice(outer);
      const { text } = leaf;
      if (!isCode) pieces.push({ kind: 'text', text, marks: around, breaks: breaksOf(text, options) });
      else {
        const marks = around.filter((mark) => !isCodeSpan(mark));
        pieces.push({ kind: 'raw', text: inCell(codeSpan(text), options), marks });
      }
    }
  }
  return pieces;
}

/** Whether a mark is code that is written between backticks, not as an element. */
function isCodeSpan(mark: Mark): boolean {
  return mark.type === 'code' && mark.data?.syntax !== 'code';
}

const NO_MARKS: readonly Mark[] = [];

function marksAround(node: Inline): readonly Mark[] {
  return distinctMarks(node.data?.marks);
}

function joinPieces(pieces: readonly Piece[], options: InlineOptions): string {
  const context: EscapeContext = {
    spelling: characterSpelling(options.spelling),
    isLabel: (label) =>
      options.definitions.size > 0 && (label === '' || options.definitions.has(normalizeReference(label))),
    inside: options.inside === true,
    footnotes: options.footnotes,
    cell: options.place === 'cell',
    paragraph: options.place === 'paragraph',
  };
  const open: Mark[] = [];
  const closings: string[] = [];
  let out = '';
  // The end of the output, because reading the end of a string under construction copies all of it.
  let last = options.inside ? '[' : '';
  const emit = (text: string) => {
    out += text;
    if (text !== '') last = text;
  };
  pieces.forEach((piece, index) => {
    const keep = shared(piece.marks, open);
    let closed: string | undefined;
    while (open.length > keep) {
      open.pop();
      closed = closings.pop() ?? '';
      emit(closed);
    }
    for (const mark of piece.marks.length > keep ? piece.marks.slice(keep) : NO_MARKS) {
      const place: DelimiterPlace = {
        pieces,
        index,
        depth: open.length,
        before: lastChar(last),
        closed,
        spelling: options.spelling,
      };
      const [start, end] = delimitersOf(mark, place);
      emit(start);
      open.push(mark);
      closings.push(end);
      closed = undefined;
    }
    if (piece.kind === 'raw') {
      const needsElement =
        isEmoji(piece) &&
        isStuckShortcode(last, nextChar(pieces, index, open, closings), isEmoji(pieces[index + 1]));
      emit(needsElement ? (writeHtmlObject(piece.node as Inline, defaultHref) ?? '') : piece.text);
    } else {
      const after = nextChar(pieces, index, open, closings) ?? (options.inside ? ']' : undefined);
      emit(writeText(piece, last, after, context, options));
    }
  });
  while (closings.length > 0) out += closings.pop();
  return options.place === 'paragraph' || options.inside
    ? out
    : out.replace(/^[ \t]/, entityOf).replace(/[ \t]$/, entityOf);
}

const isEmoji = (piece: Piece | undefined): boolean => piece?.kind === 'raw' && piece.node?.type === 'emoji';

function entityOf(char: string): string {
  return char === '\t' ? '&#x9;' : '&#x20;';
}

/** Text with its line breaks, blanks at line edges kept, and what starts a block escaped. */
function writeText(
  { text, breaks }: TextPiece,
  last: string,
  after: string | undefined,
  context: EscapeContext,
  options: InlineOptions,
): string {
  const atLineStart = isLineStart(last);
  if (options.place === 'cell') {
    let next = 0;
    return escapeText(text, lastChar(last), after, context).replace(/\n/g, () => breaks[next++] ?? '<br>');
  }
  const lines = text.split('\n');
  let out = '';
  // The end of the output, because reading the end of a string under construction copies all of it.
  let end = last;
  const add = (part: string) => {
    out += part;
    if (part !== '') end = part;
  };
  lines.forEach((line, index) => {
    const isLast = index === lines.length - 1;
    const written = breaks[index] ?? '';
    const before = index === 0 ? lastChar(last) : undefined;
    let escaped = escapeText(line, before, isLast ? after : undefined, context);
    if (options.place === 'paragraph') {
      // The end first: whether a line starts a block may depend on what follows it.
      if (isLast ? after === undefined || after === '\n' : written.includes('\n'))
        escaped = escapeLineEnd(escaped);
      const startsLine = index === 0 ? atLineStart : breaks[index - 1]?.includes('\n');
      if (startsLine) escaped = escapeLineStart(escaped, index === 0 && last === '');
    }
    add(escaped);
    if (isLast) return;
    const next = lines[index + 1] || (index < lines.length - 2 ? '\n' : after);
    add(lineEnd(written, end, next));
  });
  return out;
}

function writeInline(node: Inline, options: InlineOptions): string {
  const data = node.data ?? {};
  const format = formatOf(node);
  const ref = asRef(data.ref);
  const href = ref ? (options.hrefOf ?? defaultHref)(ref) : '';
  switch (node.type) {
    case 'markdown': {
      const markdown = writeRaw(node, options.hrefOf ?? defaultHref);
      return options.place === 'paragraph' ? markdown : markdown.replace(/\n/g, ' ');
    }
    case 'link':
      return writeLink(node, href, options);
    case 'mention': {
      if (format.html === true)
        return inCell(writeHtmlObject(node, options.hrefOf ?? defaultHref) ?? '', options);
      const label = plainLabel(stringIn(data, 'text') ?? href);
      return `[${label}](${linkTarget(href, 'mention')})`;
    }
    case 'inline-image':
      return writeImage(node, href, options);
    case 'emoji':
      return writeMarkdownEmoji(node, defaultHref);
    case 'inline-math':
      if (format.html === true) return inCell(writeHtmlObject(node, defaultHref) ?? '', options);
      return inCell(`$$${stringIn(data, 'formula') ?? ''}$$`, options);
    case 'expression':
      return inCell(
        writeExpression(stringIn(data, 'expression') ?? '', stringIn(format, 'markdown')),
        options,
      );
    case 'icon':
    case 'button':
      return inCell(writeHtmlObject(node, options.hrefOf ?? defaultHref) ?? '', options);
    case 'annotation':
      return writeAnnotation(node, options);
    default:
      return inner(node, options);
  }
}

/** The annotated text, in a link if it is several words or was written so, and its footnote. */
function writeAnnotation(node: Inline, options: InlineOptions): string {
  const label = options.noteLabel?.(node) ?? stringIn(node.data, 'label') ?? '1';
  const isLinked = formatOf(node).link ?? needsNoteLink(node.nodes);
  const text = isLinked
    ? writeLink({ ...node, format: {} }, `#${NOTE_ANCHOR}${label}`, options)
    : inner(node, options, marksAround(node).length);
  return `${text}[^${label}]`;
}

function inner(node: Inline, options: InlineOptions, outer = 0): string {
  return joinPieces(hoistBlanks(piecesOf(node.nodes ?? [], options, outer), options.spelling), options);
}

function inCell(markdown: string, options: InlineOptions): string {
  return options.place === 'cell' ? markdown.replace(/\|/g, '\\|') : markdown;
}

function plainLabel(text: string): string {
  return escapeAlt(text);
}

/** An expression as it was written, if that is still the same. */
function writeExpression(expression: string, written: string | undefined): string {
  if (written?.startsWith('{{') && written.slice(2, -2).trim() === expression) return written;
  const [element] = written?.startsWith('<') ? (parseHtml(written) ?? []) : [];
  const object = element?.tag && parseHtmlObject(element, defaultRef);
  if (written !== undefined && object && object.data?.expression === expression) return written;
  return `<code class="expression">${encodeText(expression.replace(/\n/g, ' '))}</code>`;
}

/** The target as it was written, if that is still equivalent. */
function writeTarget(node: Inline, href: string, title: string | undefined, options: InlineOptions): string {
  const written = stringIn(formatOf(node), 'target');
  const target =
    written !== undefined && isReferenceTo(written, href, title) ? written : linkTarget(href, title);
  return inCell(target, options);
}

function writeLink(node: Inline, href: string, options: InlineOptions): string {
  const title = stringIn(node.data, 'title');
  const pieces = hoistBlanks(piecesOf(node.nodes ?? [], options, marksAround(node).length), options.spelling);
  if (formatOf(node).autolink === true && pieces.every(({ marks }) => marks.length === 0)) {
    const text = pieces.map((piece) => piece.text).join('');
    if (text === href || `mailto:${text}` === href) return `<${text}>`;
  }
  if (formatOf(node).html === true) {
    return `${inCell(writeLinkTag(node, options.hrefOf ?? defaultHref), options)}${joinPieces(pieces, { ...options, inside: true })}</a>`;
  }
  const label = joinPieces(pieces, { ...options, inside: true });
  return (
    writeReference(node, label, href, title, options) ??
    `[${label}](${writeTarget(node, href, title, options)})`
  );
}

/** `[text][label]` and its short forms, while the definition is there and says the same. */
function writeReference(
  node: Inline,
  text: string,
  href: string,
  title: string | undefined,
  options: InlineOptions,
): string | undefined {
  const reference = node.data?.reference;
  if (typeof reference !== 'object' || reference === null) return undefined;
  const { kind, label } = reference as { kind?: unknown; label?: unknown };
  const written = kind !== 'full' ? text : typeof label === 'string' ? label : '';
  const definition = options.definitions.get(normalizeReference(written));
  if (!definition || definition.href !== href || (definition.title || undefined) !== title) return undefined;
  if (kind === 'full') return `[${text}][${written}]`;
  return kind === 'collapsed' ? `[${text}][]` : `[${text}]`;
}

function writeImage(node: Inline, href: string, options: InlineOptions): string {
  const data = node.data ?? {};
  if (data.size !== undefined || data.refDark !== undefined || formatOf(node).html === true)
    return inCell(writeInlineImage(node, options.hrefOf ?? defaultHref), options);
  const alt = stringIn(data, 'alt') ?? '';
  const title = stringIn(data, 'caption');
  const written = formatOf(node).alt as { text?: unknown; markdown?: unknown } | undefined;
  const label = inCell(
    written?.text === alt && typeof written.markdown === 'string' ? written.markdown : escapeAlt(alt),
    options,
  );
  return (
    prefixed('!', writeReference(node, label, href, title, options)) ??
    `![${label}](${writeTarget(node, href, title, options)})`
  );
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text;
}
