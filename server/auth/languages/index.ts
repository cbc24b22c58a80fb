import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Texts } from './texts.ts';

const LANGUAGES: Record<string, Texts> = { en, de, es, fr, ja };

/** How much of the header is parsed, in characters; browsers send far less. */
const MAX_HEADER = 1000;

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
export function languageOf(accepted = ''): Language {
  const weighted = accepted
    .slice(0, MAX_HEADER)
    .split(',')
    .map((item) => {
      const [code = '', ...parameters] = item.split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { code, weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { code } of weighted) {
    const language = known(code);
    if (language) return language;
  }
  return { code: 'en', texts: en };
}
