import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp, updatedAt } from '../columns.ts';
import { DEFAULT_LEVELS, EDIT_MODES, LANGUAGES, VISIBILITIES } from '../enums.ts';
import type { SpaceMergeRules } from '../json/merge-rules.ts';
import { Collection } from './collection.ts';
import { Organization } from './organization.ts';
import { Revision } from './revision.ts';

/** A container of versioned documentation content. */
export const Space = defineEntity({
  name: 'Space',
  tableName: 'space',
  indexes: [
    {
      name: 'space_order',
      properties: ['organization', 'parent', 'position', 'id'],
      where: '"deleted_at" is null',
    },
    // A separate index, because `is null` on a column does not let an index supply the order of the next ones.
    {
      name: 'space_root',
      properties: ['organization', 'position', 'id'],
      where: '"parent_id" is null and "deleted_at" is null',
    },
    { name: 'space_list', properties: ['organization', 'id'], where: '"deleted_at" is null' },
    { name: 'space_deleted', properties: ['deletedAt'], where: '"deleted_at" is not null' },
    { name: 'space_ancestors', expression: 'create index space_ancestors on space using gin (ancestors)' },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** The parent collection. For a deleted space, the nearest one that still exists, where it can be restored. */
    parent: () => p.manyToOne(Collection).mapToPk().nullable().deleteRule('set null').index(),
    title: p.text(),
    emoji: p.text(),
    /** URL of an image to show instead of the emoji. */
    icon: p.text().nullable(),
    visibility: p.enum(VISIBILITIES),
    editMode: p.enum(EDIT_MODES).default('live'),
    language: p.enum(LANGUAGES).nullable(),
    mergeRules: p.json<SpaceMergeRules>(),
    /** As in `Collection`. */
    defaultLevel: p.enum(DEFAULT_LEVELS).nullable(),
    effectiveDefault: p.enum(DEFAULT_LEVELS).nullable(),
    ancestors: p.array().default([]),
    position: bytewise(),
    /** The active revision. */
    revision: () => p.manyToOne(Revision).mapToPk().deferMode('deferred').index(),
    /** Counts of the space's objects, updated in the transaction that changes them. */
    comments: p.integer().default(0),
    changeRequests: p.integer().default(0),
    changeRequestsOpen: p.integer().default(0),
    changeRequestsDraft: p.integer().default(0),
    deletedAt: timestamp().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type Space = InferEntity<typeof Space>;
