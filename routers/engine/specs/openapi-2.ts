/** Reads operations of OpenAPI 2 ("Swagger") as those of OpenAPI 3, which has other places for bodies, responses and servers. */

import { type Fields, fieldsOf } from '../values.ts';
import type { SpecReader } from './spec-reader.ts';

/** Maximum number of media types, of form fields, and of responses. */
const MAX_TYPES = 20;
const MAX_FIELDS = 200;
const MAX_RESPONSES = 40;

const MULTIPART = 'multipart/form-data';
const FORM_TYPES = ['application/x-www-form-urlencoded', MULTIPART];

/** The names in OpenAPI 3 of how a list is written, by those in OpenAPI 2. */
const STYLES: Record<string, { style: string; explode: boolean }> = {
  csv: { style: 'form', explode: false },
  multi: { style: 'form', explode: true },
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
};

export const isOpenApi2 = ({ swagger }: Fields): boolean => swagger !== undefined;

/** Whether a parameter is part of the body of a request, which OpenAPI 3 describes elsewhere. */
export const isBodyParameter = ({ in: place }: Fields): boolean => place === 'body' || place === 'formData';

/** The operation with a `requestBody`, which contains its body parameters, and with the `content` of its responses. */
export function upgradedOperation(
  reader: SpecReader,
  operation: Fields,
  parameters: readonly Fields[],
): Fields {
  const { spec } = reader;
  const consumed = textsOf(operation.consumes ?? spec.consumes);
  const produced = textsOf(operation.produces ?? spec.produces);
  const responses = Object.entries(fieldsOf(operation.responses))
    .slice(0, MAX_RESPONSES)
    .map(([status, given]) => [status, upgradedResponse(reader.resolve(given), produced)] as const);
  return {
    ...operation,
    requestBody: requestBodyOf(parameters, consumed),
    responses: Object.fromEntries(responses),
  };
}

function requestBodyOf(parameters: readonly Fields[], consumed: readonly string[]): Fields | undefined {
  const body = parameters.find((parameter) => parameter.in === 'body');
  if (body) {
    const media = { schema: body.schema };
    const types = consumed.length > 0 ? consumed : ['application/json'];
    return { ...body, content: Object.fromEntries(types.map((type) => [type, media])) };
  }
  const fields = parameters.filter((parameter) => parameter.in === 'formData').slice(0, MAX_FIELDS);
  if (fields.length === 0) return undefined;
  const usual = fields.some(({ type }) => type === 'file') ? MULTIPART : FORM_TYPES[0];
  const type = consumed.find((one) => FORM_TYPES.includes(one)) ?? (usual as string);
  return { content: { [type]: formOf(fields) } };
}

/** A form as the media of an object: each parameter is a property. */
function formOf(fields: readonly Fields[]): Fields {
  const properties = fields.map((field) => [String(field.name), propertyOf(field)] as const);
  const encoding = fields.flatMap(({ name, type, collectionFormat = 'csv' }) => {
    const style = Object.hasOwn(STYLES, String(collectionFormat)) && STYLES[String(collectionFormat)];
    return type === 'array' && style ? [[String(name), style] as const] : [];
  });
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: fields.filter(({ required }) => required === true).map(({ name }) => String(name)),
    },
    encoding: Object.fromEntries(encoding),
  };
}

/** A schema of OpenAPI 3: there, `required` is a list, and files are binary strings. */
function propertyOf({ required: _, ...field }: Fields): Fields {
  return field.type === 'file' ? { ...field, type: 'string', format: 'binary' } : field;
}

function upgradedResponse(response: Fields, produced: readonly string[]): Fields {
  const examples = fieldsOf(response.examples);
  const types = new Set([...produced, ...Object.keys(examples)].slice(0, MAX_TYPES));
  if (response.schema === undefined && Object.keys(examples).length === 0) return response;
  if (types.size === 0) types.add('application/json');
  const content = [...types].map((type) => {
    const example = Object.hasOwn(examples, type) ? examples[type] : undefined;
    return [type, { schema: response.schema, example }] as const;
  });
  return { ...response, content: Object.fromEntries(content) };
}

/** The servers of a document, in the form of OpenAPI 3. Without schemes, the document does not say how it was itself loaded. */
export function upgradedServers({ host, basePath, schemes }: Fields): Fields[] {
  if (typeof host !== 'string') return [];
  const path = typeof basePath === 'string' ? basePath : '';
  const given = textsOf(schemes).filter((scheme) => scheme === 'https' || scheme === 'http');
  const listed = given.length > 0 ? given.toSorted().reverse() : ['https'];
  return listed.map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}

const textsOf = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).slice(0, MAX_TYPES).filter((one) => typeof one === 'string');
