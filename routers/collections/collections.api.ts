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
    object: z.literal('collection').describe('The type of the object: always `collection`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    description: z.string().optional().describe('A short description of its purpose.'),
    organization: z.string().describe('The id of the organization that owns it.'),
    parent: z
      .string()
      .optional()
      .describe('The id of the collection that contains it; absent at the top of the organization.'),
    defaultLevel: DefaultLevelSchema.describe(
      'The default level of members of the organization: a role, `inherit` for the level of the parent, or null for none.',
    ),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
      })
      .describe('The URLs of the object.'),
    permissions: permissionFlags(COLLECTION_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
  })
  .meta({ id: 'Collection', description: 'A folder of spaces and other collections.' });

/** `level` is the caller's level on the collection. */
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
  permissions: permissionsOf(COLLECTION_NEEDS, { level, scope: viewer.scope, role: viewer.role }),
});
