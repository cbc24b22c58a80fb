import { createSite } from '../../../routers/sites/sites.operation.ts';
import { Space } from '../../../schema/entities/space.ts';
import type { DatabaseHandle } from '../../../server/database.ts';
import { buildOrganization } from './organization.ts';

interface GivenSite {
  title?: string;
  /** Ids of spaces, in their order. */
  spaces?: string[];
  visibility?: 'public' | 'unlisted' | 'share-link' | 'visitor-auth';
  published?: boolean;
}

/** A site, unpublished unless it says otherwise. */
export async function buildSite(
  database: DatabaseHandle,
  organizationId?: string,
  { title = 'Docs', spaces = [], visibility, published = false }: GivenSite = {},
): Promise<{ id: string }> {
  const organization = organizationId ?? (await buildOrganization(database)).id;
  return database.transaction(async (em) => {
    const found = await em.find(Space, spaces);
    const ordered = spaces.map((id) => found.find((space) => space.id === id) as Space);
    const site = await createSite(em, { organization, title, visibility, spaces: ordered });
    site.published = published;
    return { id: site.id };
  });
}
