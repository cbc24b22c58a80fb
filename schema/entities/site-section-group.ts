import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { Site } from './site.ts';

/** Groups sections of a site, and other groups. */
export const SiteSectionGroup = defineEntity({
  name: 'SiteSectionGroup',
  tableName: 'site_section_group',
  indexes: [
    { name: 'site_section_group_order', properties: ['site', 'parent', 'position', 'id'] },
    // A separate index: an index gives no order after a column that is null.
    { name: 'site_section_group_root', properties: ['site', 'position', 'id'], where: '"parent_id" is null' },
    { name: 'site_section_group_list', properties: ['site', 'id'] },
  ],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    parent: () => p.manyToOne(SiteSectionGroup).mapToPk().nullable().deleteRule('cascade').index(),
    title: p.text(),
    icon: p.text().nullable(),
    /** Visitors do not see it and what is in it. */
    draft: p.boolean().default(false),
    /** Fractional position among the sections and groups of the same parent. */
    position: bytewise(),
    createdAt: createdAt(),
  },
});
export type SiteSectionGroup = InferEntity<typeof SiteSectionGroup>;
