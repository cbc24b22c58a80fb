import { createGlossary, protectTerms } from '../routers/engine/translation/glossary.ts';
import { pseudoTranslate } from '../routers/engine/translation/pseudo.ts';
import type { TranslationEngine } from '../routers/language-ports.ts';

/** Shows which texts would be translated, and sends none anywhere. */
export const pseudoEngine: TranslationEngine = {
  name: 'pseudo',
  id: 'pseudo 1',
  takesInstructions: false,
  limits: { texts: 2000, characters: 200_000, requests: 1 },
  async translate({ texts, terms }) {
    const glossary = createGlossary(terms);
    return texts.map((text) => {
      const { text: sent, restore } = protectTerms(text, glossary);
      return restore(pseudoTranslate(sent));
    });
  },
};
