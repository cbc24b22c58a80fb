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

const known = (code: string): Language | undefined => {
  const base = code.trim().toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(LANGUAGES, base) ? { code: base, texts: LANGUAGES[base] as Texts } : undefined;
};

/** The preferred supported language of an `Accept-Language` header or a language code; otherwise English. */
export function languageOf(accepted?: string): Language {
  for (const code of acceptedLanguages(accepted)) {
    const language = known(code);
    if (language) return language;
  }
  return { code: 'en', texts: en };
}
