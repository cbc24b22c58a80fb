import { Collection } from '../../schema/entities/collection.ts';
import { Invite } from '../../schema/entities/invite.ts';
import { Space } from '../../schema/entities/space.ts';
import { columnsOf, columnsUnder, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import { presentCollection } from '../collections/collections.api.ts';
import type { Resource } from '../permissions/permissions.query.ts';
import { presentSpace } from '../spaces/spaces.api.ts';
import { presentLinkInvite } from './invites.api.ts';

/** The invites by e-mail of an organization. */
export const emailInvitesOf = (db: Db, organization: string) =>
  db
    .selectFrom('invite')
    .where('invite.organization_id', '=', organization)
    .where('invite.email', 'is not', null);

/** The invite links of an organization, without those to content that was deleted or is now in another organization. */
export const linkInvitesOf = (db: Db, organization: string) =>
  db
    .selectFrom('invite')
    .leftJoin('space', (join) =>
      join
        .onRef('space.id', '=', 'invite.space_id')
        .on('space.organization_id', '=', organization)
        .on('space.deleted_at', 'is', null),
    )
    .leftJoin('collection', (join) =>
      join
        .onRef('collection.id', '=', 'invite.collection_id')
        .on('collection.organization_id', '=', organization),
    )
    .where('invite.organization_id', '=', organization)
    .where('invite.hash', 'is not', null)
    // Two conditions whose selectivity the database can estimate, so that it reads a page in the order of the index.
    .where((eb) => eb.or([eb('invite.space_id', 'is', null), eb('space.id', 'is not', null)]))
    .where((eb) => eb.or([eb('invite.collection_id', 'is', null), eb('collection.id', 'is not', null)]));

export const linkInviteColumns = [
  ...columnsOf(Invite),
  ...columnsUnder('inSpace', Space),
  ...columnsUnder('inCollection', Collection),
];

type LinkInviteRow = Row<Invite> &
  Prefixed<Row<Space>, 'inSpace'> &
  Prefixed<Row<Collection>, 'inCollection'>;

/** Presents a link that was selected with {@link linkInviteColumns}. */
export function presentLinkInviteRow(row: LinkInviteRow, viewer: Viewer) {
  const space = partOf<Row<Space>, 'inSpace'>(row, 'inSpace');
  const collection = partOf<Row<Collection>, 'inCollection'>(row, 'inCollection');
  return presentLinkInvite(
    row,
    {
      space: space && presentSpace(space, viewer.role, viewer, null),
      collection: collection && presentCollection(collection, viewer.role, viewer),
    },
    viewer,
  );
}

/** A collection, or a space that is not deleted, of an organization; undefined if the organization has no such content. */
export async function invitedContent(
  db: Db,
  organization: string,
  { kind, id }: { kind: 'space' | 'collection'; id: string },
): Promise<Resource | undefined> {
  const columns = ['id', 'ancestors', 'effective_default as effectiveDefault'] as const;
  const found =
    kind === 'space'
      ? await db
          .selectFrom('space')
          .select(columns)
          .where('id', '=', id)
          .where('organization_id', '=', organization)
          // guard: invite-deleted-space
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
      : await db
          .selectFrom('collection')
          .select(columns)
          .where('id', '=', id)
          .where('organization_id', '=', organization)
          .executeTakeFirst();
  return found && { kind, organization, ...found };
}
