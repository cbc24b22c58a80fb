/** What the service may use to work with languages; `server/` implements it. */

import type { Language, TranslationEngineName } from '../../schema/enums.ts';

/** Texts to translate, in the notation of `engine/translation/notation.ts`. */
interface TranslationRequest {
  texts: readonly string[];
  source: Language;
  target: Language;
  /** What people say about how to translate, as Markdown; empty if they say nothing. */
  instructions: string;
  /** The terms that are in some of the texts, with how they are to be translated. */
  terms: readonly { source: string; target: string }[];
}

/** Translates texts. */
export interface TranslationEngine {
  name: TranslationEngineName;
  /** What stands for it in the translation memory: another model translates otherwise. */
  id: string;
  /** Whether instructions, and terms where they may be inflected, are sent to it. */
  takesInstructions: boolean;
  /** What it takes in one request, and how many requests at once. */
  limits: { texts: number; characters: number; requests: number };
  /**
   * The translation of each text, in order; undefined for those that it gave none for, which may be asked for again.
   * @throws EngineFailure if it cannot be used, also after some attempts
   */
  translate(request: TranslationRequest): Promise<(string | undefined)[]>;
}

/** Why an engine cannot be used: a plain sentence, which users read. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}
