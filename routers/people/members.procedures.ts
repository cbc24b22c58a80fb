import { z } from 'zod';
import { byContent, grantsIn } from '../access/grants.query.ts';
import type { Grants, Membership } from '../access/levels.ts';
import { needOn } from '../access/needs.ts';
import { userProcedure } from '../access/procedures.ts';
import { viewerOf } from '../access/viewer.ts';
import type { Actor, Db } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { mayViewMember } from './access.ts';
import { memberColumns } from './members.query.ts';

/** A membership of an organization with its grants. */
interface MemberAccess {
  member: Membership;
  grants: Grants;
}

/**
 * One member of an organization, with the caller's own membership, in one statement.
 * @returns undefined if the member does not exist or the caller may not view them
 */
async function loadMember(db: Db, actor: Actor, organizationId: string, userId: string) {
  const callerId = actor.user.id;
  const row = await db
    .selectFrom('member as caller')
    .innerJoin('member', 'member.organization_id', 'caller.organization_id')
    .innerJoin('user', 'user.id', 'member.user_id')
    .select(memberColumns(organizationId))
    .select('caller.role as callerRole')
    .select((eb) => [
      grantsIn(eb as never, callerId, 'member.organization_id').as('callerGrants'),
      grantsIn(eb as never, userId, 'member.organization_id').as('memberGrants'),
    ])
    .where('caller.organization_id', '=', organizationId)
    .where('caller.user_id', '=', callerId)
    .where('caller.disabled', '=', false)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { callerRole, callerGrants, memberGrants, ...member } = row;
  const caller: MemberAccess = { member: { role: callerRole }, grants: byContent(callerGrants) };
  const { scope } = actor.token;
  if (!mayViewMember({ userId: callerId, role: callerRole, scope }, userId)) return undefined;
  /** Null for a disabled member. */
  const place: MemberAccess | null = member.disabled
    ? null
    : { member: { role: member.role }, grants: byContent(memberGrants) };
  return { caller, member, place };
}

/**
 * A read about one member of an organization: `ctx.member`, `ctx.place` for the member's role and grants, and
 * `ctx.caller` for the caller's. 404 if the caller may not view the member.
 */
export const memberProcedure = userProcedure
  .meta({ need: needOn('member', 'view') })
  .input(z.object({ organizationId: z.string(), userId: z.string() }))
  .use(async ({ ctx, input, next }) => {
    const loaded = await loadMember(ctx.db, ctx.actor, input.organizationId, input.userId);
    if (!loaded) throw notFound('member');
    return next({ ctx: { ...loaded, viewer: viewerOf(ctx, loaded.caller.member) } });
  });
