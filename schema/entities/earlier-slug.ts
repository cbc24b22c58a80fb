import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';
import { Space } from './space.ts';

/**
 * A slug that a page of a space had below a parent, before the active revision was changed. Paths are found slug by slug, so
 * one row is enough for all pages below a renamed one.
 */
export const EarlierSlug = defineEntity({
  name: 'EarlierSlug',
  tableName: 'earlier_slug',
  primaryKeys: ['space', 'parent', 'slug', 'page'],
  properties: {
    space: () => p.manyToOne(Space).mapToPk().primary().deleteRule('cascade'),
    /** Id of the parent, which may be deleted; empty at the top level. */
    parent: bytewise().primary(),
    slug: bytewise().primary(),
    /** Id of the page, which may be deleted. */
    page: bytewise().primary(),
    /** The condition that the page had: who could not see it there does not learn that it was there. */
    condition: p.text().nullable(),
    changedAt: timestamp(),
  },
});
export type EarlierSlug = InferEntity<typeof EarlierSlug>;
