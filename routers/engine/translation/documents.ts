/** Extracts the texts to translate from documents, and applies their translations. */

import type { Document } from '../document/document.ts';
import { getDocuments, putDocument } from '../store/documents.ts';
import type { ObjectBuffer } from '../store/objects.ts';
import { mapDocumentTexts, type TextMapping } from './document-texts.ts';
import { extractSegment } from './inline-text.ts';
import { escapeText, hasLetters, unescapeText } from './tagged-text.ts';

/** A text to translate, as tagged text, and its runs of plain text, as a fallback if a translation loses tags. */
export interface SourceText {
  text: string;
  runs: readonly string[];
}

/** Translations by source, both as tagged text: of whole texts, and of runs. */
export type Translations = ReadonlyMap<string, string>;

/** A plain text, such as a title, as tagged text; undefined if there is nothing to translate in it. */
export const plainTextSource = (text: string): SourceText | undefined => plainTextSegment(text)?.source;

/** Treats a plain text as a paragraph, so that URLs and placeholders in it are preserved. */
function plainTextSegment(text: string) {
  const segment = hasLetters(text)
    ? extractSegment([{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }])
    : undefined;
  return segment && { segment, source: sourceOf(segment) };
}

const sourceOf = ({ text, runs }: SourceText): SourceText => ({ text, runs: runs.map(runSource) });

/** A run as tagged text. */
const runSource = (run: string): string => escapeText(run.trim());

/** Returns the translation of a plain text, or the text itself if it has none. */
export function translatePlainText(text: string, translations: Translations): string {
  const found = plainTextSegment(text);
  if (!found) return text;
  const [node] = translateSegment(found.segment, translations) ?? [];
  return node?.object === 'text' ? node.leaves.map((leaf) => leaf.text).join('') : text;
}

/** Returns the translatable texts of a document, in order. */
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

/** Returns a document with its texts translated; texts without a translation stay. */
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

/** Extracts the texts of stored documents, by hash. */
export async function segmentDocuments(
  store: ObjectBuffer,
  { documents }: { documents: readonly string[] },
): Promise<[document: string, texts: SourceText[]][]> {
  const found = await getDocuments(store, documents);
  return [...found].map(([hash, document]) => [hash, extractTexts(document)]);
}

/** Translates stored documents and stores the results; returns the hash of each source with that of its translation. */
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
