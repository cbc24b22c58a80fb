import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { Site } from './site.ts';

/** A secret address of a site: whoever has its key may read the published site. */
export const ShareLink = defineEntity({
  name: 'ShareLink',
  tableName: 'share_link',
  indexes: [{ name: 'share_link_list', properties: ['site', 'id'] }],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    /** Kept as it is, since the address is shown to admins; at least 128 random bits. */
    key: p.text().unique(),
    name: p.text().nullable(),
    active: p.boolean().default(true),
    createdAt: createdAt(),
  },
});
export type ShareLink = InferEntity<typeof ShareLink>;
