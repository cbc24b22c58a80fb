import { pickLanguage } from '../../pick-language.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { hi } from './hi.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { no } from './no.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import type { PdfTexts } from './texts.ts';
import { yue } from './yue.ts';
import { zh } from './zh.ts';

/** A text with a value in the place of `{}`. */
export const filledIn = (text: string, value: string): string => text.replace('{}', () => value);

const TEXTS: Readonly<Record<string, PdfTexts>> = {
  ar,
  de,
  en,
  es,
  fr,
  hi,
  it,
  ja,
  ko,
  nl,
  no,
  pl,
  pt,
  ru,
  yue,
  zh,
};

/** The texts in a language, or in English if there is no translation. */
export const textsIn = (language: string | null | undefined): PdfTexts =>
  pickLanguage(TEXTS, [language ?? ''])?.texts ?? en;
