import type { OpenApiDocument } from './types.ts';

/** Errors that have their own response in the document; `default` stands for all others. */
export const ERRORS = {
  400: ['BadRequest', 'The request is not valid; `details` lists the problems, at most 100.'],
  401: ['Unauthorized', 'The API token is missing or not valid.'],
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

/** Adds the body of errors, and a response for each status, to the components. */
export function addErrorComponents({ components }: OpenApiDocument): void {
  const responses = Object.values(ERRORS).map(([name, description]) => [
    name,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ]);
  components.schemas = { ...components.schemas, Error: ERROR_SCHEMA };
  components.responses = Object.fromEntries(responses);
}
