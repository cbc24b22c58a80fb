import type { AnyProcedure } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { deniesWith403 } from '../../routers/access/needs.ts';
import type { Meta } from '../../routers/base/trpc.ts';
import { appRouter } from '../../routers/index.ts';
import { isHttpInput } from '../../routers/sql/pagination.ts';
import { definitionOf, describedRouter, proceduresOf } from '../trpc/trpc-internals.ts';
import { VERSION } from '../version.ts';
import { nameBodies } from './openapi/components.ts';
import { addExamples } from './openapi/examples.ts';
import { TAG_DESCRIPTIONS } from './openapi/tags.ts';
import type { OpenApiDocument, Operation, Parameter, ResponseObject, Schema } from './openapi/types.ts';
import { describeUploads } from './openapi/uploads.ts';

export type { OpenApiDocument } from './openapi/types.ts';

const DESCRIPTION = `Documentation in spaces, proposed and reviewed in change requests, published as sites.

Lists are paginated: to get the next page, send \`next.page\` of the response as \`page\`, until there is no \`next\`.
Times are ISO 8601 in UTC. Objects that the caller may not view are reported as not found. The \`permissions\` of an object
tell what the caller may do with it.

Unknown members of a body and unknown query parameters are ignored, and listed in the response header
\`X-Ignored-Input\`; with \`Prefer: handling=strict\`, they are rejected with 400.`;

const INFO = {
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The operator of this Colophon installation' },
};

const BEARER = 'bearer';
/** The token of a visitor of a site, which only some reads accept. */
const VISITOR = 'visitor';
const SECURITY_SCHEMES = {
  [BEARER]: { type: 'http', scheme: 'bearer' },
  [VISITOR]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A short-lived token for reading what one site publishes, as one visitor sees it.',
  },
} as const;

/** The suffix that the generator adds to the name of an output object if there is an input object with the same name. */
const OUTPUT_SUFFIX = 'Output';

/** Errors that have their own response in the document; `default` stands for all others. */
const ERRORS = {
  400: ['BadRequest', 'The request is not valid; `details` lists the problems, at most 100.'],
  401: ['Unauthorized', 'The access token is missing or not valid.'],
  403: ['Forbidden', 'The caller may view the object, but lacks the permission for this operation.'],
  404: ['NotFound', 'The object does not exist, or the caller may not view it.'],
  429: ['TooManyRequests', 'The caller sent too many requests; `Retry-After` says when to try again.'],
  default: ['Failure', 'Any other error, in the same format.'],
} as const;

const ERROR_SCHEMA = {
  type: 'object',
  description: 'The body of every error response.',
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      properties: {
        code: { type: 'integer', description: 'The HTTP status.' },
        message: { type: 'string', description: 'What is wrong, in one plain sentence.' },
        details: {
          type: 'array',
          description: 'The invalid places in the request.',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string', description: 'The place, as names and indexes joined by dots.' },
              message: { type: 'string', description: 'What is wrong there.' },
            },
            required: ['path', 'message'],
          },
        },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

/** The OpenAPI 3.1 document of the REST API, for a service at a base URL. */
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
  for (const { procedure, meta } of procedures) {
    const operation = generated.paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
    if (operation) refine(operation, procedure, meta);
  }
  const responses = Object.values(ERRORS).map(([name, description]) => [
    name,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ]);
  generated.components.schemas = { ...generated.components.schemas, Error: ERROR_SCHEMA };
  generated.components.responses = Object.fromEntries(responses);
  generated.info = { ...generated.info, ...INFO };
  generated.tags = tagsOf(procedures).map((name) => ({
    name,
    description: TAG_DESCRIPTIONS[name] as string,
  }));
  const document = mergeTwinSchemas(generated);
  nameBodies(document);
  describeUploads(document, publicUrl);
  addExamples(document);
  return document;
}

