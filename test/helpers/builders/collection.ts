import { createCollection } from '../../../routers/collections/collections.operation.ts';
import type { DefaultLevel } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildOrganization } from './organization.ts';
import { endOf } from './place.ts';

interface CollectionOptions {
  title?: string;
  parent?: string;
  defaultLevel?: DefaultLevel | null;
}

/** A collection at the end of a parent, given by id, or of the root of the organization. */
export async function buildCollection(
  database: DatabaseHandle,
  organizationId?: string,
  { title = 'Collection', parent, defaultLevel }: CollectionOptions = {},
): Promise<{ id: string }> {
  const organization = organizationId ?? (await buildOrganization(database)).id;
  return database.transaction(async (em) => {
    const place = await endOf(em, organization, parent);
    const collection = createCollection(em, { ...place, title, defaultLevel });
    await em.flush();
    return { id: collection.id };
  });
}
