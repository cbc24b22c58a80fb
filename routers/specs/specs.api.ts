import { z } from 'zod';
import type { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { PROCESSING_ERROR_CODES, PROCESSING_STATES, SPEC_VISIBILITIES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { permissionFlags, permissionsOf, SPEC_NEEDS } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';
import { MAX_SPEC_NAME } from '../engine/document/refs.ts';
import { publishedPath } from './published.ts';

const ProcessingErrorObject = z.object({
  message: z.string().describe('What is wrong, as a sentence.'),
  code: z.string().describe('The kind of problem.'),
  path: z.string().optional().describe('A JSON pointer to the place in the document.'),
  line: z.number().int().optional().describe('The line in the document, from 1.'),
  column: z.number().int().optional().describe('The column in the document, from 1.'),
  file: z
    .string()
    .optional()
    .describe('The URL of the document with the error, if it is one that the main document refers to.'),
});

export const Slug = z
  .string()
  .min(1)
  .max(MAX_SPEC_NAME)
  .regex(/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/, 'must be letters and digits in groups joined by single hyphens')
  .describe('The slug, unique within the organization.');

/** The public object of an OpenAPI spec. */
export const OpenAPISpecObject = z
  .object({
    object: z.literal('openapi-spec').describe('The type of the object: always `openapi-spec`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    slug: z.string().describe('Identifies the OpenAPI spec within its organization.'),
    sourceURL: z
      .string()
      .optional()
      .describe('The URL that it is fetched from; absent if it was uploaded as text.'),
    processingState: z
      .enum(PROCESSING_STATES)
      .describe('The state of processing the source: `pending`, `progress`, then `complete`.'),
    visibility: z.enum(SPEC_VISIBILITIES).describe('Who can read the document.'),
    lastVersion: z.string().optional().describe('The id of the latest version; absent until there is one.'),
    lastProcessedAt: z.string().optional().describe('When the source was last processed.'),
    lastProcessErrorCode: z
      .enum(PROCESSING_ERROR_CODES)
      .optional()
      .describe('Why the last processing failed; the latest version is kept.'),
    lastProcessedErrors: z
      .array(ProcessingErrorObject)
      .optional()
      .describe('The errors of the last processing.'),
    lastProcessedErrorCount: z
      .number()
      .int()
      .describe('The number of these errors; processing stops at the hundredth.'),
    permissions: permissionFlags(SPEC_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
        published: z
          .string()
          .optional()
          .describe('The URL at which anyone can read the document, if it is public.'),
      })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'OpenAPISpec',
    description:
      'An OpenAPI document of an organization, fetched from a URL or uploaded as text, with its versions.',
  });

export const presentSpec = (
  spec: Presentable<OpenApiSpec>,
  viewer: Viewer,
): z.infer<typeof OpenAPISpecObject> => ({
  object: 'openapi-spec',
  id: spec.id,
  createdAt: isoTime(spec.createdAt),
  updatedAt: isoTime(spec.updatedAt),
  slug: spec.slug,
  sourceURL: spec.sourceUrl ?? undefined,
  processingState: spec.processingState,
  visibility: spec.visibility,
  lastVersion: spec.lastVersion ?? undefined,
  lastProcessedAt: optionalTime(spec.lastProcessedAt),
  lastProcessErrorCode: spec.lastProcessErrorCode ?? undefined,
  lastProcessedErrors: spec.lastProcessedErrors.length > 0 ? spec.lastProcessedErrors : undefined,
  lastProcessedErrorCount: spec.lastProcessedErrors.length,
  permissions: permissionsOf(SPEC_NEEDS, { level: viewer.role, scope: viewer.scope }),
  urls: {
    location: viewer.urls.location('orgs', spec.organization, 'openapi', spec.slug),
    app: viewer.urls.app('orgs', spec.organization, 'openapi', spec.slug),
    published: spec.visibility === 'public' ? viewer.urls.absolute(publishedPath(spec)) : undefined,
  },
});
