import { hostnameOf } from '../../../routers/addresses/hostnames.ts';
import { createSiteSpace } from '../../../routers/sites/structure/site-spaces.operation.ts';
import { Site } from '../../../schema/entities/site.ts';
import { SiteProxy } from '../../../schema/entities/site-proxy.ts';
import { SiteSection } from '../../../schema/entities/site-section.ts';
import { SiteSpace } from '../../../schema/entities/site-space.ts';
import { Space } from '../../../schema/entities/space.ts';
import type { DefaultLevel, SITE_VISIBILITIES } from '../../../schema/enums.ts';
import { newId } from '../../../schema/ids.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildOrganization } from './organization.ts';

interface SiteOptions {
  title?: string;
  /** Ids of the spaces on the site, in order; the first one is the default. */
  spaces?: string[];
  basename?: string;
  proxyOrigin?: string;
  visibility?: (typeof SITE_VISIBILITIES)[number];
  authFallbackUrl?: string;
  defaultLevel?: DefaultLevel | null;
  published?: boolean;
}

/** A site, published by default. */
export async function buildSite(
  database: DatabaseHandle,
  organizationId?: string,
  {
    title = 'Site',
    published = true,
    defaultLevel = 'inherit',
    spaces = [],
    proxyOrigin,
    ...given
  }: SiteOptions = {},
): Promise<{ id: string }> {
  const organization = organizationId ?? (await buildOrganization(database)).id;
  return database.transaction(async (em) => {
    const site = em.create(Site, { id: newId(), organization, title, published, defaultLevel, ...given });
    if (proxyOrigin !== undefined)
      em.create(SiteProxy, {
        site: site.id,
        organization,
        hostname: hostnameOf(proxyOrigin),
        origin: proxyOrigin,
        isActive: true,
      });
    await em.flush();
    for (const id of spaces) {
      const space = await em.findOneOrFail(Space, id);
      await createSiteSpace(em, site.id, null, { id, title: space.title });
    }
    return { id: site.id };
  });
}

interface SectionOptions {
  path: string;
  isDefault?: boolean;
  condition?: string;
}

/** A section at the end of a site. */
export function buildSection(
  database: DatabaseHandle,
  site: string,
  { path, isDefault = false, condition }: SectionOptions,
): Promise<{ id: string }> {
  return database.transaction(async (em) => {
    const id = newId();
    em.create(SiteSection, { id, site, title: path, path, isDefault, condition, position: id });
    await em.flush();
    return { id };
  });
}

interface SiteSpaceOptions extends SectionOptions {
  space: string;
  section?: string;
}

/** A space at the end of a site or section. */
export function buildSiteSpace(
  database: DatabaseHandle,
  site: string,
  { path, space, section, isDefault = false, condition }: SiteSpaceOptions,
): Promise<{ id: string }> {
  return database.transaction(async (em) => {
    const id = newId();
    em.create(SiteSpace, { id, site, section, space, path, isDefault, condition, position: id });
    await em.flush();
    return { id };
  });
}
