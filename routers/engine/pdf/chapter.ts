import type { Block, Document } from '../document/document.ts';
import { plainText } from '../document/readers.ts';
import { refLabelsIn } from '../document/ref-labels.ts';
import { type AnchorTitles, anchorAliases, anchorTitles, titledAnchorsIn } from '../links/anchor-titles.ts';
import { foldAnchor } from '../links/document-links.ts';
import { truncate } from '../text.ts';
import { layOutBlocks } from './blocks.ts';
import { textsIn } from './languages/index.ts';
import type { BlockLayout } from './layout.ts';
import type { BookPlace, Chapter, Inline, Node } from './nodes.ts';
import type { Targets } from './targets.ts';
import { breakable, cleanLine, directionOverride } from './text.ts';

/** A page of the space to be laid out in a book. */
export interface SourcePage {
  id: string;
  /** From 0. */
  depth: number;
  title: string;
  emoji?: string;
  description?: string;
  type: 'document' | 'group';
}

export interface BookLayout extends Pick<BlockLayout, 'specOf' | 'texts' | 'direction'> {
  targets: Targets;
  /** The language of the content; null if it is not known. */
  language: string | null;
  /** The ids of all pages of the book. */
  pages: ReadonlySet<string>;
}

/** Maximum level of a heading. */
const MAX_LEVEL = 6;

/** Maximum length of a page that is typeset as plain text, in characters. */
const MAX_PLAIN = 500_000;

/** A page that has been laid out, with other places that links may lead to, and the anchors that are meant. */
export interface LaidOutPage {
  chapter: Chapter;
  aliases: [alias: BookPlace, anchor: BookPlace][];
}

/** Lays out a page. */
export function layOutChapter(
  page: SourcePage,
  document: Document | undefined,
  book: BookLayout,
): LaidOutPage {
  const anchors = new Set<string>();
  const pictures = new Set<string>();
  let titles: AnchorTitles | undefined;
  const layout: BlockLayout = {
    ...book,
    locale: book.language ?? 'en',
    labels: refLabelsIn(book.language),
    notices: textsIn(book.language),
    page: page.id,
    titleOfAnchor(anchor) {
      titles ??= anchorTitles(titledAnchorsIn(document ?? { nodes: [] }));
      return titles(anchor);
    },
    showPicture: (file) => void pictures.add(file),
    layOutNote: (blocks: readonly Block[]) => layOutBlocks(blocks, layout, { depth: 9, isNote: true }),
    layOut: (nodes, place) => layOutBlocks(nodes, layout, place),
    claimAnchor(anchor) {
      const place = `${page.id}#${anchor}`;
      if (anchors.has(place)) return undefined;
      anchors.add(place);
      return place;
    },
  };
  const c = withLevels(layOutBlocks(document?.nodes ?? [], layout, { depth: 0 }), levelOf(page));
  const aliases = [...anchorAliases(titledAnchorsIn(document ?? { nodes: [] }))].flatMap(
    ([alias, anchor]): LaidOutPage['aliases'] => {
      const place = `${page.id}#${anchor}`;
      return anchors.has(place) ? [[`${page.id}#${alias}`, place]] : [];
    },
  );
  const chapter = { ...headOf(page, book), c, anchors: [...anchors], pictures: [...pictures] };
  return { chapter, aliases };
}

const levelOf = ({ depth }: SourcePage): number => Math.min(depth + 1, MAX_LEVEL - 3);

function headOf(page: SourcePage, book: BookLayout): Omit<Chapter, 'c' | 'anchors' | 'pictures'> {
  const name = truncate(cleanLine(page.title), 500) || textsIn(book.language).untitled;
  const title: Inline[] = [breakable(page.emoji ? `${page.emoji} ${name}` : name, 24)];
  return {
    id: page.id,
    level: levelOf(page),
    title,
    name: breakable(name),
    description: breakable(truncate(cleanLine(page.description ?? ''), 2000)),
    isPart: page.type === 'group',
    ...directionOverride(`${name} ${page.description ?? ''}`, book),
  };
}

/** Adjusts the levels of headings: below that of the page, and none more than one level below the previous one. */
function withLevels(nodes: readonly Node[], above: number): Node[] {
  let last = above;
  return nodes.map((node) => {
    if (node.t !== 'heading') return node;
    last = Math.min(MAX_LEVEL, above + node.level, last + 1);
    return { ...node, level: last };
  });
}

/**
 * Lays out a page that could not be typeset normally: its plain text as paragraphs, with a note, or only the note. Its
 * anchors lead to its title.
 */
export function plainChapter(
  page: SourcePage,
  document: Document | undefined,
  book: BookLayout,
  { withText }: { withText: boolean },
): Chapter {
  const { anchors } = layOutChapter(page, document, book).chapter;
  const text = withText ? plainText(document?.nodes ?? []) : '';
  const lines = text.slice(0, MAX_PLAIN).split('\n');
  const { plainPage, missingPage } = textsIn(book.language);
  const note: Node = { t: 'note', s: withText ? plainPage : missingPage };
  const c = lines.flatMap((line): Node[] => {
    const shown = breakable(cleanLine(line));
    return shown === '' ? [] : [{ t: 'p', c: [shown], ...directionOverride(shown, book) }];
  });
  return { ...headOf(page, book), c: [note, ...c], anchors, pictures: [] };
}

/** The places of a book by what links may lead to them with. */
export type Places = ReadonlyMap<string, BookPlace>;

/** Removes links to places that are not in the book; links to missing anchors lead to the page. */
export function withoutDeadLinks(chapter: Chapter, places: Places): Chapter {
  return { ...chapter, c: dropDeadLinks(chapter.c, places) as Node[] };
}

function dropDeadLinks(value: unknown, places: Places): unknown {
  if (Array.isArray(value)) return value.map((entry) => dropDeadLinks(entry, places));
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(node)) {
    if (name !== 'to') result[name] = typeof member === 'object' ? dropDeadLinks(member, places) : member;
    else if (typeof member === 'string') {
      const [page = '', anchor] = member.split(/#(.*)/s, 2);
      const alias = anchor === undefined ? undefined : places.get(`${page}#${foldAnchor(anchor)}`);
      // guard: pdf-link-places
      const place = places.get(member) ?? alias ?? places.get(page);
      if (place !== undefined) result.to = place;
    }
  }
  return result;
}
