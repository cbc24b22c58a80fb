import { z } from 'zod';
import { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { SPEC_VISIBILITIES } from '../../schema/enums.ts';
import { acceptPrebuilt } from '../../schema/json/accept-prebuilt.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { kyselyOf } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { SerializedText } from '../engine/specs/serialized-text.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockRow } from '../sql/lock-row.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { requireUnusedSpec } from './references.ts';
import { route } from './route.ts';
import { createSpec, deleteSpec, putSpec, refreshSpec, type SpecSource } from './sources.operation.ts';
import { OpenAPISpecObject, presentSpec, Slug } from './specs.api.ts';
import { optimisticSpecProcedure, specProcedure } from './specs.procedures.ts';

/** A text that arrives as bytes is accepted as is: its size is checked when it is stored. */
const SourceText: z.ZodType<string | SerializedText, string> = acceptPrebuilt(
  z
    .string()
    .min(1)
    .max(SPEC_LIMIT)
    .describe(`JSON or YAML of at most ${byteLimit(SPEC_LIMIT)}.`),
  SerializedText,
);

const Source = z
  .object({
    url: HttpUrl.describe('The URL of the document, which is fetched at once, and again from time to time.'),
    text: SourceText.describe('The document itself, as JSON or YAML.'),
  })
  .partial()
  .refine(({ url, text }) => (url === undefined) !== (text === undefined), {
    error: 'must have either a url or a text',
  })
  .transform(({ url, text = '' }): SpecSource => (url === undefined ? { text } : { url }))
  .describe('The source of the document: either a URL or a text.');

/** In JSON, escapes add at most as many bytes again to a text of the maximum size. */
const BODY_LIMIT = 2 * SPEC_LIMIT + 1024;

const PATH = '/orgs/{organizationId}/openapi';

export const specsRouter = router({
  list: organizationProcedure('viewOpenAPISpecs')
    .meta(
      route.get(PATH, 'List the OpenAPI specs of an organization', 'listOpenAPISpecs', {
        description: 'Lists OpenAPI specs with the state of their processing, newest first.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(OpenAPISpecObject))
    .query(async ({ ctx, input }) => {
      const listed = ctx.db.selectFrom('openapi_spec').where('organization_id', '=', ctx.organization.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(OpenApiSpec)),
        order: [{ column: 'openapi_spec.id', direction: 'desc', of: (row) => row.id }],
        present: (spec) => presentSpec(spec, ctx.viewer),
      });
    }),

  create: organizationProcedure('createOpenAPISpec')
    .meta(
      route.post(PATH, 'Create an OpenAPI spec', 'createOpenAPISpec', {
        success: 201,
        bodyLimit: BODY_LIMIT,
        description:
          'Accepts Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2, in JSON or YAML. The document is processed shortly afterwards: once `processingState` is `complete`, there is a version, or `lastProcessErrorCode` is set.',
      }),
    )
    .input(
      z.object({
        slug: Slug.describe('Identifies the OpenAPI spec within its organization.'),
        source: Source.describe('The source of the document: a URL, or the text itself.'),
      }),
    )
    .output(OpenAPISpecObject)
    .mutation(async ({ ctx, input: { slug, source } }) => {
      const { em, services, organization, viewer } = ctx;
      return presentSpec(
        await createSpec(em, services, { organization: organization.id, slug, source }),
        viewer,
      );
    }),

  get: specProcedure('viewOpenAPISpecs')
    .meta(
      route.get(`${PATH}/{specSlug}`, 'Get an OpenAPI spec', 'getOpenAPISpecBySlug', {
        description: 'Returns the OpenAPI spec with the state of its processing.',
      }),
    )
    .output(OpenAPISpecObject)
    .query(({ ctx }) => presentSpec(ctx.spec, ctx.viewer)),

  put: organizationProcedure('createOpenAPISpec')
    .meta(
      route.put(
        `${PATH}/{specSlug}`,
        'Create an OpenAPI spec, or set its source',
        'createOrUpdateOpenAPISpecBySlug',
        {
          bodyLimit: BODY_LIMIT,
          description:
            'The document is processed shortly afterwards. A new version is created if it differs from the latest one.',
        },
      ),
    )
    .input(
      z.object({
        specSlug: Slug.describe('The slug of the OpenAPI spec.'),
        source: Source.describe('The source of the document: a URL, or the text itself.'),
      }),
    )
    .output(OpenAPISpecObject)
    .mutation(async ({ ctx, input: { specSlug: slug, source } }) => {
      const { em, services, organization, viewer } = ctx;
      const spec = await putSpec(em, services, { organization: organization.id, slug, source });
      return presentSpec(spec, viewer);
    }),

  update: specProcedure('createOpenAPISpec')
    .meta(
      route.patch(`${PATH}/{specSlug}`, 'Make an OpenAPI spec public or private', 'updateOpenAPISpecBySlug', {
        description: 'Anyone can read a public OpenAPI spec at `urls.published`.',
      }),
    )
    .input(z.object({ visibility: z.enum(SPEC_VISIBILITIES).describe('Who can read the document.') }))
    .output(OpenAPISpecObject)
    .mutation(async ({ ctx, input: { visibility } }) => {
      const { em, organization, viewer } = ctx;
      const spec = await lockRow(em, OpenApiSpec, ctx.spec.id, 'OpenAPI spec');
      if (spec.visibility !== visibility) {
        em.assign(spec, { visibility });
        await em.flush();
        recordEvent(em, {
          type: 'openapi_spec.updated',
          organization: organization.id,
          spec: spec.id,
          slug: spec.slug,
        });
      }
      return presentSpec(spec, viewer);
    }),

  refresh: specProcedure('createOpenAPISpec')
    .meta(
      route.post(`${PATH}/{specSlug}/refresh`, 'Fetch an OpenAPI spec again now', 'refreshOpenAPISpec', {
        description: 'Fails with 409 if it was uploaded as text.',
      }),
    )
    .output(OpenAPISpecObject)
    .mutation(async ({ ctx: { em, services, spec, viewer } }) =>
      presentSpec(await refreshSpec(em, services, spec.id), viewer),
    ),

  delete: optimisticSpecProcedure('createOpenAPISpec')
    .meta(
      route.delete(`${PATH}/{specSlug}`, 'Delete an OpenAPI spec', 'deleteOpenAPISpecBySlug', {
        description:
          'Also deletes all of its versions. If pages use it, the request fails with 409, which names them, unless `force` is true.',
      }),
    )
    .input(
      z.object({
        force: z
          .boolean()
          .default(false)
          .describe(
            'Whether to delete it even if it is used; the pages that use it then say that it no longer exists.',
          ),
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx, input: { force } }) => {
      const { spec, load } = ctx;
      // Outside the transaction, because this reads pages that are not indexed yet.
      // guard: deletion-spec-use
      if (!force) await requireUnusedSpec(ctx, spec, ctx.actor);
      return transact(ctx, async (em) => {
        await load(kyselyOf(em));
        return { removed: await deleteSpec(em, spec) };
      });
    }),
});
