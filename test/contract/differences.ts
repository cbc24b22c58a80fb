import { Ajv, type ValidateFunction } from 'ajv';
import type { Answer } from '../helpers/service.ts';
import { type Operation, published } from './operations.ts';

/** What clients read as a list, whatever the document says. */
const LIST = { type: 'array', items: { type: 'object' } };

const REFERENCE = '#/components/schemas/';

/** A part of the document as JSON Schema, in which a reference is the name of a schema. */
function jsonSchemaOf(part: object): object {
  return JSON.parse(JSON.stringify(part, jsonSchemaField));
}

function jsonSchemaField(key: string, value: unknown): unknown {
  // Objects may have more than the document knows, so that one alternative alone need not match.
  if (key === 'additionalProperties' && value === false) return undefined;
  if (key === 'filesystem') return LIST;
  if (key === '$ref') return String(value).replace(REFERENCE, '');
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, oneOf, ...schema } = value as { nullable?: unknown; oneOf?: unknown };
  if (nullable === true) return { anyOf: [{ ...schema, oneOf }, { type: 'null' }] };
  return Array.isArray(oneOf) ? { ...schema, anyOf: oneOf } : value;
}

const ajv = new Ajv({ allErrors: true, strict: false, logger: false, validateFormats: false });
for (const [name, schema] of Object.entries(published.components.schemas ?? {}))
  ajv.addSchema(jsonSchemaOf(schema), name);

interface PublishedResponse {
  content?: Record<string, { schema?: object }>;
}

/** By operation and status: compiling takes far longer than a check. */
const validators = new Map<string, ValidateFunction>();

/** Compiled when it is first asked for, and each schema that it refers to only once for all answers. */
function validatorOf({ method, path }: Pick<Operation, 'method' | 'path'>, status: number): ValidateFunction {
  const key = `${method} ${path} ${status}`;
  const known = validators.get(key);
  if (known) return known;
  const responses = published.paths[path]?.[method.toLowerCase()]?.responses;
  if (!responses) throw new Error(`the published client does not know ${method} ${path}`);
  const response = (responses[status] ?? responses.default) as PublishedResponse | undefined;
  if (!response) throw new Error(`the published client does not know ${status} of ${method} ${path}`);
  const [content] = Object.values(response.content ?? {});
  const validate = ajv.compile(jsonSchemaOf(content?.schema ?? { type: 'null' }));
  validators.set(key, validate);
  return validate;
}

/** Every place where an answer is not what the published document says. */
export function differences(
  operation: Pick<Operation, 'method' | 'path'>,
  { status, body }: Pick<Answer, 'status' | 'body'>,
): string[] {
  const validate = validatorOf(operation, status);
  if (validate(body ?? null)) return [];
  return [...new Set((validate.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`))];
}
