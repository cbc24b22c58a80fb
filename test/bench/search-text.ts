import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Document } from '../../routers/engine/document/document.ts';
import { readPageHead } from '../../routers/engine/import/page-head.ts';
import { decodeText } from '../../routers/engine/import/text.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import type { Analyzer } from '../../routers/engine/search/analyzer.ts';
import { loadAnalyzer } from '../../routers/engine/search/languages.ts';
import { partsOf } from '../../routers/engine/search/sections.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';

export interface SearchPage {
  title: string;
  document: Document;
  /** The size of its text, in bytes of UTF-8. */
  bytes: number;
}

/** What the queries of a bench consist of. */
export interface QueryWords {
  common: string[];
  rare: string[];
  /** Sentences that occur in pages. */
  sentences: string[];
  /** Runs of four Chinese characters that occur in pages. */
  chinese: string[];
}

export interface SearchText {
  pages: AsyncIterable<SearchPage>;
  /** Call it after the last page. */
  queryWords(): QueryWords;
}

/** One page in so many is read for words, and one sentence is taken from one in so many. */
const SAMPLE = 10;
const SENTENCE_SAMPLE = 97;
/** The number of common and of rare words. */
const COMMON = 20;
const RARE = 40;

const WORD = /^[a-z]{5,12}$/;
/** A sentence of prose. */
const SENTENCE = /(?:^|[.!?]\s+)(\p{Lu}[\p{L}\p{N} ,'’-]{30,120})[.?!](?=\s|$)/mu;
const HAN = /\p{Script=Han}{4}/u;

/** The pages of Markdown files in folders. @param most the maximum number of pages */
export function textOfFolders(folders: readonly string[], most: number): SearchText {
  /** The number of pages with each word, among those that were read for words. */
  const frequencies = new Map<string, number>();
  const sentences: string[] = [];
  const chinese = new Set<string>();
  const sample = (analyzer: Analyzer, number: number, text: string) => {
    if (number % SAMPLE > 0) return;
    const words = new Set(analyzer.tokens(text).map(({ word }) => word));
    for (const word of words) if (WORD.test(word)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    const [run] = HAN.exec(text) ?? [];
    if (run !== undefined && chinese.size < RARE) chinese.add(run);
  };
  let stopWords: ReadonlySet<string> = new Set();

  return {
    pages: (async function* () {
      const analyzer = await loadAnalyzer('en');
      stopWords = analyzer.stopWords;
      let number = 0;
      for await (const { title, document } of markdownPages(folders)) {
        const text = partsOf(document)
          .flatMap(({ sections }) => sections.map(({ title, text }) => `${title}\n${text}`))
          .join('\n');
        sample(analyzer, number, text);
        const sentence = number % SENTENCE_SAMPLE === 0 ? SENTENCE.exec(text)?.[1] : undefined;
        if (sentence !== undefined) sentences.push(sentence);
        yield { title, document, bytes: Buffer.byteLength(text) };
        if (++number === most) return;
      }
    })(),
    queryWords() {
      const sorted = [...frequencies].toSorted(([, one], [, other]) => other - one);
      return {
        common: sorted
          .filter(([word]) => !stopWords.has(word))
          .slice(0, COMMON)
          .map(([word]) => word),
        rare: everyNth(
          sorted.filter(([, count]) => count === 2).map(([word]) => word),
          RARE,
        ),
        sentences,
        chinese: [...chinese],
      };
    },
  };
}

async function* markdownPages(
  folders: readonly string[],
): AsyncGenerator<{ title: string; document: Document }> {
  for (const folder of folders) {
    const source = await openFolder(folder);
    for await (const { path } of source.list()) {
      const decoded = extname(path) === '.md' ? decodeText(await readFile(join(folder, path))) : undefined;
      if (!decoded) continue;
      const { attributes, heading, laterHeading, bodyStart } = readPageHead(decoded.text);
      const title = attributes.title || heading || laterHeading || basename(path, '.md');
      yield { title: title.slice(0, 100), document: parseMarkdown(decoded.text.slice(bodyStart)) };
    }
  }
}

/** So many items at equal distances. */
function everyNth<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0).slice(0, count);
}
