import { z } from 'zod';
import type { User } from '../../schema/entities/user.ts';
import { type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** The public object of a user who edited a change request. */
export const ContributorObject = z
  .object({
    user: UserObject.describe('The user who contributed.'),
    actionType: z.literal('edit').describe('How they contributed: always `edit`.'),
    count: z.number().int().describe('How many times they edited it.'),
    updatedAt: z.string().describe('When they last edited it, in ISO 8601 UTC.'),
  })
  .meta({ id: 'ChangeRequestUserContributor', description: 'Someone who worked on a change request.' });

/** `count` is the number of edits, `editedAt` the time of the last one. */
export const presentContributor = (
  row: Prefixed<Row<User>, 'contributor'> & { count: number; editedAt: Date | string },
  viewer: Viewer,
): z.infer<typeof ContributorObject> => ({
  user: presentUser(partOf<Row<User>, 'contributor'>(row, 'contributor') as Row<User>, viewer),
  actionType: 'edit',
  count: row.count,
  updatedAt: isoTime(row.editedAt),
});
