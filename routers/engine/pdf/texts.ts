import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { hi } from './languages/hi.ts';
import { it } from './languages/it.ts';
import { ja } from './languages/ja.ts';
import { ko } from './languages/ko.ts';
import { nl } from './languages/nl.ts';
import { no } from './languages/no.ts';
import { pl } from './languages/pl.ts';
import { pt } from './languages/pt.ts';
import { ru } from './languages/ru.ts';
import { yue } from './languages/yue.ts';
import { zh } from './languages/zh.ts';

/** The texts of a PDF besides its content, in the language of the space. */
export interface PdfTexts {
  contents: string;
  changeRequest: string;
  /** The title of a page without one. */
  untitled: string;
  /** Stands for a picture without alternative text, and precedes that of others. */
  picture: string;
  /** Precedes the number of rows of a table that are not shown. */
  moreRows: string;
  tooDeep: string;
  /** Precede a page that is shown as plain text, and stand for one that is left out. */
  plainPage: string;
  missingPage: string;
  /** With `{}` for the name of the integration. */
  integration: string;
  /** In place of the reason, which is known in English only. */
  pictureNotLoaded?: string;
  tooManyPictures: string;
  /** With `{}` for the alternative text of the picture in parentheses, if it has one. */
  pictureProblems: Record<PictureProblem, string>;
}

/** Why a picture is not shown. */
export type PictureProblem = 'missing' | 'unreadable' | 'late' | 'tooLarge' | 'empty';

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
  TEXTS[language?.split('-')[0] ?? ''] ?? en;
