import { partsOf } from '../document/bare-urls.ts';
import type {
  Block,
  BlockNode,
  ContentRef,
  Fragment,
  Leaf,
  Inline as StoredInline,
} from '../document/document.ts';
import type { RefLabels } from '../document/ref-labels.ts';
import { asRef, defaultHref, labelOf } from '../document/refs.ts';
import { parseEmoji } from '../emoji.ts';
import type { AnchorTitles } from '../links/anchor-titles.ts';
import type { PdfTexts } from './languages/texts.ts';
import type { BookPlace, Inline, Node, Run } from './nodes.ts';
import { refKey, type Target, type Targets } from './targets.ts';
import { breakable, cleanLine, cleanText, printedHref } from './text.ts';

/** The context for laying out a page. */
export interface PageLayout {
  /** The id of the page, to which anchors without a page belong. */
  page: string;
  targets: Targets;
  /** The ids of the pages in the book. */
  pages: ReadonlySet<string>;
  /** The language of the content, for numbers and dates. */
  locale: string;
  /** The titles of the anchors on the page. */
  titleOfAnchor: AnchorTitles;
  /** The labels of targets without a known title. */
  labels: RefLabels;
  /** What the PDF says about the content. */
  notices: PdfTexts;
  /** Registers a picture that the page shows. */
  showPicture(file: string): void;
  /** Lays out the blocks of a footnote. */
  layOutNote(blocks: readonly Block[]): Node[];
}

const MARKS: Readonly<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  code: 'c',
  strikethrough: 'x',
  keyboard: 'k',
  superscript: '^',
  subscript: '_',
};

/** Maximum word length in code, whose characters are wider. */
const MAX_CODE_WORD = 24;

export interface InlineOptions {
  /** Maximum length of a word before it may break. */
  maxWord?: number | undefined;
  /** Whether the inlines are running text, in which URLs are links. */
  isProse?: boolean;
  /** Whether the inlines are in a link. */
  isLinked?: boolean;
  /** Whether the inlines are in a footnote. */
  isNote?: boolean;
}

/** Lays out the inlines among nodes. */
export function layOutInlines(
  nodes: readonly BlockNode[],
  layout: PageLayout,
  options: InlineOptions = {},
): Inline[] {
  const result: Inline[] = [];
  for (const node of nodes) {
    if (node.object === 'text') for (const leaf of node.leaves) addLeaf(result, leaf, options);
    else if (node.object === 'inline')
      for (const made of layOutInline(node, layout, options)) result.push(made);
  }
  return result;
}

function addLeaf(
  result: Inline[],
  { text, marks }: Leaf,
  { maxWord, isProse, isLinked }: InlineOptions,
): void {
  const letters = [...new Set(marks.flatMap(({ type }) => MARKS[type] ?? []))].join('');
  const color = marks.find(({ type }) => type === 'color')?.data;
  const fg = colorIn(color?.text);
  const bg = colorIn(color?.background);
  const isCode = letters.includes('c');
  const width = isCode ? Math.min(MAX_CODE_WORD, maxWord ?? MAX_CODE_WORD) : maxWord;
  const runOf = (part: string): Inline => {
    const s = breakable(part, width);
    const isPlain = letters === '' && fg === undefined && bg === undefined;
    return isPlain ? s : ({ t: 'run', s, m: letters, ...(fg && { fg }), ...(bg && { bg }) } satisfies Run);
  };
  const hasLinks = isProse && !isLinked && !isCode && !letters.includes('k');
  const lines = cleanText(text).replaceAll('\t', ' ').split('\n');
  lines.forEach((line, index) => {
    if (index > 0) result.push({ t: 'break' });
    if (line === '') return;
    for (const part of hasLinks ? partsOf(line) : [{ text: line }]) {
      const href = part.href === undefined ? undefined : printedHref(part.href);
      const run = runOf(part.text);
      result.push(href === undefined ? run : { t: 'link', href, c: [run] });
    }
  });
}

const colorIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== 'default' && /^\$?[a-z]+$/.test(value)
    ? value.replace('$', '')
    : undefined;

