import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, timestamp } from '../columns.ts';
import { Organization } from './organization.ts';

/** The translation memory of an organization: texts that were translated once are not translated again. */
export const TranslatedText = defineEntity({
  name: 'TranslatedText',
  tableName: 'translated_text',
  primaryKeys: ['organization', 'hash'],
  indexes: [{ name: 'translated_text_retention', properties: ['usedAt'] }],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** SHA-256 of the text and of all else that its translation depends on: languages, engine, instructions, terms. */
    hash: bytewise().primary(),
    translation: p.text(),
    createdAt: createdAt(),
    /** When a run last used it, to the day. */
    usedAt: timestamp().defaultRaw('now()'),
  },
});
export type TranslatedText = InferEntity<typeof TranslatedText>;
