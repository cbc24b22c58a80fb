import { Ajv, type ValidateFunction } from 'ajv';
import type { ApiResponse } from '../helpers/service.ts';
import { CLIENTS, type Operation, type PublishedClient, publishedOperation } from './operations.ts';

/** The schema of fields that clients treat as a list, whatever the document says. */
const LIST = { type: 'array', items: { type: 'object' } };

const REFERENCE = '#/components/schemas/';

/** Converts a part of the document to JSON Schema, in which a reference is the name of a schema. */
function jsonSchemaOf(part: object): object {
  return JSON.parse(JSON.stringify(part, jsonSchemaField));
}

function jsonSchemaField(key: string, value: unknown): unknown {
  // Objects may have fields that the document does not know, so several alternatives may match.
  if (key === 'additionalProperties' && value === false) return undefined;
  if (key === 'filesystem') return LIST;
  if (key === '$ref') return String(value).replace(REFERENCE, '');
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, oneOf, ...schema } = value as { nullable?: unknown; oneOf?: unknown };
  if (nullable === true) return { anyOf: [{ ...schema, oneOf }, { type: 'null' }] };
  return Array.isArray(oneOf) ? { ...schema, anyOf: oneOf } : value;
}

/** The schemas of each client, and cached validators of its responses by operation and status, since compiling is slow. */
const compiled = new Map<PublishedClient, { ajv: Ajv; validators: Map<string, ValidateFunction> }>(
  CLIENTS.map((client) => {
    const ajv = new Ajv({ allErrors: true, strict: false, logger: false, validateFormats: false });
    for (const [name, schema] of Object.entries(client.document.components.schemas ?? {}))
      ajv.addSchema(jsonSchemaOf(schema), name);
    return [client, { ajv, validators: new Map() }];
  }),
);

interface PublishedResponse {
  content?: Record<string, { schema?: object }>;
}

/** Compiled on first use; each schema is compiled only once for all responses. */
function validatorOf(
  operation: Pick<Operation, 'method' | 'path'>,
  status: number,
  client: PublishedClient,
): ValidateFunction {
  const { ajv, validators } = compiled.get(client) as { ajv: Ajv; validators: Map<string, ValidateFunction> };
  const title = `${operation.method} ${operation.path}`;
  const key = `${title} ${status}`;
  const known = validators.get(key);
  if (known) return known;
  const responses = publishedOperation(operation, client)?.responses;
  if (!responses) throw new Error(`the published client ${client.version} does not know ${title}`);
  const response = (responses[status] ?? responses.default) as PublishedResponse | undefined;
  if (!response)
    throw new Error(`the published client ${client.version} does not know ${status} of ${title}`);
  const [content] = Object.values(response.content ?? {});
  const validate = ajv.compile(jsonSchemaOf(content?.schema ?? { type: 'null' }));
  validators.set(key, validate);
  return validate;
}

/** Returns every place where a response does not match the document of a published client. */
export function differences(
  operation: Pick<Operation, 'method' | 'path'>,
  { status, body }: Pick<ApiResponse, 'status' | 'body'>,
  client: PublishedClient,
): string[] {
  const validate = validatorOf(operation, status, client);
  if (validate(body ?? null)) return [];
  return [...new Set((validate.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`))];
}
