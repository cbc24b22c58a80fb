import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { Site } from './site.ts';
import { SiteSection } from './site-section.ts';
import { Space } from './space.ts';

/** A space on a site. */
export const SiteSpace = defineEntity({
  name: 'SiteSpace',
  tableName: 'site_space',
  uniques: [
    { name: 'site_space_once', properties: ['site', 'space'] },
    { name: 'site_space_path', properties: ['section', 'path'] },
  ],
  indexes: [
    { name: 'site_space_order', properties: ['site', 'section', 'position', 'id'] },
    { name: 'site_space_renamed', properties: ['site'], where: `"earlier_paths" <> '{}'` },
    {
      name: 'site_space_root_path',
      expression:
        'create unique index site_space_root_path on site_space (site_id, path) where section_id is null',
    },
    {
      name: 'site_space_default',
      expression: 'create unique index site_space_default on site_space (section_id) where is_default',
    },
    {
      name: 'site_space_root_default',
      expression:
        'create unique index site_space_root_default on site_space (site_id) where is_default and section_id is null',
    },
  ],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    /** The section that it is a variant of; null on a site without sections. */
    section: () => p.manyToOne(SiteSection).mapToPk().nullable().deleteRule('cascade').index(),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').index(),
    /** Derived from the title of its initial space; it stays when that changes. */
    path: p.text(),
    /** The paths that it had before in its section, the last one at the end; none of its siblings there has them. */
    earlierPaths: p.array().default([]),
    /** As in `SiteSection`. */
    condition: p.text().nullable(),
    isDefault: p.boolean().default(false),
    /** Visitors do not see it. */
    draft: p.boolean().default(false),
    /** The settings that differ from those of the site. */
    customization: p.json<Record<string, unknown>>().nullable(),
    /** Fractional position among the site spaces of the same section. */
    position: bytewise(),
    createdAt: createdAt(),
  },
});
export type SiteSpace = InferEntity<typeof SiteSpace>;
