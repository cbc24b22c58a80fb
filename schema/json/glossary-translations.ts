/** The terms of a glossary entry by language. */
export type GlossaryTranslations = Record<string, string>;
