import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { Site } from './site.ts';
import { SiteSectionGroup } from './site-section-group.ts';

/** A section of a site: one site space, or several that are variants of each other. */
export const SiteSection = defineEntity({
  name: 'SiteSection',
  tableName: 'site_section',
  uniques: [{ name: 'site_section_path', properties: ['site', 'path'] }],
  indexes: [
    { name: 'site_section_order', properties: ['site', 'group', 'position', 'id'] },
    // A separate index, because `is null` on a column does not let an index supply the order of the next ones.
    { name: 'site_section_root', properties: ['site', 'position', 'id'], where: '"group_id" is null' },
    { name: 'site_section_list', properties: ['site', 'id'] },
    { name: 'site_section_renamed', properties: ['site'], where: `"earlier_paths" <> '{}'` },
    {
      name: 'site_section_default',
      expression: 'create unique index site_section_default on site_section (site_id) where is_default',
    },
  ],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    group: () => p.manyToOne(SiteSectionGroup).mapToPk().nullable().deleteRule('set null').index(),
    title: p.text(),
    description: p.text().nullable(),
    icon: p.text().nullable(),
    /** Derived from the initial title; it stays when the title changes. */
    path: p.text(),
    /** The paths that it had before, the last one at the end; no other section of the site has them here. */
    earlierPaths: p.array().default([]),
    /** An expression over the claims of visitors; readers for whom it is false do not see the section. */
    condition: p.text().nullable(),
    isDefault: p.boolean().default(false),
    /** Visitors see neither the section nor its contents. */
    draft: p.boolean().default(false),
    /** Fractional position among the sections and groups of the same parent. */
    position: bytewise(),
    createdAt: createdAt(),
  },
});
export type SiteSection = InferEntity<typeof SiteSection>;
