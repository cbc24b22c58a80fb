import { pickLanguage } from '../../../routers/engine/pick-language.ts';
import { acceptedLanguages } from '../../http/accepted-languages.ts';
import { type Html, html } from '../../http/html.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { no } from './no.ts';
import { ptBr } from './pt-br.ts';
import { ru } from './ru.ts';
import type { Texts } from './texts.ts';
import { zh } from './zh.ts';

const TEXTS: Record<string, Texts> = { de, en, es, fr, ja, nl, no, 'pt-br': ptBr, ru, zh };

const ENGLISH = { code: 'en', texts: en };

/** Languages written from right to left. */
const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur']);

/** The languages of a page: of its content, and of the interface. */
export interface InterfaceLanguage {
  /** The language of the content, for the `lang` attribute. */
  content: string;
  direction: Direction;
  /** The language of the interface. */
  locale: string;
  texts: Texts;
  /** The `lang` attribute of elements with texts of the interface, if their language is not that of the content. */
  mark: Html | undefined;
}

type Direction = 'ltr' | 'rtl';

export const directionOf = (language: string): Direction =>
  RIGHT_TO_LEFT.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';

/** The interface in the preferred language of a browser; English if there is none in any that it accepts. */
export function acceptedLanguage(header: string | undefined): Pick<InterfaceLanguage, 'locale' | 'texts'> {
  const { code, texts } = pickLanguage(TEXTS, acceptedLanguages(header)) ?? ENGLISH;
  return { locale: code, texts };
}

/** The interface in the language of the site's customization, or if that is the default, English, in the language of the content. */
export function languageFor(locale: string, content: string | undefined): InterfaceLanguage {
  const tags = locale === 'en' && content !== undefined ? [content, locale] : [locale];
  const { code, texts } = pickLanguage(TEXTS, tags) ?? ENGLISH;
  const language = content ?? code;
  return {
    content: language,
    direction: directionOf(language),
    locale: code,
    texts,
    mark: code.split('-')[0] === language.split('-')[0] ? undefined : html` lang="${code}"`,
  };
}
