import { z } from 'zod';
import type { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { RoleSchema } from '../base/common-schemas.ts';
import { presentTeam, TeamObject, type TeamRow } from '../people/teams.api.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** A user's level on a collection, space or site. */
export const UserPermissionObject = z
  .object({
    permission: RoleSchema.describe("The user's role on the space, collection or site."),
    user: UserObject.describe('The user.'),
  })
  .meta({
    id: 'UserContentPermission',
    description: "A user's role on a space or collection.",
  });

/** A team's level on a collection, space or site. */
export const TeamPermissionObject = z
  .object({
    permission: RoleSchema.describe("The team's role on the space, collection or site."),
    team: TeamObject.describe('The team.'),
  })
  .meta({
    id: 'TeamContentPermission',
    description: "A team's role on a space or collection.",
  });

export const presentUserPermission = (
  { permission, ...user }: Presentable<User> & { permission: Role },
  viewer: Viewer,
): z.infer<typeof UserPermissionObject> => ({ permission, user: presentUser(user, viewer) });

export const presentTeamPermission = (
  { permission, ...team }: TeamRow & { permission: Role },
  viewer: Viewer,
): z.infer<typeof TeamPermissionObject> => ({ permission, team: presentTeam(team, viewer) });