function layOutInline(node: StoredInline, layout: PageLayout, options: InlineOptions): Inline[] {
  const data = node.data ?? {};
  const text = (name: string) => (typeof data[name] === 'string' ? cleanText(data[name]) : '');
  const inside = (more: InlineOptions = {}) =>
    layOutInlines(node.nodes ?? [], layout, { ...options, ...more });
  switch (node.type) {
    case 'link': {
      const c = inside({ isLinked: true });
      const link = options.isLinked ? {} : linkTo(asRef(data.ref), layout);
      return 'to' in link || 'href' in link ? [{ t: 'link', ...link, c }] : c;
    }
    case 'mention': {
      const ref = asRef(data.ref);
      const label = text('text') || titleOf(ref, layout);
      const link = options.isLinked ? {} : linkTo(ref, layout);
      const c = [ref?.kind === 'user' ? `@${label.replace(/^@/, '')}` : label];
      return 'to' in link || 'href' in link ? [{ t: 'link', ...link, c }] : c;
    }
    case 'button': {
      const link = linkTo(asRef(data.ref), layout);
      return [
        { t: 'button', ...link, c: [cleanLine(text('label')) || ' '], primary: data.kind !== 'secondary' },
      ];
    }
    case 'emoji':
      return [parseEmoji(text('code')) ?? ''];
    case 'inline-math':
      return [{ t: 'math', f: text('formula') }];
    case 'expression':
      return [{ t: 'run', s: breakable(`{{ ${cleanLine(text('expression'))} }}`, MAX_CODE_WORD), m: 'c' }];
    case 'inline-image': {
      const file = pictureOf(asRef(data.ref), layout);
      const alt = cleanLine(text('alt'));
      if (file === undefined) return [missingPicture(alt, layout)];
      return [{ t: 'picture', picture: file, alt, line: data.size !== 'original' }];
    }
    case 'annotation': {
      const c = inside();
      const body = (node.fragments ?? []).flatMap((fragment: Fragment) => fragment.nodes);
      if (body.every(isBlank) || options.isNote) return c;
      return [...c, { t: 'footnote', c: layout.layOutNote(body) }];
    }
    case 'icon':
    case 'markdown':
      return [];
    default:
      return inside();
  }
}

const isBlank = ({ type, nodes = [] }: Block): boolean =>
  type === 'paragraph' &&
  nodes.every((node) => node.object === 'text' && node.leaves.every(({ text }) => text === ''));

/** Resolves a reference to a place in the book or a URL; neither if it leads nowhere. */
export function linkTo(ref: ContentRef | undefined, layout: PageLayout): { to?: BookPlace; href?: string } {
  if (!ref) return {};
  const target = targetOf(ref, layout);
  const page = target.page;
  if (page !== undefined && layout.pages.has(page))
    return { to: target.anchor === undefined ? page : `${page}#${target.anchor}` };
  const href = target.href === undefined ? undefined : printedHref(target.href);
  return href === undefined ? {} : { href };
}

/** The target of a reference: a URL, an anchor on the same page, or what was looked up. */
export function targetOf(ref: ContentRef, { targets, page }: PageLayout): Target {
  if (ref.kind === 'url') return { ...targets.get(refKey(ref)), href: ref.url };
  if (ref.kind === 'anchor' && ref.page === undefined && ref.space === undefined)
    return { page, anchor: ref.anchor };
  return targets.get(refKey(ref)) ?? {};
}

/** The title of a target, for use in text. */
export function titleOf(ref: ContentRef | undefined, layout: PageLayout): string {
  if (!ref) return '';
  const isOnPage = ref.kind === 'anchor' && ref.page === undefined;
  const title =
    (isOnPage ? layout.titleOfAnchor(ref.anchor) : targetOf(ref, layout).title) ??
    (ref.kind === 'url' ? labelOf(ref.url) : layout.labels[ref.kind]);
  return breakable(cleanLine(title || defaultHref(ref)));
}

/** The file of a picture; undefined if it is not available. */
export function pictureOf(ref: ContentRef | undefined, layout: PageLayout): string | undefined {
  const file = ref && targetOf(ref, layout).file;
  if (file !== undefined) layout.showPicture(file);
  return file;
}

/** The text in place of a picture that is not available. */
const missingPicture = (alt: string, { notices }: PageLayout): Run => ({
  t: 'run',
  s: breakable(alt === '' ? `[${notices.picture}]` : `[${notices.picture}: ${alt}]`),
  m: 'i',
});

/** The plain text of inlines. */
export function inlineText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (typeof inline === 'string') return inline;
      if (inline.t === 'run') return inline.s;
      if (inline.t === 'break') return ' ';
      if (inline.t === 'math') return inline.f;
      return inline.t === 'link' || inline.t === 'button' ? inlineText(inline.c) : '';
    })
    .join('');
}

/** Makes an inline bold. */
export function toBold(inline: Inline): Inline {
  if (typeof inline === 'string') return { t: 'run', s: inline, m: 'b' };
  if (inline.t === 'run') return { ...inline, m: `${inline.m}b` };
  return inline.t === 'link' ? { ...inline, c: inline.c.map(toBold) } : inline;
}