/** A JSON replacer that removes what the generator adds to schemas unnecessarily. */
function tidy(key: string, value: unknown): unknown {
  // Responses may gain members: clients must not treat objects as closed.
  if (key === 'additionalProperties' && value === false) return undefined;
  if ((key === 'minimum' || key === 'maximum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER)
    return undefined;
  return mergeIndexSignature(value);
}

/**
 * Merges named members into the schema of additional properties: no language that clients are generated for has a type whose
 * named members differ from all others.
 */
function mergeIndexSignature(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('additionalProperties' in value)) return value;
  const { properties, additionalProperties, required, ...schema } = value as Schema;
  if (schema.type !== 'object' || !properties || required || typeof additionalProperties !== 'object')
    return value;
  const named = Object.entries(properties).filter(([, member]) => typeof member === 'object');
  if (named.length === 0 || Object.keys(additionalProperties).length === 0) return value;
  const memberNotes = named.map(([name, { description }]) => `\`${name}\`: ${description}`);
  return {
    ...schema,
    description: [schema.description, ...memberNotes].join(' '),
    additionalProperties: { anyOf: [additionalProperties, ...named.map(([, member]) => member)] },
  };
}

/** Merges schemas that the generator wrote twice, for input and for output, if both are equal. */
function mergeTwinSchemas(document: OpenApiDocument): OpenApiDocument {
  let text = JSON.stringify(document, tidy);
  const { schemas } = (JSON.parse(text) as OpenApiDocument).components;
  for (const [name, schema] of Object.entries(schemas)) {
    const twin = `${name}${OUTPUT_SUFFIX}`;
    if (!schemas[twin]) continue;
    if (JSON.stringify(schemas[twin]).replaceAll(`${OUTPUT_SUFFIX}"`, '"') !== JSON.stringify(schema))
      continue;
    text = text.replaceAll(`"#/components/schemas/${twin}"`, `"#/components/schemas/${name}"`);
  }
  // The generator moves some unnamed schemas to components: put them back where they are referred to.
  for (const name of Object.keys(schemas).filter((name) => name.startsWith('__schema')))
    text = text.replaceAll(
      `"$ref":"#/components/schemas/${name}"`,
      JSON.stringify(schemas[name]).slice(1, -1),
    );
  const result = JSON.parse(text) as OpenApiDocument;
  for (const name of Object.keys(schemas)) {
    if (name.startsWith('__schema') || !text.includes(`"#/components/schemas/${name}"`))
      delete result.components.schemas[name];
  }
  return result;
}

type FacadeMeta = Meta & { openapi: NonNullable<Meta['openapi']> };
interface FacadeProcedure {
  name: string;
  procedure: AnyProcedure;
  meta: FacadeMeta;
}

function facadeProcedures(): FacadeProcedure[] {
  const procedures = Object.entries(proceduresOf(appRouter));
  const inFacade = procedures.flatMap(([name, procedure]) => {
    const { meta } = definitionOf(procedure);
    return meta?.openapi ? [{ name, procedure, meta: meta as FacadeMeta }] : [];
  });
  return [...Map.groupBy(inFacade, tagOf).values()].flat();
}

const tagOf = ({ meta }: FacadeProcedure) => meta.openapi.tags?.[0] as string;

/** The tags of the document, in the order of the root router. */
const tagsOf = (procedures: FacadeProcedure[]) => [...new Set(procedures.map(tagOf))];

const hasBody = ({ openapi: { method } }: FacadeMeta) => method !== 'GET' && method !== 'DELETE';

/** The whole input of a procedure over HTTP, as one object. */
function inputOf(procedure: AnyProcedure): z.ZodObject {
  const inputs = definitionOf(procedure).inputs as z.ZodObject[];
  const members = inputs.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  return z.object(Object.fromEntries(members.filter(([, schema]) => isHttpInput(schema))));
}

/** A procedure as the generator gets it: without query parameters, which may have several types, and without errors. */
function generatorInput({ name, procedure, meta }: FacadeProcedure) {
  let input = inputOf(procedure);
  if (!hasBody(meta)) {
    const inPath = Object.entries(input.shape).filter(([key]) => meta.openapi.path.includes(`{${key}}`));
    input = z.object(Object.fromEntries(inPath));
  }
  const { type, output: described } = definitionOf(procedure);
  const output = meta.produces ? z.unknown() : described;
  const openapi = { ...meta.openapi, errorResponses: [] };
  return [name, { type, inputs: [input], output, meta: { openapi } }] as const;
}

/** The statuses with which a procedure denies access, from the permission that it declares to need. */
function denialsOf(type: string, { need, openapi, success, denials = [] }: FacadeMeta): (401 | 403 | 404)[] {
  const isPublic = openapi.protect === false;
  // The token may be read-only.
  const canBeForbidden = (type === 'mutation' && !isPublic) || (need !== undefined && deniesWith403(need));
  // Removing an object that does not exist, or that the caller may not view, is not an error.
  const canBeNotFound = success !== 'removal' && (need !== undefined || openapi.path.includes('{'));
  return [
    ...(!isPublic || denials.includes(401) ? [401 as const] : []),
    ...(canBeForbidden || denials.includes(403) ? [403 as const] : []),
    ...(canBeNotFound || denials.includes(404) ? [404 as const] : []),
  ];
}

/** Adapts a generated operation to what the REST API does. */
function refine(operation: Operation, procedure: AnyProcedure, meta: FacadeMeta): void {
  const input = inputOf(procedure);
  const isPublic = meta.openapi.protect === false;
  operation.security = isPublic ? [] : [{ [BEARER]: [] }, ...(meta.visitors ? [{ [VISITOR]: [] }] : [])];
  if (!hasBody(meta)) {
    operation.parameters = [...(operation.parameters ?? []), ...queryParameters(input, meta.openapi.path)];
  }
  if (meta.stream !== undefined) describeStream(operation, input, meta);
  const { requestBody } = operation;
  if (requestBody) {
    // The body is optional if nothing in it is required.
    const [content] = Object.values(requestBody.content);
    requestBody.required = (content?.schema.required ?? []).length > 0;
    const bodySchema = content?.schema.properties?.[meta.body ?? ''];
    if (content && bodySchema) content.schema = bodySchema;
  }
  const { type } = definitionOf(procedure);
  const errors: (keyof typeof ERRORS)[] = [
    ...(Object.keys(input.shape).length > 0 ? [400 as const] : []),
    ...denialsOf(type, meta),
    429,
    'default',
  ];
  operation.responses = {
    ...successResponses(operation, meta),
    ...Object.fromEntries(
      errors.map((status) => [status, { $ref: `#/components/responses/${ERRORS[status][0]}` }]),
    ),
  };
}

/** Adds the stream that the operation also offers: the parameters of its subscription, and the media type. */
function describeStream(
  operation: Operation,
  input: z.ZodObject,
  { stream = '', openapi }: FacadeMeta,
): void {
  const procedures = proceduresOf(appRouter);
  const subscribed = inputOf(procedures[stream] as AnyProcedure);
  const added = Object.entries(subscribed.shape).filter(([name]) => !(name in input.shape));
  operation.parameters = [
    ...(operation.parameters ?? []),
    ...queryParameters(z.object(Object.fromEntries(added)), openapi.path),
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'The same as `lastEventId`, as browsers send it when they reconnect.',
      schema: { type: 'string' },
    },
  ];
  const response = operation.responses[200] as ResponseObject;
  response.content = {
    ...response.content,
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'An endless stream of server-sent events. `data` is one item of the list as JSON, on one line, and `id` is its id. Comments are sent in between.',
      },
    },
  };
}

