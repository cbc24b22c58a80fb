import { z } from 'zod';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/** A procedure about one specification of an organization: loads it as `ctx.spec`. */
export const specProcedure = (permission: 'viewOpenAPISpecs' | 'createOpenAPISpec') =>
  organizationProcedure(permission)
    .input(z.object({ specSlug: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const spec = await ctx.db
        .selectFrom('openapi_spec')
        .select(columnsOf(OpenApiSpec))
        .where('organization_id', '=', ctx.organization.id)
        .where('slug', '=', input.specSlug)
        .executeTakeFirst();
      if (!spec) throw notFound('specification');
      return next({ ctx: { spec } });
    });

/** A procedure about the latest version of a specification: loads it as `ctx.version`. */
export const latestVersionProcedure = () =>
  specProcedure('viewOpenAPISpecs').use(async ({ ctx, next }) => {
    const version = await ctx.db
      .selectFrom('openapi_spec_version')
      .select(columnsOf(OpenApiSpecVersion))
      .where('id', '=', ctx.spec.lastVersion)
      .executeTakeFirst();
    if (!version) throw new DomainError('not-found', 'The specification has no version yet.');
    return next({ ctx: { version } });
  });

/** A procedure about one version of a specification: loads it as `ctx.version`. */
export const versionProcedure = () =>
  specProcedure('viewOpenAPISpecs')
    .input(z.object({ versionId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const version = await ctx.db
        .selectFrom('openapi_spec_version')
        .select(columnsOf(OpenApiSpecVersion))
        .where('id', '=', input.versionId)
        .where('spec_id', '=', ctx.spec.id)
        .executeTakeFirst();
      if (!version) throw notFound('version');
      return next({ ctx: { version } });
    });
