import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from '../../routers/engine/document/document.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { type BookSource, FILES } from '../../server/pdf/files.ts';
import { typesetBook } from '../../server/pdf/typesetter.ts';
import { readPdfFile } from './outline.ts';

export const documentOf = (markdown: string): Document => published(parseMarkdown(markdown));

/** Typesets pages, given as documents by title, in a folder with the files that they refer to. */
export async function typeset(
  folder: string,
  documents: Record<string, Document>,
  {
    limits,
    part,
    template,
    ...more
  }: Partial<BookSource> & Pick<Parameters<typeof typesetBook>[1], 'limits' | 'part' | 'template'> = {},
) {
  const pages = await Promise.all(
    Object.entries(documents).map(async ([title, document], index) => {
      await writeFile(join(folder, `d-${index}`), JSON.stringify(document));
      return { id: `p${index}`, depth: 0, title, type: 'document' as const, file: `d-${index}` };
    }),
  );
  const source: BookSource = {
    title: 'Book #1 *not* <markup>',
    subtitle: '',
    author: '#panic()',
    description: '',
    date: '1 January 2026',
    time: 0,
    language: null,
    accent: '#346ddb',
    texts: { contents: 'Contents' },
    isSingle: false,
    pages,
    targets: [],
    files: [],
    ...more,
  };
  await writeFile(join(folder, FILES.source), JSON.stringify(source));
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  const made = await typesetBook(folder, {
    ...options,
    ...(limits && { limits }),
    ...(part && { part }),
    ...(template && { template }),
  });
  return { ...made, file: await readPdfFile(await readFile(made.path)) };
}
