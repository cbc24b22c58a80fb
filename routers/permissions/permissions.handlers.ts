import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Team } from '../../schema/entities/team.ts';
import { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { NullableRole, Removal, RoleSchema } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { handlersFor } from '../base/mount.ts';
import { DomainError } from '../engine/errors.ts';
import { derivedTeamColumns } from '../people/teams.query.ts';
import { type ListContext, listOf, paging, readPage } from '../sql/pagination.ts';
import {
  presentTeamPermission,
  presentUserPermission,
  TeamPermissionObject,
  UserPermissionObject,
} from './permissions.api.ts';
import { type Grantee, grant, requireGrantees, revoke } from './permissions.operation.ts';
import { accessOf, grantsOn, type Resource } from './permissions.query.ts';

/** A collection, space or site whose permissions the caller may manage. */
interface Administration extends ListContext {
  content: Resource;
  viewer: Viewer;
  em: SqlEntityManager;
  db: Db;
}

const handler = handlersFor<Administration>();

const GranteeIds = z.array(z.string()).min(1).max(1000).optional();

const invite = handler.mutation({
  input: z.object({
    role: RoleSchema.describe(
      'The role to grant, strongest first: admin, create, review, edit, comment, read.',
    ),
    teams: GranteeIds.describe('The ids of the teams.'),
    users: GranteeIds.describe('The ids of the users.'),
  }),
  output: z.void(),
  async resolve({ em, content }, { role, teams = [], users = [] }) {
    if (teams.length + users.length === 0) {
      const problem = { path: 'users', message: 'is required without `teams`' };
      throw new DomainError('invalid', 'Give at least one user or team to invite.', [problem]);
    }
    await grant(em, content, { teams, users }, role);
  },
});

const listAccess = handler.query({
  input: z.object({ ...paging, role: RoleSchema.optional().describe('Lists only users with this level.') }),
  output: listOf(UserPermissionObject),
  async resolve(ctx, input) {
    const { db, content, viewer } = ctx;
    return readPage(ctx, input, {
      ...accessOf(db, content, input.role),
      order: [
        { column: 'member.joined_at', direction: 'desc', of: (row) => String(row.joinedAt) },
        { column: 'member.user_id', direction: 'desc', of: (row) => row.id },
      ],
      present: (row) => presentUserPermission(row, viewer),
    });
  },
});

const listUsers = handler.query({
  input: z.object(paging),
  output: listOf(UserPermissionObject),
  async resolve(ctx, input) {
    const { db, content, viewer } = ctx;
    const grants = grantsOn(db, content).where('permission.user_id', 'is not', null);
    return readPage(ctx, input, {
      rows: grants
        .innerJoin('user', 'user.id', 'permission.user_id')
        .select(columnsOf(User))
        .select(['permission.id as grant', 'permission.role as permission']),
      count: grants,
      order: [{ column: 'permission.id', direction: 'desc', of: (row) => row.grant }],
      present: (row) => presentUserPermission(row, viewer),
    });
  },
});

const listTeams = handler.query({
  input: z.object(paging),
  output: listOf(TeamPermissionObject),
  async resolve(ctx, input) {
    const { db, content, viewer } = ctx;
    const grants = grantsOn(db, content).where('permission.team_id', 'is not', null);
    return readPage(ctx, input, {
      rows: grants
        .innerJoin('team', 'team.id', 'permission.team_id')
        .select(columnsOf(Team))
        .select(derivedTeamColumns(content.organization, viewer))
        .select(['permission.id as grant', 'permission.role as permission']),
      count: grants,
      order: [{ column: 'permission.id', direction: 'desc', of: (row) => row.grant }],
      present: (row) => presentTeamPermission(row, viewer),
    });
  },
});

const role = NullableRole.optional().describe('The role to grant; null revokes it.');

const updateUser = handler.mutation({
  input: z.object({ userId: z.string().describe('The id of the user.'), role }),
  output: z.void(),
  resolve: (ctx, input) => update(ctx, { kind: 'user', id: input.userId }, input.role),
});

const updateTeam = handler.mutation({
  input: z.object({ teamId: z.string().describe('The id of the team.'), role }),
  output: z.void(),
  resolve: (ctx, input) => update(ctx, { kind: 'team', id: input.teamId }, input.role),
});

const removeUser = handler.mutation({
  input: z.object({ userId: z.string().describe('The id of the user.') }),
  output: Removal,
  resolve: ({ em, content }, { userId }) => revoke(em, content, { kind: 'user', id: userId }),
});

const removeTeam = handler.mutation({
  input: z.object({ teamId: z.string().describe('The id of the team.') }),
  output: Removal,
  resolve: ({ em, content }, { teamId }) => revoke(em, content, { kind: 'team', id: teamId }),
});

export const permissionHandlers = { invite, list: listAccess };
export const userPermissionHandlers = { list: listUsers, update: updateUser, remove: removeUser };
export const teamPermissionHandlers = { list: listTeams, update: updateTeam, remove: removeTeam };

/** Idempotent: setting a level again, or removing one that is absent, is not an error. */
async function update({ em, db, content }: Administration, grantee: Grantee, level: Role | null | undefined) {
  const grantees = {
    teams: grantee.kind === 'team' ? [grantee.id] : [],
    users: grantee.kind === 'user' ? [grantee.id] : [],
  };
  if (level) return grant(em, content, grantees, level);
  await requireGrantees(db, content, grantees);
  if (level === null) await revoke(em, content, grantee);
}
