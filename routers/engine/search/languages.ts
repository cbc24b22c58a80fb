/** The languages of texts: how their words are stemmed, and which of them say nothing alone. */

import { type Analyzer, createAnalyzer, type Language } from './analyzer.ts';
import { fold } from './fold.ts';

type Stemming = () => Promise<{ stemmer(word: string): string }>;
type Stopping = () => Promise<{ stopwords: string[] }>;

/** Loaded on demand: an installation needs few of them. The two packages name their languages alike. */
const SOURCES: Readonly<Record<string, readonly [Stemming | undefined, Stopping | undefined]>> = {
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

/** Words that say nothing alone and that the lists of the package lack: people ask questions with them. */
const FURTHER_STOP_WORDS: Readonly<Record<string, readonly string[]>> = {
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

/** What is written in another language is mostly code and names; English does them least harm. */
const DEFAULT = 'en';

/** Scripts of which most languages have no stemmer, and would be spoiled by that of English. */
const UNSTEMMED: readonly string[] = ['ja', 'zh', 'yue', 'ko', 'th'];

/** Languages whose stemmers take beginnings off. */
const PREFIXING: readonly string[] = ['ar', 'id'];

const loaded = new Map<string, Promise<Analyzer>>();

/** The language that texts are read in: one of those above, `en` for none or those without spaces, else as it is given. */
export function readingLanguage(language: string | null): string {
  if (language === null || UNSTEMMED.includes(language)) return DEFAULT;
  return language === 'pt-br' ? 'pt' : language;
}

/** The analyzer of a language as a space has it. */
export function loadAnalyzer(language: string | null): Promise<Analyzer> {
  const name = readingLanguage(language);
  let analyzer = loaded.get(name);
  if (!analyzer) {
    analyzer = loadLanguage(name).then(createAnalyzer);
    loaded.set(name, analyzer);
  }
  return analyzer;
}

async function loadLanguage(name: string): Promise<Language> {
  const [stemming, stopping] = SOURCES[name] ?? [];
  const [stemmer, stopwords] = await Promise.all([stemming?.(), stopping?.()]);
  return {
    stem: stemmer ? stemmer.stemmer : (word) => word,
    stopWords: new Set([...(stopwords?.stopwords ?? []), ...(FURTHER_STOP_WORDS[name] ?? [])].map(fold)),
    keepsStart: !PREFIXING.includes(name),
  };
}
