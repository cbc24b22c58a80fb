import { buffer } from 'node:stream/consumers';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { columnsOf } from '../../schema/rows.ts';
import { operatorViewer } from '../access/viewer.ts';
import { isoTime, Removal } from '../base/common-schemas.ts';
import type { Context } from '../base/context.ts';
import { operatorJobProcedure, router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { localEngine } from '../engine/tasks/engine.ts';
import { processSpec } from '../specs/processing.operation.ts';
import { requireUnusedSpec } from '../specs/references.ts';
import { deleteSpec, putSpec } from '../specs/sources.operation.ts';
import { OpenAPISpecObject, presentSpec, Slug } from '../specs/specs.api.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { lookUpOrganization } from './lookup.operation.ts';
import { Bytes, PublicationObject, type PublicationStep } from './specs.api.ts';

const named = {
  organization: z
    .string()
    .optional()
    .describe('The id or title of the organization; optional if there is only one.'),
  slug: Slug,
};

export const installationSpecsRouter = router({
  /**
   * Publishes a document as the latest version of an OpenAPI spec, which is created if it does not exist. Processes it in this
   * process, so that it does not matter whether the service is running.
   */
  publish: operatorJobProcedure
    .input(
      z.object({
        ...named,
        document: Bytes,
        onProgress: z
          .custom<(step: PublicationStep) => void>((value) => typeof value === 'function')
          .optional(),
      }),
    )
    .output(PublicationObject)
    .mutation(async ({ ctx, input: { organization, slug, document, onProgress } }) => {
      const source = { bytes: document };
      onProgress?.('storing');
      const { before, id, processing } = await ctx.transaction(async (em) => {
        const { id: owner } = await lookUpOrganization(em, organization);
        const spec = await putSpec(em, ctx.services, { organization: owner, slug, source });
        return { before: spec.lastVersion ?? null, id: spec.id, processing: spec.processing };
      });
      onProgress?.('processing');
      await processSpec(ctx, { spec: id, processing });
      return publicationOf(ctx, { id, processing, before });
    }),

  list: operatorJobProcedure
    .input(z.object({ ...paging, organization: named.organization }))
    .output(listOf(OpenAPISpecObject))
    .query(async ({ ctx, input }) => {
      const { id } = await ctx.transaction((em) => lookUpOrganization(em, input.organization));
      const listed = ctx.db.selectFrom('openapi_spec').where('organization_id', '=', id);
      const viewer = operatorViewer(ctx.services.urls);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(OpenApiSpec)),
        order: [{ column: 'openapi_spec.id', direction: 'desc', of: (row) => row.id }],
        present: (spec) => presentSpec(spec, viewer),
      });
    }),

  /** Returns the document of a version as it was received. */
  read: operatorJobProcedure
    .input(
      z.object({
        ...named,
        version: z.string().optional().describe('The id of the version; the latest by default.'),
      }),
    )
    .output(z.object({ version: z.string(), format: z.enum(['json', 'yaml']), document: Bytes }))
    .query(async ({ ctx, input }) => {
      const spec = await ctx.transaction((em) => findSpec(em, input));
      const version = await ctx.db
        .selectFrom('openapi_spec_version')
        .select(['id', 'format', 'source'])
        .where('spec_id', '=', spec.id)
        .where('id', '=', input.version ?? spec.lastVersion ?? null)
        .executeTakeFirst();
      if (!version) throw notFound('version');
      const document = await buffer(await ctx.services.storage.read(version.source));
      return { version: version.id, format: version.format, document };
    }),

  delete: operatorJobProcedure
    .input(z.object({ ...named, force: z.boolean().default(false) }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const spec = await ctx.transaction((em) => findSpec(em, input));
      if (!input.force) await requireUnusedSpec({ ...ctx, engine: localEngine }, spec, undefined);
      return { removed: await transact(ctx, (em) => deleteSpec(em, spec)) };
    }),
});

/** @throws DomainError `not-found` */
async function findSpec(
  em: SqlEntityManager,
  { organization, slug }: { organization?: string | undefined; slug: string },
): Promise<OpenApiSpec> {
  const { id } = await lookUpOrganization(em, organization);
  const spec = await em.findOne(OpenApiSpec, { organization: id, slug });
  if (!spec) throw notFound('specification');
  return spec;
}

/** Presents the result of the processing that a publication requested. */
async function publicationOf(
  { db, services }: Context,
  { id, processing, before }: { id: string; processing: number; before: string | null },
): Promise<z.input<typeof PublicationObject>> {
  const spec = await db
    .selectFrom('openapi_spec')
    .select(columnsOf(OpenApiSpec))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!spec) throw new DomainError('conflict', 'The OpenAPI spec was deleted in the meantime.');
  if (spec.processing !== processing)
    throw new DomainError('conflict', 'Another document was published in the meantime.');
  const presented = { spec: presentSpec(spec, operatorViewer(services.urls)) };
  if (spec.lastProcessErrorCode !== null || spec.lastVersion === null) return presented;
  const version = await db
    .selectFrom('openapi_spec_version')
    .select(['id', 'created_at as createdAt', 'operations'])
    .where('id', '=', spec.lastVersion)
    .executeTakeFirstOrThrow();
  const isNew = version.id !== before;
  return { ...presented, version: { ...version, createdAt: isoTime(version.createdAt), isNew } };
}
