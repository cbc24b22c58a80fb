import { z } from 'zod';
import { Organization } from '../../schema/entities/organization.ts';
import type { Role } from '../../schema/enums.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { coveredByCredential, requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { organizationProcedure, userProcedure } from '../access/procedures.ts';
import { SubdomainLabel } from '../addresses/hostnames.ts';
import { NullableRole } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { EmailDomain } from '../base/email-addresses.ts';
import { router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockReferencedRow } from '../sql/lock-row.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { requireMembersInRules } from './access-removal.operation.ts';
import { lockOrganizations } from './lock.operation.ts';
import { OrganizationMergeRulesInput } from './merge-rules.api.ts';
import { OrganizationObject, presentOrganization } from './organizations.api.ts';
import { createOrganization } from './organizations.operation.ts';
import { route } from './route.ts';
import { requireSsoAdmin } from './sso.operation.ts';
import { claimSubdomain } from './subdomain.operation.ts';

const Title = text({ min: 2, max: 255 });
const DefaultContent = z.object({
  type: z.literal('site').describe('Always `site`.'),
  site: z.string().describe('The id of the site.'),
});

export const organizationsRouter = router({
  list: userProcedure
    .meta(
      route.get('/orgs', 'List the organizations of the caller', 'listOrganizationsForAuthenticatedUser', {
        description: 'Lists the organizations of which the caller is a member.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(OrganizationObject))
    .query(async ({ ctx, input }) => {
      const { db, actor, viewer } = ctx;
      const mine = db
        .selectFrom('member')
        .innerJoin('organization', 'organization.id', 'member.organization_id')
        .where('member.user_id', '=', actor.user.id)
        .where('member.disabled', '=', false)
        .where(coveredByCredential(actor));
      return readPage(ctx, input, {
        rows: mine.select(columnsOf(Organization)).select('member.role as memberRole'),
        order: [{ column: 'organization.id', direction: 'desc', of: (row) => row.id }],
        present: ({ memberRole, ...organization }) =>
          presentOrganization(organization, { ...viewer, role: memberRole as Role | null }),
      });
    }),

  get: organizationProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}', 'Get an organization', 'getOrganizationById', {
        description: 'Returns the settings of the organization, and what the caller may do in it.',
      }),
    )
    .output(OrganizationObject)
    .query(({ ctx }) => presentOrganization(ctx.organization, ctx.viewer)),

  create: userProcedure
    .meta(
      route.post('/orgs', 'Create an organization', 'createOrganization', {
        success: 201,
        description: 'The caller becomes its first admin.',
      }),
    )
    .input(z.object({ title: Title.describe('The title, as shown to users.') }))
    .output(OrganizationObject)
    .mutation(async ({ ctx, input }) => {
      requireUnrestrictedCredential(ctx.actor);
      const organization = createOrganization(ctx.em, input.title, ctx.actor.user.id);
      await ctx.em.flush();
      return presentOrganization(organization, { ...ctx.viewer, role: 'admin' });
    }),

  update: organizationProcedure('admin')
    .meta(
      route.patch('/orgs/{organizationId}', 'Update an organization', 'updateOrganizationById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        title: Title.optional().describe('The title, as shown to users.'),
        emailDomains: z
          .array(EmailDomain)
          .max(100)
          .transform((domains) => [...new Set(domains)])
          .optional()
          .describe(
            'Users with a verified e-mail address at one of these domains can find the organization, and join it without an invite. Domains of public mail providers are refused.',
          ),
        hostname: SubdomainLabel.optional().describe(
          "The organization's subdomain of the domain for sites, such as `acme`.",
        ),
        defaultRole: NullableRole.optional().describe(
          'The role that new members get; null makes them guests.',
        ),
        defaultContent: DefaultContent.nullable()
          .optional()
          .describe("What the organization's hostname shows; null for nothing."),
        logo: HttpUrl.nullable().optional().describe('The URL of the logo; null to remove it.'),
        sso: z
          .boolean()
          .optional()
          .describe(
            'Whether everyone has to sign in through SSO. Requires an admin who has signed in through an active SAML provider.',
          ),
        ai: z.boolean().optional().describe('Whether features that use a language model are on.'),
        inviteLinks: z.boolean().optional().describe('Whether invite links work.'),
        mergeRules: OrganizationMergeRulesInput.optional().describe(
          'The rules that a change request must meet to be merged.',
        ),
      }),
    )
    .output(OrganizationObject)
    .mutation(async ({ ctx, input: { organizationId, ...changes } }) => {
      // Locked before the members, in the same order as in a removal.
      await lockOrganizations(ctx.db, organizationId);
      const organization = await ctx.em.findOneOrFail(Organization, organizationId);
      if (changes.mergeRules) {
        const rules = { organization: organizationId, present: organization.mergeRules };
        await requireMembersInRules(ctx.db, rules, changes.mergeRules);
      }
      // guard: default-content-site
      if (changes.defaultContent) await requireSite(ctx.db, organizationId, changes.defaultContent.site);
      if (changes.hostname !== undefined)
        await claimSubdomain(ctx.db, ctx.services.urls.hosting, organizationId, changes.hostname);
      ctx.em.assign(organization, changes);
      await ctx.em.flush();
      if (changes.sso) await requireSsoAdmin(ctx.db, organizationId);
      recordEvent(ctx.em, { type: 'organization.updated', organization: organizationId });
      return presentOrganization(organization, ctx.viewer);
    }),
});

/**
 * Ensures that an organization has a site, and locks the site until the end of the transaction.
 * @throws DomainError `invalid` if the organization has no such site
 */
async function requireSite(db: Db, organization: string, id: string): Promise<void> {
  if (!(await lockReferencedRow(db, 'site', { organization, id })))
    throw new DomainError('invalid', 'The default content must be a site of the organization.', [
      { path: 'defaultContent.site', message: 'must be a site of the organization' },
    ]);
}
