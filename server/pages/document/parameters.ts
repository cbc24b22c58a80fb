import { exampleOf, mediaOf, type SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Fields, fieldsOf } from '../../../routers/engine/values.ts';
import { type ParameterStyle, queryEncoded, type Shape, serialize } from '../assets/parameters.js';

/** How a parameter is written in a request. */
export interface ParameterFormat extends ParameterStyle {
  shape: Shape;
}

/** Maximum depth of schemas within each other in which the type of a parameter is searched. */
const MAX_DEPTH = 5;

/** The styles of OpenAPI 2, by their names there. */
const COLLECTION_FORMATS: Record<string, string> = {
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
};

/** How a parameter is written in a request, with the defaults of OpenAPI. */
export function formatOf(reader: SpecReader, parameter: Fields): ParameterFormat {
  const place = parameter.in;
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  // The value is text in the given media type.
  if (mediaOf(reader, parameter.content)) return { shape: 'value', style: usual, explode: false };
  const shape = shapeOf(reader, parameter.schema ?? parameter);
  const { collectionFormat, style: given, explode } = parameter;
  if (typeof collectionFormat === 'string') {
    const style = Object.hasOwn(COLLECTION_FORMATS, collectionFormat)
      ? (COLLECTION_FORMATS[collectionFormat] as string)
      : usual;
    return { shape, style, explode: collectionFormat === 'multi' };
  }
  const style = typeof given === 'string' ? given : usual;
  // In OpenAPI 2, a list is separated by commas unless the parameter says otherwise.
  const isExploded = parameter.schema !== undefined && style === 'form';
  return { shape, style, explode: typeof explode === 'boolean' ? explode : isExploded };
}

function shapeOf(reader: SpecReader, given: unknown, depth = 0): Shape {
  const schema = reader.resolve(given);
  const [type] = [schema.type].flat().filter((one) => typeof one === 'string' && one !== 'null');
  if (type === 'array' || (type === undefined && schema.items !== undefined)) return 'array';
  if (type === 'object' || (type === undefined && schema.properties !== undefined)) return 'object';
  if (type !== undefined || depth > MAX_DEPTH) return 'value';
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].find(Array.isArray) ?? [];
  // Optional values often have null as an alternative.
  const found = parts.slice(0, 20).find((part: unknown) => reader.resolve(part).type !== 'null');
  return found === undefined ? 'value' : shapeOf(reader, found, depth + 1);
}

/** An example value of a parameter. */
export function exampleValue(reader: SpecReader, parameter: Fields): unknown {
  const [first] = Object.values(fieldsOf(parameter.examples));
  const given = parameter.example ?? reader.resolve(first).value;
  if (given !== undefined) return given;
  const media = mediaOf(reader, parameter.content);
  if (!media) return exampleOf(reader, parameter.schema ?? parameter);
  const example = media.example ?? exampleOf(reader, media.schema);
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** A parameter with its example value, as it is written in its place in a request. */
export function exampleText(reader: SpecReader, parameter: Fields): string {
  const encode = ENCODINGS[String(parameter.in)] ?? String;
  return serialize(
    String(parameter.name),
    exampleValue(reader, parameter),
    formatOf(reader, parameter),
    encode,
  );
}

const ENCODINGS: Record<string, (text: string) => string> = {
  query: queryEncoded,
  path: encodeURIComponent,
  cookie: encodeURIComponent,
};
