/** The terms of a glossary entry by their language. */
export type GlossaryTranslations = Record<string, string>;
