import type { Block, Document } from '../../routers/engine/document/document.ts';
import type { QueryWords, SearchPage, SearchText } from './search-text.ts';

const SECTIONS = 4;

/** A deterministic generator of numbers from 0 to 1. */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'f',
  'g',
  'h',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', 'n', 'r', 's', 't', 'l', 'm', 'ck', 'nd'];
const ENDINGS = ['', '', '', 's', 'ed', 'ing', 'er', 'ation', 'ly'];

/** Words of two or three syllables with common endings, the most frequent first, for a Zipf distribution. */
function vocabulary(size: number, random: () => number): string[] {
  const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)] as string;
  const words = new Set<string>();
  while (words.size < size) {
    const syllables = Array.from(
      { length: random() < 0.5 ? 2 : 3 },
      () => pick(ONSETS) + pick(VOWELS) + pick(CODAS),
    );
    words.add(syllables.join('') + pick(ENDINGS));
  }
  return [...words];
}

/**
 * Pages of about 3 kB of text in four sections; one in 50 is in Chinese. The words are made up, so none of them is a stop
 * word, and the most frequent are in every page.
 */
export function generatedText(count: number): SearchText {
  const random = randomness(11);
  const words = vocabulary(60_000, random);
  const zipf = () => words[Math.floor(words.length ** random()) - 1] as string;
  const han = () => String.fromCharCode(0x4e00 + Math.floor(3000 ** random()) * 5);
  const sentenceOf = (word: () => string, length: number, space: string) =>
    Array.from({ length: Math.ceil(length * (0.5 + random())) }, word).join(space);
  const queryWords: QueryWords = {
    common: words.slice(5, 25),
    rare: words.slice(30_000, 30_040),
    sentences: [],
    chinese: [],
  };
  const pageOf = (number: number): SearchPage => {
    let bytes = 0;
    const block = (type: string, content: string): Block => {
      bytes += Buffer.byteLength(content);
      return {
        object: 'block',
        type,
        isVoid: false,
        data: {},
        nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: content, marks: [] }] }],
      };
    };
    const isChinese = number % 50 === 0;
    const title = sentenceOf(zipf, 3, ' ');
    const nodes: Block[] = [];
    for (let section = 0; section < SECTIONS; section++) {
      nodes.push(block('heading-1', isChinese ? sentenceOf(han, 6, '') : sentenceOf(zipf, 3, ' ')));
      for (let paragraph = 0; paragraph < 3; paragraph++) {
        const sentences = Array.from({ length: 3 }, () =>
          isChinese ? sentenceOf(han, 25, '') : sentenceOf(zipf, 11, ' '),
        );
        const [sentence = ''] = sentences;
        if (number % 997 === 0) queryWords.sentences.push(sentence);
        if (isChinese && queryWords.chinese.length < 40) queryWords.chinese.push(sentence.slice(0, 4));
        nodes.push(block('paragraph', sentences.join('. ')));
      }
    }
    const document: Document = { object: 'document', data: { schemaVersion: 8 }, nodes };
    return { title, document, bytes };
  };
  return {
    pages: (async function* () {
      for (let number = 0; number < count; number++) yield pageOf(number);
    })(),
    queryWords: () => queryWords,
  };
}
