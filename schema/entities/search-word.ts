import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/** A word of a search index, to find words by their beginning, and those that differ by an edit. */
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
    /** Folded, as it is written. */
    word: bytewise().primary(),
    /** What the index has it under. */
    term: bytewise().primary(),
    /** In how many documents it was. */
    frequency: p.integer(),
  },
});
export type SearchWord = InferEntity<typeof SearchWord>;
