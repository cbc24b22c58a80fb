import { generateOpenApiDocument } from 'trpc-to-openapi';
import { describedRouter } from '../trpc/trpc-internals.ts';
import { VERSION } from '../version.ts';
import { nameBodies } from './openapi/components.ts';
import { addErrorComponents } from './openapi/errors.ts';
import { addExamples } from './openapi/examples.ts';
import {
  addQueryParameters,
  describeBody,
  describeResponses,
  describeSecurity,
  describeStream,
  type OperationAmendment,
  SECURITY_SCHEMES,
} from './openapi/operations.ts';
import { type FacadeProcedure, facadeProcedures, generatorInput, tagsOf } from './openapi/procedures.ts';
import { mergeTwinSchemas } from './openapi/schemas.ts';
import { TAG_DESCRIPTIONS } from './openapi/tags.ts';
import type { OpenApiDocument } from './openapi/types.ts';
import { describeUploads } from './openapi/uploads.ts';

export type { OpenApiDocument } from './openapi/types.ts';

const DESCRIPTION = `Documentation in spaces, proposed and reviewed in change requests, published as sites.

Lists are paginated: to get the next page, send \`next.page\` of the response as \`page\`, until there is no \`next\`.
Times are ISO 8601 in UTC. Objects that the caller may not view are reported as not found. The \`permissions\` of an object
tell what the caller may do with it.

Unknown properties of a body and unknown query parameters are ignored, and listed in the response header
\`X-Ignored-Input\`; with \`Prefer: handling=strict\`, they are rejected with 400.`;

const INFO = {
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The operator of this Colophon installation' },
};

/** What the REST API does that the generator cannot read from procedures, in the order in which it is added to each operation. */
const OPERATION_AMENDMENTS: readonly OperationAmendment[] = [
  // Reads of published sites accept the tokens of visitors, and some operations need no token.
  describeSecurity,
  // The generator accepts only strings, numbers and booleans as query parameters, not unions of them.
  addQueryParameters,
  // Some lists continue as a stream of events, which a subscription produces.
  describeStream,
  describeBody,
  // Creations return 201, removals 204 or 205, and all errors have one format.
  describeResponses,
];

/** The same for the whole document. */
const DOCUMENT_AMENDMENTS: readonly ((
  document: OpenApiDocument,
  source: Source,
) => OpenApiDocument | undefined)[] = [
  (document) => void addErrorComponents(document),
  addInfo,
  // The generator writes an object that is both input and output as two components.
  mergeTwinSchemas,
  // Generators of clients derive the names of types from the names of components.
  (document) => void nameBodies(document),
  // Uploads are not procedures, because they are sent as they are, not as JSON.
  (document, { publicUrl }) => void describeUploads(document, publicUrl),
  (document) => void addExamples(document),
];

/** What the document is made from. */
interface Source {
  procedures: readonly FacadeProcedure[];
  publicUrl: string;
}

/**
 * The OpenAPI 3.1 document of the REST API, for a service at a base URL: what trpc-to-openapi generates from the procedures,
 * and the amendments above.
 */
export function openApiDocument(publicUrl: string): OpenApiDocument {
  const procedures = facadeProcedures();
  const router = describedRouter(Object.fromEntries(procedures.map(generatorInput)));
  const generated = generateOpenApiDocument(router, {
    title: 'Colophon',
    description: DESCRIPTION,
    version: VERSION,
    baseUrl: `${publicUrl}/v1`,
    securitySchemes: SECURITY_SCHEMES,
  }) as unknown as OpenApiDocument;
  for (const procedure of procedures) {
    const { path, method } = procedure.meta.openapi;
    const operation = generated.paths[path]?.[method.toLowerCase()];
    if (operation) for (const amend of OPERATION_AMENDMENTS) amend(operation, procedure);
  }
  return DOCUMENT_AMENDMENTS.reduce(
    (document, amend) => amend(document, { procedures, publicUrl }) ?? document,
    generated,
  );
}

function addInfo(document: OpenApiDocument, { procedures }: Source): undefined {
  document.info = { ...document.info, ...INFO };
  document.tags = tagsOf(procedures).map((name) => ({ name, description: TAG_DESCRIPTIONS[name] as string }));
}
