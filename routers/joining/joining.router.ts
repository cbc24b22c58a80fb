import { sql } from 'kysely';
import { z } from 'zod';
import { Organization } from '../../schema/entities/organization.ts';
import { columnsOf } from '../../schema/rows.ts';
import { coveredByCredential, requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import { domainOf, EmailDomain } from '../base/email-addresses.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import {
  OrganizationObject,
  presentFoundOrganization,
  presentOrganization,
} from '../organizations/organizations.api.ts';
import { joinByDomain } from './accept.operation.ts';
import { route } from './route.ts';

/** How many organizations are listed for a domain, the newest first. */
const MAX_LISTED = 100;

/** Joining by the domain of the caller's own verified e-mail address. */
export const joiningRouter = router({
  join: userProcedure
    .meta(
      route.post('/orgs/{organizationId}/join', 'Join an organization', 'joinOrganization', {
        success: 204,
        description:
          "The domain of the caller's verified e-mail address must be one of the organization's `emailDomains`. The caller gets its default role; members keep theirs.",
      }),
    )
    .input(z.object({ organizationId: z.string().describe('The id of the organization.') }))
    .output(z.void())
    .mutation(({ ctx, input }) => {
      requireUnrestrictedCredential(ctx.actor);
      return joinByDomain(ctx.em, ctx.actor.user, input.organizationId);
    }),

  listOrganizations: userProcedure
    .meta(
      route.get(
        '/email-domains/{emailDomain}/orgs',
        'List the organizations of an e-mail domain',
        'getOrganizationsForEmailDomain',
        {
          description: `Lists the organizations that the caller may join by the domain of their verified e-mail address: at most ${MAX_LISTED}, the newest first. Of organizations that the caller is not a member of, only identifying fields are returned.`,
        },
      ),
    )
    .input(z.object({ emailDomain: EmailDomain.describe('The part of e-mail addresses after the `@`.') }))
    .output(z.object({ organizations: z.array(OrganizationObject).describe('The organizations.') }))
    .query(async ({ ctx: { db, actor, viewer }, input: { emailDomain } }) => {
      requireUnrestrictedCredential(actor);
      const { id, email, emailVerifiedAt } = actor.user;
      // guard: join-own-domain
      if (!emailVerifiedAt || domainOf(email) !== emailDomain) throw notFound('e-mail domain');
      const rows = await db
        .selectFrom('organization')
        .leftJoin('member', (join) =>
          join.onRef('member.organization_id', '=', 'organization.id').on('member.user_id', '=', id),
        )
        .select(columnsOf(Organization))
        .select([
          'member.role as memberRole',
          'member.disabled as isDisabled',
          coveredByCredential(actor).as('isReached'),
        ])
        // guard: join-named-domain
        .where(sql<boolean>`organization.email_domains @> ${[emailDomain]}::text[]`)
        .orderBy('organization.id', 'desc')
        .limit(MAX_LISTED)
        .execute();
      const organizations = rows.map(({ memberRole, isDisabled, isReached, ...organization }) =>
        isDisabled === false && isReached
          ? presentOrganization(organization, { ...viewer, role: memberRole })
          : presentFoundOrganization(organization, emailDomain, viewer),
      );
      return { organizations };
    }),
});
