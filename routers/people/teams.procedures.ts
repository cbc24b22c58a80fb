import { z } from 'zod';
import { declaredPermission, type Permission, requiredPermission } from '../access/needs.ts';
import { userProcedure } from '../access/procedures.ts';
import { viewerOf } from '../access/viewer.ts';
import { attributeTo } from '../base/caller.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { teamPermissions } from './access.ts';
import { loadTeam } from './teams.query.ts';

/**
 * A procedure about one team: loads it as `ctx.team` with the caller as `ctx.viewer`, in one statement. 404 for those who
 * may not view it, 403 for those who may not manage it.
 */
export const teamProcedure = (permission: Permission<'team'>) =>
  userProcedure
    .meta({ need: requiredPermission('team', permission) })
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        teamId: z.string().describe('The id of the team.'),
      }),
    )
    .use(async ({ ctx, input, meta, next }) => {
      const row = await loadTeam(ctx.db, ctx.actor, input.organizationId, input.teamId);
      if (!row) throw notFound('team');
      attributeTo(input.organizationId);
      const { callerRole, ...team } = row;
      const viewer = viewerOf(ctx, { role: callerRole });
      const permissions = teamPermissions(viewer, team.ownRole);
      // guard: team-visibility
      if (!permissions.view) throw notFound('team');
      // guard: team-permission
      if (!permissions[declaredPermission(meta, 'team').permission])
        throw new DomainError(
          'forbidden',
          'Only owners of the team and admins of the organization may do this.',
        );
      return next({ ctx: { team, viewer } });
    });
