import { z } from 'zod';
import { loadOrganization } from '../access/load.query.ts';
import { declaredPermission, type Permission, requiredPermission } from '../access/needs.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { requireOrganizationPermission } from '../access/require.ts';
import { CustomHostnameName } from '../addresses/hostnames.ts';
import { Removal } from '../base/common-schemas.ts';
import { authenticatedProcedure, inTransaction, router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { CustomHostnameObject, presentCustomHostname } from './custom-hostnames.api.ts';
import { assignHostname, enqueueCheck, removeHostname } from './custom-hostnames.operation.ts';
import { hostnamesVisibleTo, readClaim, readHostnameFor } from './custom-hostnames.query.ts';
import { route } from './route.ts';

const HOSTNAME = '/custom-hostnames/{hostname}';

/**
 * A procedure about one custom hostname of the caller's organizations, as `ctx.row`. The caller needs a permission on its
 * organization, and must be able to view its site.
 */
const hostnameProcedure = (permission: Permission<'organization'>) =>
  authenticatedProcedure
    .meta({ need: requiredPermission('organization', permission) })
    .input(
      z.object({
        hostname: z.string().max(512).describe('A hostname, such as `docs.example.com`.'),
        organizationId: z
          .string()
          .optional()
          .describe(
            'The id of the organization that claims it, if several of your organizations do; by default, the one that has it.',
          ),
      }),
    )
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const { actor } = ctx;
        const row = await readHostnameFor(db, actor, input.hostname, input.organizationId);
        const access = row && (await loadOrganization(db, actor, row.organization));
        if (!row || !access) throw notFound('custom hostname');
        const caller = { level: access.member.role };
        requireOrganizationPermission(caller, declaredPermission(meta, 'organization'));
        return next({ ctx: { em, db, row } });
      }),
    );

export const customHostnamesRouter = router({
  list: organizationProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/custom-hostnames',
        'List the custom hostnames of an organization',
        'listCustomHostnames',
        { description: 'Leaves out those of sites that the caller may not view.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(CustomHostnameObject))
    .query(async ({ ctx, input }) => {
      const { db, organization, member, grants, services } = ctx;
      return readPage(ctx, input, {
        rows: hostnamesVisibleTo(db, { organization: organization.id, member, grants }),
        order: [{ column: 'custom_hostname.hostname', direction: 'asc', of: (row) => row.hostname }],
        present: (row) => presentCustomHostname(row, services.urls),
      });
    }),

  set: organizationProcedure('admin')
    .meta(
      route.put(
        '/orgs/{organizationId}/custom-hostnames/{hostname}',
        'Set a custom hostname of a site or organization',
        'setCustomHostname',
        {
          description:
            'Its DNS records are checked at once, and then daily; it becomes active when they are correct. Other organizations may claim the same hostname: it is active for the one that its records name.',
        },
      ),
    )
    .input(
      z.object({
        hostname: CustomHostnameName.describe('A hostname, such as `docs.example.com`.'),
        site: z
          .string()
          .nullable()
          .optional()
          .describe(
            'The id of the site at its root; without it, all sites of the organization are below it.',
          ),
      }),
    )
    .output(CustomHostnameObject)
    .mutation(async ({ ctx, input: { hostname, site = null } }) => {
      const { db, em, organization, services } = ctx;
      await assignHostname(em, services, hostname, { organization: organization.id, site });
      const row = await readClaim(db, { hostname, organization: organization.id });
      if (!row) throw notFound('custom hostname');
      return presentCustomHostname(row, services.urls);
    }),

  get: hostnameProcedure('view')
    .meta(
      route.get(HOSTNAME, 'Get a custom hostname', 'getCustomHostname', {
        description: 'Returns what is published at the hostname, and which DNS records it needs.',
      }),
    )
    .output(CustomHostnameObject)
    .query(({ ctx }) => presentCustomHostname(ctx.row, ctx.services.urls)),

  revalidate: hostnameProcedure('admin')
    .meta(
      route.patch(HOSTNAME, 'Check the DNS records of a custom hostname', 'dnsRevalidateCustomHostname', {
        description: 'Checks the records now instead of waiting for the next daily check.',
        success: 204,
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx: { db, row, services } }) => {
      await enqueueCheck(db, services, { hostname: row.hostname, organization: row.organization });
    }),

  remove: hostnameProcedure('admin')
    .meta(
      route.delete(HOSTNAME, 'Remove a custom hostname', 'removeCustomHostname', {
        description: 'The site is no longer available at the hostname.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx: { em, row, services } }) => {
      await removeHostname(em, services, row);
      return { removed: true };
    }),
});
