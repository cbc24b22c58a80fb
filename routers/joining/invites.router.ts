import { z } from 'zod';
import { Invite } from '../../schema/entities/invite.ts';
import type { Role } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure, userProcedure } from '../access/procedures.ts';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { FutureTime, NullableRole, Removal } from '../base/common-schemas.ts';
import { EmailAddress } from '../base/email-addresses.ts';
import { router } from '../base/trpc.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { acceptInvite } from './accept.operation.ts';
import { InviteObject, presentInvite } from './invites.api.ts';
import { inviteByEmail, revokeInvite } from './invites.operation.ts';
import { emailInvitesOf } from './invites.query.ts';
import { route } from './route.ts';

const INVITES = '/orgs/{organizationId}/invites';
const INVITE = `${INVITES}/{inviteId}` as const;

/** Addresses in one request. */
const MAX_EMAILS = 100;

/** Invites by e-mail address, and the acceptance of all invites. */
export const invitesRouter = router({
  list: organizationProcedure('viewInvites')
    .meta(
      route.get(INVITES, 'List the invites by e-mail', 'listOrganizationInvites', {
        description: 'Those that nobody has accepted yet.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(InviteObject))
    .query(async ({ ctx, input }) => {
      const listed = emailInvitesOf(ctx.db, input.organizationId);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(Invite)).$narrowType<{ email: string }>(),
        order: [{ column: 'invite.id', direction: 'desc', of: (row) => row.id }],
        present: presentInvite,
      });
    }),

  create: organizationProcedure('admin')
    .meta(
      route.post(INVITES, 'Invite users by e-mail address', 'inviteUsersToOrganization', {
        description:
          'An invite is accepted by the user who has its address and has verified it, by POST /orgs/{organizationId}/invites/{inviteId}. A mail with a link is sent to each, if the installation sends mail. Addresses of members are left out; an earlier invite to the same address is replaced.',
      }),
    )
    .input(
      z.object({
        emails: z
          .array(
            z.union([
              EmailAddress,
              z.object({
                email: EmailAddress.describe('The e-mail address.'),
                role: NullableRole.describe(
                  'What the user or team may do: a role, strongest first: admin, create, review, edit, comment, read.',
                ),
              }),
            ]),
          )
          .max(MAX_EMAILS)
          .describe('Who is invited.'),
        role: NullableRole.optional().describe(
          "For those for whom none is given; without it, the organization's default role.",
        ),
        sso: z.boolean().default(false).describe('Whether they are marked as signing in with SSO.'),
        team: z.string().optional().describe('Id of a team that they are added to.'),
        expiresAt: FutureTime.optional().describe('When it stops being valid, in ISO 8601 UTC.'),
      }),
    )
    .output(
      z.object({
        users: z
          .array(z.string())
          .describe('Ids of users who were added at once: none, since all have to accept.'),
        invited: z.number().int().describe('How many people were invited.'),
        invites: z.array(InviteObject).describe('The invitations.'),
      }),
    )
    .mutation(async ({ ctx, input: { organizationId: organization, emails, role, ...terms } }) => {
      const others = role === undefined ? ctx.organization.defaultRole : role;
      const roles = new Map<string, Role | null>(
        emails.map((given) =>
          typeof given === 'string' ? [given, others] : ([given.email, given.role] as const),
        ),
      );
      const invites = await inviteByEmail(ctx.em, { organization, ...terms }, roles);
      const { jobs, mailer } = ctx.services;
      const mails = invites.map(({ id }) => ({
        data: { kind: 'invitation' as const, invite: id },
        group: organization,
      }));
      if (mailer.isConfigured && mails.length > 0) await jobs.enqueue(ctx.db, 'send-mail', ...mails);
      return { users: [], invited: invites.length, invites: invites.map(presentInvite) };
    }),

  accept: userProcedure
    .meta(
      route.post(INVITE, 'Join an organization with an invite', 'joinOrganizationWithInvite', {
        description:
          'Takes the id of an invite by e-mail, or the secret of an invite link. Members keep what they have, where that is more than the invite gives.',
      }),
    )
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        inviteId: z.string().describe('The id of the invitation.'),
      }),
    )
    .output(z.object({}))
    .mutation(async ({ ctx, input: { organizationId, inviteId } }) => {
      requireUnrestrictedCredential(ctx.actor);
      await acceptInvite(ctx.em, ctx.actor.user, organizationId, inviteId);
      return {};
    }),

  remove: organizationProcedure('admin')
    .meta(
      route.delete(INVITE, 'Revoke an invite by e-mail', 'deleteOrganizationInvite', {
        description: 'The link in the mail stops working.',
      }),
    )
    .input(z.object({ inviteId: z.string().describe('The id of the invitation.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { organizationId, inviteId } }) => {
      await revokeInvite(ctx.em, organizationId, inviteId, 'email');
      return { removed: true };
    }),
});
