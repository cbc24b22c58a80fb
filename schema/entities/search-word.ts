import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/** A word of a search index, for matching by prefix and with typing errors. */
export const SearchWord = defineEntity({
  name: 'SearchWord',
  tableName: 'search_word',
  primaryKeys: ['organization', 'word', 'term'],
  indexes: [
    {
      name: 'search_word_reversed',
      expression:
        'create index search_word_reversed on search_word (organization_id, (reverse(word) collate "C"))',
    },
  ],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The word as it is written, case-folded. */
    word: bytewise().primary(),
    /** The term that the word is indexed as. */
    term: bytewise().primary(),
    /** The number of documents it occurred in. */
    frequency: p.integer(),
  },
});
export type SearchWord = InferEntity<typeof SearchWord>;
