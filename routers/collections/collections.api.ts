import { z } from 'zod';
import type { Collection } from '../../schema/entities/collection.ts';
import type { Role } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { COLLECTION_NEEDS, permissionFlags, permissionsOf } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { DefaultLevelSchema } from '../base/common-schemas.ts';

/** The public object of a collection. */
export const CollectionObject = z
  .object({
    object: z.literal('collection'),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    organization: z.string(),
    parent: z.string().optional(),
    defaultLevel: DefaultLevelSchema,
    urls: z.object({ location: z.string(), app: z.string() }),
    permissions: permissionFlags(COLLECTION_NEEDS),
  })
  .meta({ id: 'Collection' });

/** `level` is the caller's on the collection. */
export const presentCollection = (
  collection: Presentable<Collection>,
  level: Role | null,
  viewer: Viewer,
): z.infer<typeof CollectionObject> => ({
  object: 'collection',
  id: collection.id,
  title: collection.title,
  description: collection.description ?? undefined,
  organization: collection.organization,
  parent: collection.parent ?? undefined,
  defaultLevel: collection.defaultLevel ?? null,
  urls: {
    location: viewer.urls.location('collections', collection.id),
    app: viewer.urls.app('collections', collection.id),
  },
  permissions: permissionsOf(COLLECTION_NEEDS, { level, scope: viewer.scope }),
});