function successResponses(
  operation: Operation,
  { success = 200, openapi, produces }: FacadeMeta,
): Record<string, ResponseObject> {
  if (success === 'removal') {
    return {
      204: { description: 'There was nothing to remove.' },
      205: { description: 'Removed.' },
    };
  }
  if (success === 204) return { 204: { description: 'Done.' } };
  if (produces) return { [success]: { description: 'Success.', content: { [produces]: { schema: {} } } } };
  const response: ResponseObject = {
    ...(operation.responses[200] as ResponseObject),
    description: success === 201 ? 'Created.' : 'Success.',
  };
  if (openapi.deprecated) {
    response.headers = { Deprecation: { description: 'Always `true`.', schema: { type: 'string' } } };
  }
  return { [success]: response };
}

/** The query parameters of an operation: all input that is not part of the path. */
function queryParameters(input: z.ZodObject, path: string): Parameter[] {
  return Object.entries(input.shape).flatMap(([name, schema]) => {
    if (path.includes(`{${name}}`)) return [];
    const {
      $schema: _,
      description,
      ...json
    } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const required = !schema.safeParse(undefined).success;
    return [
      {
        name,
        in: 'query',
        ...(required && { required }),
        ...(description && { description }),
        schema: json as Schema,
      },
    ];
  });
}
