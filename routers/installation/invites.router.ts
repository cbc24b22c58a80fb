import { z } from 'zod';
import { issueInviteLink, linkPath } from '../auth/links.operation.ts';
import { FutureTime, isoTime, NullableRole } from '../base/common-schemas.ts';
import { EmailAddress } from '../base/email-addresses.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { createLinkInvite, inviteByEmail } from '../joining/invites.operation.ts';
import { LinkObject } from './installation.api.ts';
import { lookUpOrganization } from './lookup.operation.ts';

export const installationInvitesRouter = router({
  /** Invites somebody to an organization, and returns the link to pass on; no mail is sent. */
  create: operatorProcedure
    .input(
      z.object({
        organization: z
          .string()
          .optional()
          .describe('The id or title of the organization; optional if there is only one.'),
        email: EmailAddress.optional().describe(
          'The e-mail address of the person to invite; without it, anyone with the link may join.',
        ),
        role: NullableRole,
        expiresAt: FutureTime.optional().describe(
          'When the invite expires. The link to an e-mail address is valid for at most 30 days.',
        ),
        singleUse: z
          .boolean()
          .default(true)
          .describe('Whether a link without an e-mail address works only once.'),
      }),
    )
    .output(LinkObject)
    .mutation(async ({ ctx, input }) => {
      const { email, role, expiresAt, singleUse } = input;
      const { id: organization } = await lookUpOrganization(ctx.em, input.organization);
      const urlOf = (secret: string) => ctx.services.urls.absolute(linkPath('invites', secret));
      if (email === undefined) {
        const { secret } = await createLinkInvite(ctx.em, { organization, role, expiresAt, singleUse });
        return { url: urlOf(secret), expiresAt };
      }
      const [invite] = await inviteByEmail(
        ctx.em,
        { organization, expiresAt, sso: false },
        new Map([[email, role]]),
      );
      if (!invite) throw new DomainError('conflict', 'This user is already a member.');
      const link = await issueInviteLink(ctx.db, { id: invite.id, expiresAt: invite.expiresAt });
      return { url: urlOf(link.secret), expiresAt: isoTime(link.expiresAt) };
    }),
});
