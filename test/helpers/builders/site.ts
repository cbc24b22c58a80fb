import { Site } from '../../../schema/entities/site.ts';
import { SiteSection } from '../../../schema/entities/site-section.ts';
import { SiteSpace } from '../../../schema/entities/site-space.ts';
import type { SITE_VISIBILITIES } from '../../../schema/enums.ts';
import { newId } from '../../../schema/ids.ts';
import type { DatabaseHandle } from '../../../server/database.ts';

interface GivenSite {
  title?: string;
  basename?: string;
  proxyOrigin?: string;
  visibility?: (typeof SITE_VISIBILITIES)[number];
  authFallbackUrl?: string;
  published?: boolean;
}

/** A published site without content. */
export function buildSite(
  database: DatabaseHandle,
  organization: string,
  { title = 'Site', published = true, ...given }: GivenSite = {},
): Promise<{ id: string }> {
  return database.transaction(async (em) => {
    const site = em.create(Site, { id: newId(), organization, title, published, ...given });
    await em.flush();
    return { id: site.id };
  });
}

interface GivenSection {
  path: string;
  isDefault?: boolean;
  condition?: string;
}

/** A section at the end of a site. */
export function buildSection(
  database: DatabaseHandle,
  site: string,
  { path, isDefault = false, condition }: GivenSection,
): Promise<{ id: string }> {
  return database.transaction(async (em) => {
    const id = newId();
    em.create(SiteSection, { id, site, title: path, path, isDefault, condition, position: id });
    await em.flush();
    return { id };
  });
}

interface GivenSiteSpace extends GivenSection {
  space: string;
  section?: string;
}

/** A space at the end of a site or section. */
export function buildSiteSpace(
  database: DatabaseHandle,
  site: string,
  { path, space, section, isDefault = false, condition }: GivenSiteSpace,
): Promise<{ id: string }> {
  return database.transaction(async (em) => {
    const id = newId();
    em.create(SiteSpace, { id, site, section, space, path, isDefault, condition, position: id });
    await em.flush();
    return { id };
  });
}
