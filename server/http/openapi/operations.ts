/** How operations differ from what the generator makes of their procedures. */

import { z } from 'zod';
import { deniesWith403 } from '../../../routers/access/needs.ts';
import { definitionOf } from '../../trpc/trpc-internals.ts';
import { ERRORS } from './errors.ts';
import { type FacadeMeta, type FacadeProcedure, hasBody, inputOf } from './procedures.ts';
import type { Operation, Parameter, ResponseObject, Schema } from './types.ts';

const BEARER = 'bearer';
/** The token of a visitor of a site, which only some reads accept. */
const VISITOR = 'visitor';
export const SECURITY_SCHEMES = {
  [BEARER]: { type: 'http', scheme: 'bearer' },
  [VISITOR]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A short-lived token for reading what one site publishes, as one visitor sees it.',
  },
} as const;

/** Describes an operation further than the generator does, which is given the procedure. */
export type OperationAmendment = (operation: Operation, procedure: FacadeProcedure) => void;

export const describeSecurity: OperationAmendment = (operation, { meta }) => {
  const isPublic = meta.openapi.protect === false;
  operation.security = isPublic ? [] : [{ [BEARER]: [] }, ...(meta.visitors ? [{ [VISITOR]: [] }] : [])];
};

export const addQueryParameters: OperationAmendment = (operation, { procedure, meta }) => {
  if (hasBody(meta)) return;
  const added = queryParameters(inputOf(procedure), meta.openapi.path);
  operation.parameters = [...(operation.parameters ?? []), ...added];
};

/** Adds the stream that the operation also offers, whose parameters are among its own. */
export const describeStream: OperationAmendment = (operation, { meta: { stream } }) => {
  if (stream === undefined) return;
  operation.parameters = [
    ...(operation.parameters ?? []),
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
};

/** A body is optional if nothing in it is required. Some bodies are a single member of the input. */
export const describeBody: OperationAmendment = ({ requestBody }, { meta }) => {
  if (!requestBody) return;
  const [content] = Object.values(requestBody.content);
  requestBody.required = (content?.schema.required ?? []).length > 0;
  const bodySchema = content?.schema.properties?.[meta.body ?? ''];
  if (content && bodySchema) content.schema = bodySchema;
};

export const describeResponses: OperationAmendment = (operation, { procedure, meta }) => {
  const { type } = definitionOf(procedure);
  const hasInput = Object.keys(inputOf(procedure).shape).length > 0;
  const errors: (keyof typeof ERRORS)[] = [
    ...(hasInput ? [400 as const] : []),
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
};

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
