import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, updatedAt } from '../columns.ts';
import { DEFAULT_LEVELS } from '../enums.ts';
import { Organization } from './organization.ts';

/** Groups spaces and other collections. */
export const Collection = defineEntity({
  name: 'Collection',
  tableName: 'collection',
  indexes: [
    { name: 'collection_order', properties: ['organization', 'parent', 'position', 'id'] },
    // A separate index, because `is null` on a column does not let an index supply the order of the next ones.
    { name: 'collection_root', properties: ['organization', 'position', 'id'], where: '"parent_id" is null' },
    { name: 'collection_list', properties: ['organization', 'id'] },
    {
      name: 'collection_ancestors',
      expression: 'create index collection_ancestors on collection using gin (ancestors)',
    },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    parent: () => p.manyToOne(Collection).mapToPk().nullable().deleteRule('cascade').index(),
    title: p.text(),
    description: p.text().nullable(),
    /** The level as set; null means no default access. */
    defaultLevel: p.enum(DEFAULT_LEVELS).nullable(),
    /** The nearest level going up that is not `inherit`, or `inherit` for the member's own role. */
    effectiveDefault: p.enum(DEFAULT_LEVELS).nullable(),
    /** The collections above, outermost first, stored so that determining a level needs no recursion. */
    ancestors: p.array().default([]),
    /** Fractional position among the spaces and collections of the same parent. */
    position: bytewise(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Collection = InferEntity<typeof Collection>;
