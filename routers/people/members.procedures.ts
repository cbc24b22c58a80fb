import { z } from 'zod';
import { requiredPermission } from '../access/needs.ts';
import { userProcedure } from '../access/procedures.ts';
import { viewerOf } from '../access/viewer.ts';
import { notFound } from '../engine/errors.ts';
import { loadMember } from './members.query.ts';

/**
 * A read about one member of an organization: `ctx.member`, `ctx.memberAccess` for the member's role and grants, and
 * `ctx.caller` for the caller's. 404 if the caller may not view the member.
 */
export const memberProcedure = userProcedure
  .meta({ need: requiredPermission('member', 'view') })
  .input(
    z.object({
      organizationId: z.string().describe('The id of the organization.'),
      userId: z.string().describe('The id of the user.'),
    }),
  )
  .use(async ({ ctx, input, next }) => {
    const loaded = await loadMember(ctx.db, ctx.actor, input.organizationId, input.userId);
    if (!loaded) throw notFound('member');
    return next({ ctx: { ...loaded, viewer: viewerOf(ctx, loaded.caller.member) } });
  });
