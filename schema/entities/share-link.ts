import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { Site } from './site.ts';

/** A secret link to a site: anyone with its key may read the published site. */
export const ShareLink = defineEntity({
  name: 'ShareLink',
  tableName: 'share_link',
  indexes: [{ name: 'share_link_list', properties: ['site', 'id'] }],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    /** Not hashed, because admins are shown the link; at least 128 random bits. */
    key: p.text().unique(),
    name: p.text().nullable(),
    active: p.boolean().default(true),
    createdAt: createdAt(),
  },
});
export type ShareLink = InferEntity<typeof ShareLink>;
