import { type AnyProcedure, TRPCError } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toTRPCError } from '../../routers/base/trpc-errors.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { InvalidInput } from '../../routers/engine/invalid-input.ts';
import { isHttpInput } from '../../routers/sql/pagination.ts';
import { definitionOf } from '../trpc/trpc-internals.ts';
import { unknownMembers } from './ignored-input.ts';

/** How the text of a query parameter or path segment is parsed, according to the input schema. */
type Kind = 'text' | 'number' | 'boolean' | 'number-or-text' | 'boolean-or-text';

interface Parameter {
  kind: Kind;
  repeated: boolean;
}

/** What clients send in the query of requests with a body, too, because it is about the response. */
const RESPONSE_PARAMETERS = ['page', 'limit', 'format', 'compat'];

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * Makes the function that reads the input of a procedure from a request: path, body and query as one object, in this order
 * of precedence. If the method has a body, only a few parameters are read from the query. The text of paths and queries is
 * converted to the numbers and booleans that the schema expects; other text is left as it is, for the error message of the
 * schema. A JSON body is used as it is. `rest` is the parameter, if any, that gets the rest of the path, and `whole` the one
 * that gets the whole body. Unknown input is added to `ignored`.
 */
export function inputReader(
  procedure: AnyProcedure,
  method: string,
  { rest, whole }: { rest?: string | undefined; whole?: string | undefined } = {},
): (request: FastifyRequest, ignored?: string[]) => unknown {
  const parameters = new Map<string, Parameter>();
  const shape: z.ZodRawShape = {};
  for (const input of definitionOf(procedure).inputs) {
    if (!(input instanceof z.ZodObject)) continue;
    for (const [name, schema] of Object.entries<z.ZodType>(input.shape)) {
      if (!isHttpInput(schema)) continue;
      parameters.set(name, parameterOf(schema));
      Object.assign(shape, { [name]: schema });
    }
  }
  const known = z.object(shape);
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const ofQuery = hasBody ? onlyNamed(parameters, RESPONSE_PARAMETERS) : parameters;
  return (request, ignored = []) => {
    const { '*': wildcard = '', ...params } = request.params as Record<string, string>;
    const path = coerced(rest === undefined ? params : { ...params, [rest]: wildcard }, parameters);
    // guard: body-fields-in-query
    const query = coerced(request.query as Record<string, string | string[]>, ofQuery, ignored);
    if (!hasBody) return { ...query, ...path };
    const { body } = request;
    if (whole !== undefined) {
      const given = body ?? {};
      for (const name of unknownMembers(given, known.shape[whole] as z.ZodType)) ignored.push(name);
      return { ...path, [whole]: given };
    }
    // Anything but an object is left for the schema to reject; an absent body counts as an empty object.
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return body === undefined || body === null ? { ...query, ...path } : body;
    }
    for (const name of unknownMembers(body, known)) ignored.push(name);
    return { ...query, ...body, ...path };
  };
}

/**
 * The error of a procedure whose parameter `whole` gets the whole body, with places in the body instead of in the parameter:
 * `0.id`, not `conversations.0.id`.
 */
export function errorInBody(thrown: unknown, whole: string): unknown {
  if (!(thrown instanceof TRPCError)) return thrown;
  const { code, cause } = thrown;
  if (cause instanceof z.ZodError) {
    const issues = cause.issues.map((issue) => ({
      ...issue,
      path: issue.path[0] === whole ? issue.path.slice(1) : issue.path,
    }));
    return new TRPCError({ code, cause: new z.ZodRealError(issues) });
  }
  if (!(cause instanceof DomainError) || !cause.details) return thrown;
  const details = cause.details.map(({ path, message }) => ({ path: pathInBody(path, whole), message }));
  const [problem] = details;
  return toTRPCError(
    // Its message names the place, too.
    cause instanceof InvalidInput && problem
      ? new InvalidInput(problem)
      : new DomainError(cause.code, cause.message, details),
  );
}

function pathInBody(path: string, whole: string): string {
  if (path === whole) return '';
  return path.startsWith(`${whole}.`) ? path.slice(whole.length + 1) : path;
}

const onlyNamed = <Value>(map: ReadonlyMap<string, Value>, names: readonly string[]): Map<string, Value> =>
  new Map([...map].filter(([name]) => names.includes(name)));

function coerced(
  values: Record<string, string | string[]>,
  parameters: ReadonlyMap<string, Parameter>,
  ignored?: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const parameter = parameters.get(name);
    // Unknown keys are ignored, so that clients newer than the server keep working.
    if (!parameter) {
      ignored?.push(name);
      continue;
    }
    if (Array.isArray(value)) result[name] = value.map((item) => coerce(item, parameter.kind));
    else result[name] = parameter.repeated ? [coerce(value, parameter.kind)] : coerce(value, parameter.kind);
  }
  return result;
}

function coerce(value: string, kind: Kind): unknown {
  if (kind.startsWith('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  if (kind.startsWith('number') && DECIMAL.test(value)) return Number(value);
  return value;
}

/** Unwraps optional, default and the like. */
function parameterOf(schema: unknown): Parameter {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return parameterOf(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return parameterOf(schema.in);
  if (schema instanceof z.ZodArray) return { kind: parameterOf(schema.element).kind, repeated: true };
  if (schema instanceof z.ZodNumber) return { kind: 'number', repeated: false };
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean', repeated: false };
  if (schema instanceof z.ZodUnion) {
    const kinds = schema.options.map((option) => parameterOf(option).kind);
    if (kinds.includes('boolean')) return { kind: 'boolean-or-text', repeated: false };
    if (kinds.includes('number')) return { kind: 'number-or-text', repeated: false };
  }
  return { kind: 'text', repeated: false };
}
