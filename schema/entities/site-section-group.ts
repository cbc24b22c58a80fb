import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { Site } from './site.ts';

/** Groups sections of a site, and other groups. */
export const SiteSectionGroup = defineEntity({
  name: 'SiteSectionGroup',
  tableName: 'site_section_group',
  indexes: [
    { name: 'site_section_group_order', properties: ['site', 'parent', 'position', 'id'] },
    // A separate index, because `is null` on a column does not let an index supply the order of the next ones.
    { name: 'site_section_group_root', properties: ['site', 'position', 'id'], where: '"parent_id" is null' },
    { name: 'site_section_group_list', properties: ['site', 'id'] },
  ],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    parent: () => p.manyToOne(SiteSectionGroup).mapToPk().nullable().deleteRule('cascade').index(),
    title: p.text(),
    icon: p.text().nullable(),
    /** Visitors see neither the group nor its contents. */
    draft: p.boolean().default(false),
    /** Fractional position among the sections and groups of the same parent. */
    position: bytewise(),
    createdAt: createdAt(),
  },
});
export type SiteSectionGroup = InferEntity<typeof SiteSectionGroup>;
