import { z } from 'zod';
import { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { columnsOf } from '../../schema/rows.ts';
import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { KEPT_VERSIONS } from './retention.operation.ts';
import { route } from './route.ts';
import { latestVersionProcedure, specProcedure, versionProcedure } from './specs.procedures.ts';
import { OpenAPISpecVersionObject, presentVersion } from './versions.api.ts';
import { versionHandlers } from './versions.handlers.ts';

const PATH = '/orgs/{organizationId}/openapi/{specSlug}/versions';

/** The document as it was received, in its own format. */
const RAW = {
  produces: '*/*',
  description: 'Returns the JSON or YAML document byte by byte as it was received.',
} as const;

export const latestVersionRouter = router(
  mount(latestVersionProcedure(), versionHandlers, {
    get: route.get(
      `${PATH}/latest`,
      'Get the latest version of an OpenAPI spec',
      'getLatestOpenAPISpecVersion',
      { description: 'Returns the latest version that could be processed.' },
    ),
    content: route.get(
      `${PATH}/latest/content`,
      'Get the content of the latest version of an OpenAPI spec',
      'getLatestOpenAPISpecVersionContent',
      { description: 'Returns the files of the latest version, parsed.' },
    ),
    raw: route.get(
      `${PATH}/latest/content/raw`,
      'Get the document of the latest version of an OpenAPI spec',
      'getLatestOpenAPISpecVersionRawContent',
      RAW,
    ),
  }),
);

export const versionsRouter = router({
  list: specProcedure('viewOpenAPISpecs')
    .meta(
      route.get(PATH, 'List the versions of an OpenAPI spec', 'listOpenAPISpecVersions', {
        description: `Lists at least the latest ${KEPT_VERSIONS} versions, newest first. Older ones are kept as long as content refers to them.`,
      }),
    )
    .input(z.object(paging))
    .output(listOf(OpenAPISpecVersionObject))
    .query(async ({ ctx, input }) => {
      const listed = ctx.db.selectFrom('openapi_spec_version').where('spec_id', '=', ctx.spec.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(OpenApiSpecVersion)),
        order: [{ column: 'openapi_spec_version.id', direction: 'desc', of: (row) => row.id }],
        present: (version) => presentVersion(version, ctx.spec, ctx.services),
      });
    }),
  ...mount(versionProcedure(), versionHandlers, {
    get: route.get(`${PATH}/{versionId}`, 'Get a version of an OpenAPI spec', 'getOpenAPISpecVersionById', {
      description: 'Versions never change: a changed source creates a new one.',
    }),
    content: route.get(
      `${PATH}/{versionId}/content`,
      'Get the content of a version of an OpenAPI spec',
      'getOpenAPISpecVersionContentById',
      { description: 'Returns the files of the version, parsed.' },
    ),
    raw: route.get(
      `${PATH}/{versionId}/content/raw`,
      'Get the document of a version of an OpenAPI spec',
      'getOpenAPISpecVersionRawContentById',
      RAW,
    ),
  }),
});
