import { extractIssue } from '../../../routers/engine/conversations/extract.ts';
import { parseDescription, parseIssues } from '../../../routers/engine/conversations/model-responses.ts';
import { createAnalyzer } from '../../../routers/engine/search/analyzer.ts';
import { parseQuery } from '../../../routers/engine/search/query.ts';
import { createGlossary, protectTerms } from '../../../routers/engine/translation/glossary.ts';
import { extractSegment } from '../../../routers/engine/translation/inline-text.ts';
import { countWords, parseTranslation } from '../../../routers/engine/translation/tagged-text.ts';
import { extractJson } from '../../../server/language/extract-json.ts';
import { finish } from '../../helpers/finish.ts';
import { repeat, WORDS } from '../decoder-texts.ts';
import type { Decoder } from './decoder.ts';

const UNSTEMMED = createAnalyzer({ stem: (word) => word, stopWords: new Set(), keepsPrefix: true });

/** Decoders of plain texts: of conversations, translations and searches. */
export const TEXT_DECODERS: Record<string, Decoder> = {
  conversations: {
    modules: ['routers/engine/conversations/extract.ts', 'routers/engine/conversations/keywords.ts'],
    decode: (text) => extractIssue({ subject: text.slice(0, 512), messages: [{ role: 'user', body: text }] }),
    hostile: { ...WORDS, tags: repeat('<br '), sentences: repeat('a1. '), replies: repeat('re: ') },
  },
  'answers of models about conversations': {
    modules: ['routers/engine/conversations/model-responses.ts', 'routers/engine/conversations/concepts.ts'],
    decode: (text) => [
      parseIssues({ issues: [{ title: text, summary: text, keywords: text.split(' ') }] }),
      parseDescription({ label: text, summary: text }),
    ],
    hostile: { ...WORDS, sentences: repeat('a1. ') },
  },
  'what a language model writes': {
    modules: ['server/language/extract-json.ts'],
    decode: (text) => [extractJson(text, '['), extractJson(text, '{')],
    hostile: {
      brackets: repeat('['),
      braces: repeat('{'),
      pairs: repeat('[]'),
      objects: repeat('{"a":'),
      texts: repeat('"'),
    },
  },
  'texts to translate': {
    modules: ['routers/engine/translation/inline-text.ts', 'routers/engine/translation/tagged-text.ts'],
    decode: (text) => {
      const found = extractSegment([{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }]);
      parseTranslation(found?.text ?? '', text);
      countWords(text);
    },
    hostile: {
      ...WORDS,
      groups: repeat('<g1>'),
      parts: repeat('<x1/>'),
      ends: repeat('</g1>'),
      entities: repeat('&#1'),
      addresses: repeat('a@b.'),
      expressions: repeat('{{'),
      placeholders: repeat('${'),
      urls: repeat('http://'),
    },
  },
  'terms of a glossary': {
    modules: ['routers/engine/translation/glossary.ts', 'routers/engine/translation/sequence-index.ts'],
    decode: (text) => {
      // As many terms as the text allows, all with its first word.
      const further = Array.from({ length: text.length / 8 }, (_, index) => `${text.slice(0, 2)} ${index}`);
      const sources = ['a a', 'a b', 'a', text.slice(0, 255), ...further];
      return finish(
        protectTerms(text, finish(createGlossary(sources.map((source) => ({ source, target: 'c' }))))),
      );
    },
    // A tag is longer than the shortest term.
    most: 8,
    hostile: { ...WORDS, words: repeat('a '), entities: repeat('&amp;') },
  },
  'search queries': {
    modules: ['routers/engine/search/fold.ts'],
    decode: (text) => parseQuery(UNSTEMMED, text),
    hostile: {
      ...WORDS,
      'quoted letters': (size) => '"a" '.repeat(size / 4),
      quotes: (size) => '"'.repeat(size),
      joiners: (size) => 'a.'.repeat(size / 2),
      humps: (size) => 'aB'.repeat(size / 2),
      minuses: (size) => '-a '.repeat(size / 3),
      'dots in quotes': (size) => `"${'.'.repeat(size)}a"`,
      'pairs of characters': (size) => '漢'.repeat(size),
      marks: (size) => `a${'\u0301'.repeat(size)}`,
    },
    // A phrase is repeated in the output, between spaces.
    most: 20,
  },
};
