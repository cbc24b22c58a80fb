/** Translates the content of a space: the same pages with translated texts. */

import type { ObjectBuffer, ObjectReader } from '../store/objects.ts';
import { type Difference, diffMaps } from '../store/ordered-map-diff.ts';
import { updateMap } from '../store/ordered-map-update.ts';
import {
  asPage,
  type PageRecord,
  type ReusableContentRecord,
  type Root,
  readRoot,
} from '../store/records.ts';
import { firstCharacters } from '../text.ts';
import { type Translations, translatePlainText } from './documents.ts';

/** Content to translate: all of a root, or only what changed since an earlier root that has a translation. */
export interface ContentToTranslate {
  /** Hash of the root. */
  source: string;
  before?: { source: string; translation: string } | undefined;
}

/** What has to be translated of the changed pages and reusable contents. */
export interface ChangedContent {
  /** Number of changed pages. */
  pages: number;
  /** How many of them the earlier translation does not have. */
  newPages: number;
  /** Hashes of documents, without duplicates. */
  documents: string[];
  /** Titles and descriptions, without duplicates. */
  texts: string[];
}

/** The fields of a page that readers see. */
const TRANSLATED_FIELDS = ['title', 'description', 'linkTitle'] as const;

async function diffContent(reader: ObjectReader, { source, before }: ContentToTranslate) {
  const root = await readRoot(reader, source);
  const old: Pick<Root, 'pages' | 'reusableContents'> = before
    ? await readRoot(reader, before.source)
    : { pages: null, reusableContents: null };
  const pages = await diffMaps(reader, old.pages, root.pages);
  const contents = await diffMaps(reader, old.reusableContents, root.reusableContents);
  return { root, pages, contents };
}

/** Finds what has to be translated of the content under a root. */
export async function findChangedContent(
  store: ObjectBuffer,
  content: ContentToTranslate,
): Promise<ChangedContent> {
  const { pages, contents } = await diffContent(store, content);
  const documents = new Set<string>();
  const texts = new Set<string>();
  let changed = 0;
  let added = 0;
  for (const { before, after } of pages) {
    const page = asPage(after);
    if (!page) continue;
    changed++;
    if (!before) added++;
    if (page.document !== undefined) documents.add(page.document);
    for (const field of TRANSLATED_FIELDS) if (page[field]) texts.add(page[field]);
  }
  for (const { after } of contents) {
    const reusable = after as ReusableContentRecord | undefined;
    if (!reusable) continue;
    documents.add(reusable.document);
    texts.add(reusable.title);
  }
  return { pages: changed, newPages: added, documents: [...documents], texts: [...texts] };
}

/** The translated documents, by the hash of their source, and the translations of plain texts. */
export interface TranslatedTexts {
  documents: ReadonlyMap<string, string>;
  texts: Translations;
}

/**
 * Stores the translation of the content under a root and returns the hash of its root. Translated pages have the ids,
 * places and slugs of their sources, so they follow when these change, move or are deleted.
 */
export async function translateContent(
  store: ObjectBuffer,
  { documents, texts, ...content }: ContentToTranslate & TranslatedTexts,
): Promise<string> {
  const { root, pages, contents } = await diffContent(store, content);
  const translated = content.before && (await readRoot(store, content.before.translation));
  // A translation may be longer than its source.
  const translateField = (text: string, field: keyof typeof MAX_LENGTHS) =>
    firstCharacters(translatePlainText(text, texts), Math.max(MAX_LENGTHS[field], text.length));
  const translatePage = (page: PageRecord): PageRecord => {
    const read = TRANSLATED_FIELDS.flatMap((field) => {
      const text = page[field];
      return text ? [[field, translateField(text, field)]] : [];
    });
    return { ...page, ...Object.fromEntries(read), ...documentOf(page) };
  };
  const documentOf = ({ document }: { document?: string }) =>
    document === undefined ? {} : { document: documents.get(document) ?? document };
  const translateReusable = (reusable: ReusableContentRecord): ReusableContentRecord => ({
    ...reusable,
    title: translateField(reusable.title, 'title'),
    document: documents.get(reusable.document) ?? reusable.document,
  });
  return store.put('root', {
    ...root,
    pages: await updateMap(store, translated?.pages ?? null, valuesOf(pages, translatePage)),
    reusableContents: await updateMap(
      store,
      translated?.reusableContents ?? null,
      valuesOf(contents, translateReusable),
    ),
  });
}

const valuesOf = <Record extends PageRecord | ReusableContentRecord>(
  differences: readonly Difference[],
  translate: (record: Record) => Record,
) => new Map(differences.map(({ key, after }) => [key, after && translate(after as Record)]));

/** Maximum lengths of the fields, in code points. */
const MAX_LENGTHS = { title: 200, linkTitle: 200, description: 2000 } as const;
