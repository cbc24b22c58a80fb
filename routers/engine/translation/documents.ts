/** Taking documents apart into texts, and putting their translations in. */

import type { Document } from '../document/document.ts';
import { getDocuments, putDocument } from '../store/documents.ts';
import type { ObjectBuffer } from '../store/objects.ts';
import { mapDocumentTexts, type TextMapping } from './document-texts.ts';
import { extractSegment } from './inline-text.ts';
import { escapeText, hasLetters, unescapeText } from './tagged-text.ts';

/** A text to translate, in the notation, and the runs of words in it, for when its parts cannot be kept. */
export interface SourceText {
  text: string;
  runs: readonly string[];
}

/** Translations by the text in the notation: of whole texts, and of runs of words. */
export type Translations = ReadonlyMap<string, string>;

/** How a plain text, such as a title, is written in the notation; undefined if there is nothing to translate in it. */
export const plainTextSource = (text: string): SourceText | undefined => plainTextSegment(text)?.source;

/** Plain texts are segmented as a paragraph of them would be, so that addresses and placeholders stay. */
function plainTextSegment(text: string) {
  const segment = hasLetters(text)
    ? extractSegment([{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }])
    : undefined;
  return segment && { segment, source: sourceOf(segment) };
}

const sourceOf = ({ text, runs }: SourceText): SourceText => ({ text, runs: runs.map(runSource) });

/** A run of words in the notation. */
const runSource = (run: string): string => escapeText(run.trim());

/** The translation of a plain text; the text itself where there is none. */
export function translatePlainText(text: string, translations: Translations): string {
  const found = plainTextSegment(text);
  if (!found) return text;
  const [node] = translateSegment(found.segment, translations) ?? [];
  return node?.object === 'text' ? node.leaves.map((leaf) => leaf.text).join('') : text;
}

/** Each text of a document that is to be translated, in order. */
export function extractTexts(document: Document): SourceText[] {
  const texts: SourceText[] = [];
  mapDocumentTexts(document, {
    inlines(nodes) {
      const segment = extractSegment(nodes);
      if (segment) texts.push(sourceOf(segment));
      return nodes;
    },
    text(text) {
      const source = plainTextSource(text);
      if (source) texts.push(source);
      return text;
    },
  });
  return texts;
}

/** A document with translations in the place of its texts; texts without one stay. */
export function translateDocument(document: Document, translations: Translations): Document {
  const mapping: TextMapping = {
    inlines(nodes) {
      const segment = extractSegment(nodes);
      return (segment && translateSegment(segment, translations)) ?? nodes;
    },
    text: (text) => translatePlainText(text, translations),
  };
  return mapDocumentTexts(document, mapping);
}

function translateSegment(
  segment: NonNullable<ReturnType<typeof extractSegment>>,
  translations: Translations,
) {
  const whole = translations.get(segment.text);
  const nodes = whole === undefined ? undefined : segment.applyTranslation(whole);
  if (nodes) return nodes;
  const byRun = segment.runs.map((run) => translations.get(runSource(run)));
  if (byRun.every((run) => run === undefined)) return undefined;
  return segment.applyRunTranslations(
    segment.runs.map((run, index) => {
      const translated = byRun[index];
      return translated === undefined ? run : unescapeText(translated);
    }),
  );
}

/** The texts of stored documents, by their hashes. */
export async function segmentDocuments(
  store: ObjectBuffer,
  { documents }: { documents: readonly string[] },
): Promise<[document: string, texts: SourceText[]][]> {
  const found = await getDocuments(store, documents);
  return [...found].map(([hash, document]) => [hash, extractTexts(document)]);
}

/** Puts the translations of stored documents into the store: the hash of each by that of its source. */
export async function translateDocuments(
  store: ObjectBuffer,
  { documents, translations }: { documents: readonly string[]; translations: Translations },
): Promise<[document: string, translated: string][]> {
  const found = await getDocuments(store, documents);
  return [...found].map(([hash, document]) => {
    const translated = translateDocument(document, translations);
    return [hash, translated === document ? hash : putDocument(store, translated)];
  });
}
