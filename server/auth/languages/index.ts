import { pickLanguage } from '../../../routers/engine/pick-language.ts';
import { acceptedLanguages } from '../../http/accepted-languages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Texts } from './texts.ts';

const LANGUAGES: Record<string, Texts> = { en, de, es, fr, ja };

export interface Language {
  /** As in the `lang` attribute. */
  code: string;
  texts: Texts;
}

/** The preferred supported language of an `Accept-Language` header or a language code; otherwise English. */
export const languageOf = (accepted?: string): Language =>
  pickLanguage(LANGUAGES, acceptedLanguages(accepted)) ?? { code: 'en', texts: en };

/** A time in UTC, as written in the language. */
export const formatTime = ({ code }: Language, time: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(code, { timeZone: 'UTC', ...options }).format(time);
