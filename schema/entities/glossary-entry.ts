import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';
import type { GlossaryTranslations } from '../json/glossary-translations.ts';
import { Organization } from './organization.ts';

/** A term in several languages, which translations within the organization must use. */
export const GlossaryEntry = defineEntity({
  name: 'GlossaryEntry',
  tableName: 'glossary_entry',
  indexes: [{ name: 'glossary_entry_list', properties: ['organization', 'id'] }],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    translations: p.json<GlossaryTranslations>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type GlossaryEntry = InferEntity<typeof GlossaryEntry>;
