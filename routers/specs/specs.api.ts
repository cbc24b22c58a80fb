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
  message: z.string().describe('What is wrong, in a sentence.'),
  code: z.string().describe('The kind of problem.'),
  path: z.string().optional().describe('A JSON pointer to the place in the document.'),
  line: z.number().int().optional().describe('Counted from 1, as the column is.'),
  column: z.number().int().optional().describe('The column in the document, from 1.'),
  file: z
    .string()
    .optional()
    .describe('The URL of the document, if it is one that the specification refers to.'),
});

export const Slug = z
  .string()
  .min(1)
  .max(MAX_SPEC_NAME)
  .regex(/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/, 'must be letters and digits in groups joined by single hyphens')
  .describe('Unique in the organization.');

/** The public object of a specification. */
export const OpenAPISpecObject = z
  .object({
    object: z.literal('openapi-spec').describe('The type of the object: always `openapi-spec`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    slug: z.string().describe('Names the specification within its organization.'),
    sourceURL: z.string().optional().describe('Where it is fetched from; absent if it was given as text.'),
    processingState: z
      .enum(PROCESSING_STATES)
      .describe('Whether the source still has to be read: `pending`, `progress`, then `complete`.'),
    visibility: z.enum(SPEC_VISIBILITIES).describe('Who can read the document.'),
    lastVersion: z.string().optional().describe('Id of the latest version; absent until there is one.'),
    lastProcessedAt: z.string().optional().describe('When the source was last read.'),
    lastProcessErrorCode: z
      .enum(PROCESSING_ERROR_CODES)
      .optional()
      .describe('Why there is no new version; the latest one stays.'),
    lastProcessedErrors: z.array(ProcessingErrorObject).optional().describe('What was wrong with it then.'),
    lastProcessedErrorCount: z.number().int().describe('Reading ends at the hundredth error.'),
    permissions: permissionFlags(SPEC_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
        published: z.string().optional().describe('Where anyone can read it, if it is public.'),
      })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'OpenAPISpec',
    description:
      'An OpenAPI document of an organization, read from a URL or sent as text, with its versions.',
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
