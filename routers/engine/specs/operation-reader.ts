import type { ApiPart } from '../document/api-part.ts';
import { type Fields, fieldsOf } from '../values.ts';
import { isBodyParameter, isOpenApi2, upgradedOperation, upgradedServers } from './openapi-2.ts';
import { METHODS } from './operations.ts';
import type { SpecReader } from './spec-reader.ts';

/** Maximum numbers of parameters of an operation and of its path, and of responses. */
const MAX_PARAMETERS = 200;
const MAX_RESPONSES = 40;

/** Maximum numbers of headers of a response, and of callbacks of an operation. */
const MAX_HEADERS = 50;
const MAX_CALLBACKS = 20;

/** What an operation, a webhook and a callback have in common. */
export interface OperationParts {
  operation: Fields;
  /** Its parameters, and those of its path that it does not override. */
  parameters: Fields[];
}

/** An operation or webhook of an OpenAPI document, in the form of OpenAPI 3. */
export interface Operation extends OperationParts {
  name: string;
  method: string;
  servers: unknown[];
}

/** A request that the service sends because of an operation. */
export interface Callback extends OperationParts {
  name: string;
  method: string;
  /** The URL, an expression in terms of the request or response of the operation. */
  url: string;
}

/** Finds an operation or webhook; undefined if there is none. */
export function operationOf(
  reader: SpecReader,
  part: Exclude<ApiPart, { kind: 'models' }>,
): Operation | undefined {
  const { spec } = reader;
  const items = fieldsOf(part.kind === 'operation' ? spec.paths : spec.webhooks);
  const name = part.kind === 'operation' ? part.path : part.name;
  if (!Object.hasOwn(items, name)) return undefined;
  const item = reader.resolve(items[name]);
  const method = part.method.toLowerCase();
  const operation = reader.resolve(Object.hasOwn(item, method) ? item[method] : undefined);
  if (Object.keys(operation).length === 0) return undefined;
  const parameters = parametersOf(reader, item, operation);
  if (isOpenApi2(spec))
    return {
      name,
      method,
      operation: upgradedOperation(reader, operation, parameters),
      parameters: parameters.filter((parameter) => !isBodyParameter(parameter)),
      servers: upgradedServers(spec),
    };
  const servers = [operation.servers, item.servers, spec.servers].find(
    (list) => Array.isArray(list) && list.length > 0,
  );
  return { name, method, operation, parameters, servers: (servers ?? []) as unknown[] };
}

function parametersOf(reader: SpecReader, item: Fields, operation: Fields): Fields[] {
  const listed = (value: unknown) =>
    (Array.isArray(value) ? value : []).slice(0, MAX_PARAMETERS).map((one) => reader.resolve(one));
  const byName = new Map<string, Fields>();
  for (const one of [...listed(item.parameters), ...listed(operation.parameters)])
    if (typeof one.name === 'string') byName.set(`${String(one.in)} ${one.name}`, one);
  return [...byName.values()];
}

/** The responses of an operation by status. */
export const responsesOf = (operation: Fields): [string, unknown][] =>
  Object.entries(fieldsOf(operation.responses)).slice(0, MAX_RESPONSES);

/** The headers of a response by name. As OpenAPI asks, the media type is not one of them. */
export const headersOf = (reader: SpecReader, response: Fields): [string, Fields][] =>
  Object.entries(reader.entries(fieldsOf(response.headers)) ?? {})
    .slice(0, MAX_HEADERS)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, header]) => [name, reader.resolve(header)]);

/** The callbacks of an operation. */
export function callbacksOf(reader: SpecReader, operation: Fields): Callback[] {
  const callbacks: Callback[] = [];
  const read = (value: unknown) => Object.entries(reader.entries(reader.resolve(value)) ?? {});
  for (const [name, given] of read(operation.callbacks))
    for (const [url, referred] of read(given)) {
      const item = reader.resolve(referred);
      for (const method of METHODS) {
        if (typeof item[method] !== 'object' || item[method] === null) continue;
        if (callbacks.length === MAX_CALLBACKS) return callbacks;
        const sent = reader.resolve(item[method]);
        const parameters = parametersOf(reader, item, sent);
        callbacks.push({ name, method, url, operation: sent, parameters });
      }
    }
  return callbacks;
}
