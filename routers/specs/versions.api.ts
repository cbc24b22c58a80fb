import { hash } from 'node:crypto';
import { z } from 'zod';
import type { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import type { OpenApiSpecVersion } from '../../schema/entities/openapi-spec-version.ts';
import { acceptPrebuilt } from '../../schema/json/accept-prebuilt.ts';
import type { Presentable, Row } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { FileStorage, Signer, Urls } from '../base/ports.ts';
import { downloadPath } from '../response/downloads.ts';
import { PrebuiltResponse } from '../response/prebuilt-response.ts';
import { MEDIA_TYPES, publishedPath } from './published.ts';

const url = z
  .string()
  .describe(
    'The URL of the document as it was received, which works without a token; it changes every few days.',
  );

/** The public object of a version. */
export const OpenAPISpecVersionObject = z
  .object({
    object: z
      .literal('openapi-spec-version')
      .describe('The type of the object: always `openapi-spec-version`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    url,
    operations: z.number().int().describe('The number of operations on its paths.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'OpenAPISpecVersion', description: 'One version of an OpenAPI document.' });

/** The content of a version. */
export const OpenAPISpecContentObject = acceptPrebuilt(
  z
    .object({
      filesystem: z
        .array(
          z.object({
            dir: z.string().describe('The folder of the file.'),
            isEntrypoint: z.boolean().describe('Whether this is the main file.'),
            references: z
              .array(z.string())
              .describe('Always empty: other documents are included in this one, as `x-ext`.'),
            filename: z.string().describe('The name of the file.'),
            specification: z
              .looseObject({})
              .describe('The document, with all references resolved to places within it.'),
          }),
        )
        .describe('The files of the document.'),
      url,
      urls: z
        .object({
          source: url.describe('The URL of the document as it was received.'),
          public: z
            .string()
            .nullable()
            .describe('The URL at which anyone can read the document; null for a private OpenAPI spec.'),
        })
        .describe('The URLs of the object.'),
    })
    .meta({ id: 'OpenAPISpecContent', description: 'The files of an OpenAPI document, parsed.' }),
  // It was validated when it was stored.
  PrebuiltResponse,
);

type Version = Presentable<OpenApiSpecVersion>;

/** The OpenAPI spec of a version. */
interface Spec {
  organization: string;
  slug: string;
}

/** What URLs are made with. */
interface UrlContext {
  urls: Urls;
  signer: Signer;
}

export const presentVersion = (
  version: Version,
  spec: Spec,
  { urls, signer }: UrlContext,
): z.infer<typeof OpenAPISpecVersionObject> => ({
  object: 'openapi-spec-version',
  id: version.id,
  createdAt: isoTime(version.createdAt),
  url: documentUrl(version, spec, { urls, signer }),
  operations: version.operations,
  urls: {
    location: urls.location('orgs', spec.organization, 'openapi', spec.slug, 'versions', version.id),
  },
});

function documentUrl({ source, format }: Version, { slug }: Spec, { urls, signer }: UrlContext): string {
  const file = { sha256: source, name: `${slug}.${format}`, contentType: MEDIA_TYPES[format] };
  return urls.absolute(downloadPath(signer, file, Date.now()));
}

/** A version as it was received. */
export const presentRaw = (
  { source, format }: Pick<Version, 'source' | 'format'>,
  size: number,
  storage: FileStorage,
): PrebuiltResponse =>
  new PrebuiltResponse(storage, {
    contentType: `${MEDIA_TYPES[format]}; charset=utf-8`,
    kind: 'text',
    tag: source,
    parts: [{ sha256: source, size }],
  });

/** The content of a version around its document, which is neither read nor parsed. */
export function presentContent(
  version: Version,
  size: number,
  spec: Spec & Pick<Row<OpenApiSpec>, 'visibility'>,
  { storage, ...addressing }: UrlContext & { storage: FileStorage },
): PrebuiltResponse {
  const url = documentUrl(version, spec, addressing);
  const entry = { dir: '.', isEntrypoint: true, references: [], filename: 'openapi.json' };
  const before = `{"filesystem":[${JSON.stringify(entry).slice(0, -1)},"specification":`;
  const isPublic = spec.visibility === 'public';
  const addresses = {
    url,
    urls: { source: url, public: isPublic ? addressing.urls.absolute(publishedPath(spec)) : null },
  };
  const after = `}],${JSON.stringify(addresses).slice(1)}`;
  return new PrebuiltResponse(storage, {
    contentType: 'application/json; charset=utf-8',
    kind: 'json',
    // The URL in it changes over time.
    tag: `${version.document}-${hash('sha256', after).slice(0, 8)}`,
    parts: [before, { sha256: version.document, size }, after],
  });
}
