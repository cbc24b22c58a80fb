/** The supported languages, with their stemmers and stop words. */

import { type Analyzer, createAnalyzer, type Language } from './analyzer.ts';
import { fold } from './fold.ts';

type StemmerImport = () => Promise<{ stemmer(word: string): string }>;
type StopWordsImport = () => Promise<{ stopwords: string[] }>;

/** Loaded on demand: an installation needs few of them. */
const IMPORTS: Readonly<Record<string, readonly [StemmerImport | undefined, StopWordsImport | undefined]>> = {
  ar: [() => import('@orama/stemmers/arabic'), () => import('@orama/stopwords/arabic')],
  bg: [() => import('@orama/stemmers/bulgarian'), () => import('@orama/stopwords/bulgarian')],
  da: [() => import('@orama/stemmers/danish'), () => import('@orama/stopwords/danish')],
  de: [() => import('@orama/stemmers/german'), () => import('@orama/stopwords/german')],
  el: [() => import('@orama/stemmers/greek'), () => import('@orama/stopwords/greek')],
  en: [() => import('@orama/stemmers/english'), () => import('@orama/stopwords/english')],
  es: [() => import('@orama/stemmers/spanish'), () => import('@orama/stopwords/spanish')],
  fi: [() => import('@orama/stemmers/finnish'), () => import('@orama/stopwords/finnish')],
  fr: [() => import('@orama/stemmers/french'), () => import('@orama/stopwords/french')],
  hi: [() => import('@orama/stemmers/indian'), () => import('@orama/stopwords/indian')],
  hu: [() => import('@orama/stemmers/hungarian'), () => import('@orama/stopwords/hungarian')],
  id: [() => import('@orama/stemmers/indonesian'), () => import('@orama/stopwords/indonesian')],
  it: [() => import('@orama/stemmers/italian'), () => import('@orama/stopwords/italian')],
  lt: [() => import('@orama/stemmers/lithuanian'), () => import('@orama/stopwords/lithuanian')],
  nl: [() => import('@orama/stemmers/dutch'), () => import('@orama/stopwords/dutch')],
  no: [() => import('@orama/stemmers/norwegian'), () => import('@orama/stopwords/norwegian')],
  pt: [() => import('@orama/stemmers/portuguese'), () => import('@orama/stopwords/portuguese')],
  ro: [() => import('@orama/stemmers/romanian'), () => import('@orama/stopwords/romanian')],
  ru: [() => import('@orama/stemmers/russian'), () => import('@orama/stopwords/russian')],
  sv: [() => import('@orama/stemmers/swedish'), () => import('@orama/stopwords/swedish')],
  tr: [() => import('@orama/stemmers/turkish'), () => import('@orama/stopwords/turkish')],
  uk: [() => import('@orama/stemmers/ukrainian'), () => import('@orama/stopwords/ukrainian')],
};

/** Stop words that the lists of the package lack; people use them in questions. */
const ADDITIONAL_STOP_WORDS: Readonly<Record<string, readonly string[]>> = {
  da: ['hvad', 'hvilken', 'hvor', 'hvordan', 'hvorfor', 'hvornår', 'mellem', 'uden'],
  de: ['seit', 'wann', 'warum', 'womit', 'wozu'],
  en: ['a'],
  fi: ['ilman', 'miten', 'milloin'],
  fr: ['comment', 'depuis', 'entre', 'où', 'quand', 'sous', 'vers'],
  it: ['cosa', 'quando', 'senza'],
  nl: ['tussen', 'waar', 'waarom', 'wanneer', 'welke'],
  pt: ['desde', 'onde', 'porque'],
  ru: ['почему'],
  uk: ['без', 'де', 'між', 'чому', 'що'],
};

/** For spaces without a language or with one of those below. Latin words there are mostly code and names, which English harms least. */
const DEFAULT_LANGUAGE = 'en';

/** Languages without a stemmer, in scripts that English stemming does not affect. */
const UNSTEMMED: readonly string[] = ['ja', 'zh', 'yue', 'ko', 'th'];

/** Languages whose stemmers strip prefixes. */
const PREFIXING: readonly string[] = ['ar', 'id'];

const analyzers = new Map<string, Promise<Analyzer>>();

/** The name of the analyzer for the language of a space. Words of a language without a stemmer stay as they are. */
export function analyzerName(language: string | null): string {
  if (language === null || UNSTEMMED.includes(language)) return DEFAULT_LANGUAGE;
  return language === 'pt-br' ? 'pt' : language;
}

/** Loads the analyzer for the language of a space. */
export function loadAnalyzer(language: string | null): Promise<Analyzer> {
  const name = analyzerName(language);
  let analyzer = analyzers.get(name);
  if (!analyzer) {
    analyzer = loadLanguage(name).then(createAnalyzer);
    analyzers.set(name, analyzer);
  }
  return analyzer;
}

async function loadLanguage(name: string): Promise<Language> {
  const [importStemmer, importStopWords] = IMPORTS[name] ?? [];
  const [stemmer, stopwords] = await Promise.all([importStemmer?.(), importStopWords?.()]);
  return {
    stem: stemmer ? stemmer.stemmer : (word) => word,
    stopWords: new Set([...(stopwords?.stopwords ?? []), ...(ADDITIONAL_STOP_WORDS[name] ?? [])].map(fold)),
    keepsPrefix: !PREFIXING.includes(name),
  };
}
