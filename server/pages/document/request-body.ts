import {
  exampleOf,
  type Media,
  propertiesOf,
  requiredOf,
  type SpecReader,
} from '../../../routers/engine/specs/spec-reader.ts';
import { type Fields, fieldsOf } from '../../../routers/engine/values.ts';
import { formatOf, type ParameterFormat } from './parameters.ts';

/** Maximum number of fields of a form. */
const MAX_FIELDS = 100;

/** The body of a request, in the form in which its media type is written. */
export type RequestBody =
  | { kind: 'text'; type: string; text: string }
  | { kind: 'file'; type: string }
  | { kind: 'form'; type: string; isMultipart: boolean; fields: readonly FormField[] };

/** A property of the object that a form consists of. */
export interface FormField {
  name: string;
  /** The allowed values, if it is a list of them. */
  values: unknown;
  isRequired: boolean;
  /** Whether it is a file, or a list of files. */
  isFile: boolean;
  isList: boolean;
  format: ParameterFormat;
  example: unknown;
}

/** The body of a request with an example of its content; undefined if there is no body. */
export function requestBodyOf(reader: SpecReader, media: Media | undefined): RequestBody | undefined {
  if (!media) return undefined;
  const { type } = media;
  const isMultipart = type.startsWith('multipart/');
  const example = media.example ?? exampleOf(reader, media.schema);
  if (isMultipart || type.startsWith('application/x-www-form-urlencoded')) {
    const fields = fieldsOfForm(reader, media, fieldsOf(example), isMultipart);
    if (fields.length > 0) return { kind: 'form', type, isMultipart, fields };
  }
  if (isFileMedia(reader, media)) return { kind: 'file', type };
  return {
    kind: 'text',
    type,
    text: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  };
}

/** Whether the content of a request or a response is a file, which has no text to show. */
export const isFileMedia = (reader: SpecReader, { type, schema }: Pick<Media, 'type' | 'schema'>): boolean =>
  isFile(reader, schema) || (schema === undefined && isBinary(type));

function fieldsOfForm(
  reader: SpecReader,
  { schema: given, encoding }: Media,
  examples: Fields,
  isMultipart: boolean,
): FormField[] {
  const schema = reader.resolve(given);
  const properties = propertiesOf(reader, schema);
  const required = new Set(requiredOf(reader, schema));
  const names = new Set([...Object.keys(properties), ...Object.keys(examples)]);
  return [...names].slice(0, MAX_FIELDS).map((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : {};
    const { items, enum: values } = reader.resolve(property);
    return {
      name,
      values,
      isRequired: required.has(name),
      isFile: isFile(reader, property) || (items !== undefined && isFile(reader, items)),
      isList: items !== undefined,
      format: formatOfField(reader, property, isMultipart ? {} : encodingOf(encoding, name)),
      example: Object.hasOwn(examples, name) ? examples[name] : exampleOf(reader, property),
    };
  });
}

const encodingOf = (encoding: Fields, name: string): Fields =>
  Object.hasOwn(encoding, name) ? fieldsOf(encoding[name]) : {};

/** Lists are repeated, and objects written as JSON, unless the encoding of the field gives a style. */
function formatOfField(reader: SpecReader, schema: unknown, { style, explode }: Fields): ParameterFormat {
  const format = formatOf(reader, { in: 'query', schema, style, explode });
  return format.shape === 'object' && style === undefined ? { ...format, shape: 'value' } : format;
}

/** Whether a schema is that of a file: in OpenAPI 3.1, it has a media type, but is not encoded as text. */
function isFile(reader: SpecReader, given: unknown): boolean {
  const { type, format, contentMediaType, contentEncoding } = reader.resolve(given);
  if (format === 'binary') return true;
  return (
    (type === undefined || type === 'string') &&
    typeof contentMediaType === 'string' &&
    contentEncoding === undefined &&
    isBinary(contentMediaType)
  );
}

const isBinary = (type: string): boolean =>
  /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip)/.test(type) && !type.includes('svg');
