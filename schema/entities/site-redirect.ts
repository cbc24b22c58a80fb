import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import type { RedirectDestination } from '../json/redirect-destination.ts';
import { Site } from './site.ts';
import { Space } from './space.ts';

/** A redirect from a path of a site. */
export const SiteRedirect = defineEntity({
  name: 'SiteRedirect',
  tableName: 'site_redirect',
  uniques: [{ name: 'site_redirect_source', properties: ['site', 'source'] }],
  indexes: [{ name: 'site_redirect_list', properties: ['site', 'id'] }],
  properties: {
    id: id(),
    site: () => p.manyToOne(Site).mapToPk().deleteRule('cascade'),
    source: p.text(),
    destination: p.json<RedirectDestination>(),
    /** The space that it was imported with; null if a user created or changed it. */
    importedWith: () => p.manyToOne(Space).mapToPk().nullable().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type SiteRedirect = InferEntity<typeof SiteRedirect>;
