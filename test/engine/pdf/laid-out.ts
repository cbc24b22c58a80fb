import type { Document } from '../../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { type BookLayout, layOutChapter } from '../../../routers/engine/pdf/chapter.ts';
import type { Chapter } from '../../../routers/engine/pdf/nodes.ts';
import type { Target } from '../../../routers/engine/pdf/targets.ts';
import { en } from '../../../server/pages/languages/en.ts';

export const PAGE = { id: 'page', depth: 0, title: 'Title', type: 'document' } as const;

export const documentOf = (markdown: string): Document => published(parseMarkdown(markdown));

export const bookOf = (more: Partial<BookLayout>): BookLayout => ({
  targets: new Map(),
  pages: new Set(),
  direction: 'ltr',
  language: null,
  specOf: () => undefined,
  texts: en,
  ...more,
});

export function layOut(source: string | Document, targets: [string, Target][] = []): Chapter {
  const document = typeof source === 'string' ? documentOf(source) : source;
  const pages = new Set(['page', 'other']);
  return layOutChapter(PAGE, document, bookOf({ targets: new Map(targets), pages })).chapter;
}

/** All values of a field in nodes. */
export function all(value: unknown, field: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => [
    ...(name === field ? [entry] : []),
    ...all(entry, field),
  ]);
}
