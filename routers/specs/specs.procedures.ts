import { z } from 'zod';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { columnsOf } from '../../schema/rows.ts';
import { declaredPermission, requiredPermission, VISITOR_LEVEL } from '../access/needs.ts';
import { optimisticOrganizationProcedure, organizationProcedure } from '../access/procedures.ts';
import { requireOrganization, requireOrganizationPermission } from '../access/require.ts';
import { loadVisitedSpaces } from '../access/visited.query.ts';
import { siteTag, specTag } from '../base/cache-tags.ts';
import type { Db } from '../base/db.ts';
import { readerProcedure } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { readLatestVersion } from './versions.query.ts';

/** An OpenAPI spec of an organization by its slug. */
async function readSpec(db: Db, organization: string, slug: string) {
  const spec = await db
    .selectFrom('openapi_spec')
    .select(columnsOf(OpenApiSpec))
    // guard: organization-of-spec
    .where('organization_id', '=', organization)
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (!spec) throw notFound('OpenAPI spec');
  return spec;
}

/** A procedure about one OpenAPI spec of an organization: loads it as `ctx.spec`. */
export const specProcedure = (permission: 'viewOpenAPISpecs' | 'createOpenAPISpec') =>
  organizationProcedure(permission)
    .input(z.object({ specSlug: z.string().describe('The slug of the OpenAPI spec.') }))
    .use(async ({ ctx, input, next }) =>
      next({ ctx: { spec: await readSpec(ctx.db, ctx.organization.id, input.specSlug) } }),
    );

/** Like {@link specProcedure}, without a transaction: see `optimisticOrganizationProcedure`. */
export const optimisticSpecProcedure = (permission: 'createOpenAPISpec') =>
  optimisticOrganizationProcedure(permission)
    .input(z.object({ specSlug: z.string().describe('The slug of the OpenAPI spec.') }))
    .use(async ({ ctx, input, next }) =>
      next({ ctx: { spec: await readSpec(ctx.db, ctx.organization.id, input.specSlug) } }),
    );

/**
 * A query about the latest version of an OpenAPI spec, for members and for visitors of a site: loads it as `ctx.version`,
 * with `ctx.spec`. Visitors can read public ones of its organization, and those used by pages that they may see.
 */
export const latestVersionProcedure = () =>
  readerProcedure
    .meta({ need: requiredPermission('organization', 'viewOpenAPISpecs') })
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        specSlug: z.string().describe('The slug of the OpenAPI spec.'),
      }),
    )
    .use(async ({ ctx, input: { organizationId, specSlug }, meta, next }) => {
      const { db, reader, services, dependencies } = ctx;
      const need = declaredPermission(meta, 'organization');
      const tag = specTag(organizationId, specSlug);
      if (reader.kind === 'user') {
        await requireOrganization(db, reader, organizationId, need);
        const latest = await requireLatestVersion(db, organizationId, specSlug);
        dependencies?.add(tag);
        return next({ ctx: latest });
      }
      requireOrganizationPermission(VISITOR_LEVEL, need);
      // guard: spec-of-visitor-organization
      if (reader.organization !== organizationId) throw notFound('OpenAPI spec');
      const [spaces, latest] = await Promise.all([
        loadVisitedSpaces(db, reader),
        requireLatestVersion(db, organizationId, specSlug),
      ]);
      const { spec } = latest;
      const isVisible =
        spaces.length > 0 &&
        (spec.visibility === 'public' || (await services.isSpecVisible(ctx, spec, spaces)));
      // guard: spec-shown
      if (!isVisible) throw notFound('OpenAPI spec');
      dependencies?.add(tag).add(siteTag(reader.site));
      return next({ ctx: latest });
    });

/** @throws DomainError `not-found` for an OpenAPI spec that does not exist, or has no version yet */
async function requireLatestVersion(db: Db, organization: string, slug: string) {
  const found = await readLatestVersion(db, organization, slug);
  if (!found) throw notFound('OpenAPI spec');
  const { spec, version } = found;
  if (!version) throw new DomainError('not-found', 'The OpenAPI spec has no version yet.');
  return { spec, version };
}

/** A procedure about one version of an OpenAPI spec: loads it as `ctx.version`. */
export const versionProcedure = () =>
  specProcedure('viewOpenAPISpecs')
    .input(z.object({ versionId: z.string().describe('The id of the version.') }))
    .use(async ({ ctx, input, next }) => {
      const version = await ctx.db
        .selectFrom('openapi_spec_version')
        .select(columnsOf(OpenApiSpecVersion))
        .where('id', '=', input.versionId)
        // guard: spec-of-version
        .where('spec_id', '=', ctx.spec.id)
        .executeTakeFirst();
      if (!version) throw notFound('version');
      return next({ ctx: { version } });
    });
