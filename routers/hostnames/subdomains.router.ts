import { z } from 'zod';
import { coveredByCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import { SubdomainLabel } from '../addresses/hostnames.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { route } from './route.ts';

/** The public object of a subdomain of the installation. */
const SubdomainObject = z
  .object({
    object: z.literal('subdomain').describe('The type of the object: always `subdomain`.'),
    subdomain: z
      .string()
      .describe("The label before the service's own domain, such as `docs` of `docs.example.com`."),
    target: z
      .object({
        type: z.literal('organization').describe('Always `organization`.'),
        organization: z.string().describe('The id of the organization.'),
      })
      .describe('The organization whose subdomain it is.'),
    isActive: z.boolean().describe('Whether the installation has a domain for subdomains.'),
  })
  .meta({
    id: 'Subdomain',
    description: "A subdomain of the service's domain that leads to an organization.",
  });

export const subdomainsRouter = router({
  get: userProcedure
    .meta(
      route.get('/subdomains/{subdomain}', 'Get a subdomain', 'getSubdomain', {
        description: 'Returns the organization with this `hostname`, if the caller is a member of it.',
      }),
    )
    .input(
      z.object({
        subdomain: SubdomainLabel.describe(
          "The label before the service's own domain, such as `docs` of `docs.example.com`.",
        ),
      }),
    )
    .output(SubdomainObject)
    .query(async ({ ctx: { db, actor, services }, input: { subdomain } }) => {
      const row = await db
        .selectFrom('subdomain')
        .innerJoin('member', 'member.organization_id', 'subdomain.organization_id')
        .select('subdomain.organization_id as organization')
        .where('subdomain', '=', subdomain)
        .where('member.user_id', '=', actor.user.id)
        .where('member.disabled', '=', false)
        .where(coveredByCredential(actor))
        .executeTakeFirst();
      if (!row) throw notFound('subdomain');
      return {
        object: 'subdomain' as const,
        subdomain,
        target: { type: 'organization' as const, organization: row.organization },
        isActive: services.urls.hosting.sitesDomain !== undefined,
      };
    }),
});
