import { z } from 'zod';
import { Invite } from '../../schema/entities/invite.ts';
import type { Role } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { organizationProcedure, userProcedure } from '../access/procedures.ts';
import { FutureTime, NullableRole, Removal } from '../base/common-schemas.ts';
import { EmailAddress } from '../base/email-addresses.ts';
import type { AttemptKey } from '../base/sign-in-ports.ts';
import { router } from '../base/trpc.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { acceptInvite } from './accept.operation.ts';
import { InviteObject, presentInvite } from './invites.api.ts';
import { inviteByEmail, revokeInvite } from './invites.operation.ts';
import { emailInvitesOf } from './invites.query.ts';
import { route } from './route.ts';

const INVITES = '/orgs/{organizationId}/invites';
const INVITE = `${INVITES}/{inviteId}` as const;

/** The most addresses in one request. */
const MAX_EMAILS = 100;

/** Mailing invites, which counts towards what one user may mail to an address, and to all. */
const mailedBy = (user: string, invites: readonly { email: string }[]): AttemptKey[] => [
  { limit: 'inviteFrom', subject: user, weight: invites.length },
  ...invites.map(({ email }) => ({ limit: 'invite', subject: `${user} ${email}` }) as const),
];

/** Invites by e-mail address, and the acceptance of all invites. */
export const invitesRouter = router({
  list: organizationProcedure('viewInvites')
    .meta(
      route.get(INVITES, 'List the invites by e-mail', 'listOrganizationInvites', {
        description: 'Lists the invites that nobody has accepted yet.',
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
          'The user with the invited address accepts the invite with POST /orgs/{organizationId}/invites/{inviteId}, once the address is verified. If the installation sends mail, each address gets a mail with a link; 429 after too many mails. Addresses of members are left out; an earlier invite to the same address is replaced.',
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
                role: NullableRole.describe('The role in the organization; null for a guest.'),
              }),
            ]),
          )
          .max(MAX_EMAILS)
          .describe('The e-mail addresses to invite, each with a role if it differs.'),
        role: NullableRole.optional().describe(
          "The role for addresses without one of their own; by default, the organization's default role.",
        ),
        sso: z.boolean().default(false).describe('Whether they have to sign in through SSO.'),
        team: z.string().optional().describe('The id of a team that they are added to.'),
        expiresAt: FutureTime.optional().describe('When it stops being valid, in ISO 8601 UTC.'),
      }),
    )
    .output(
      z.object({
        users: z
          .array(z.string())
          .describe('The ids of users who were added at once: always empty, as everyone has to accept.'),
        invited: z.number().int().describe('The number of people who were invited.'),
        invites: z.array(InviteObject).describe('The invites.'),
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
      const { attempts, jobs, mailer } = ctx.services;
      const mails = invites.map(({ id }) => ({
        data: { kind: 'invite' as const, invite: id },
        group: organization,
      }));
      if (mailer.isConfigured && mails.length > 0) {
        // guard: invite-mails
        await attempts.count(ctx.db, mailedBy(ctx.actor.user.id, invites));
        await jobs.enqueue(ctx.db, 'send-mail', ...mails);
      }
      return { users: [], invited: invites.length, invites: invites.map(presentInvite) };
    }),

  accept: userProcedure
    .meta(
      route.post(INVITE, 'Join an organization with an invite', 'joinOrganizationWithInvite', {
        description:
          'Accepts the id of an invite by e-mail, or the secret of an invite link. Members keep their role and levels where these are higher than those of the invite.',
      }),
    )
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        inviteId: z.string().describe('The id of the invite, or the secret of the link.'),
      }),
    )
    .output(z.object({}))
    .mutation(async ({ ctx, input: { organizationId, inviteId } }) => {
      requireUnrestrictedCredential(ctx.actor);
      await acceptInvite(ctx.em, ctx.actor.user, organizationId, inviteId);
      return {};
    }),

  revoke: organizationProcedure('admin')
    .meta(
      route.delete(INVITE, 'Revoke an invite by e-mail', 'deleteOrganizationInvite', {
        description: 'The link in the mail stops working.',
      }),
    )
    .input(z.object({ inviteId: z.string().describe('The id of the invite.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { organizationId, inviteId } }) => {
      await revokeInvite(ctx.em, organizationId, inviteId, 'email');
      return { removed: true };
    }),
});
