/** Reads the media types of a body or a response, and their examples. Documents may be malformed in any way. */

import { type Fields, fieldsOf } from '../values.ts';
import { mediaOf, type SpecReader } from './spec-reader.ts';

/** Maximum number of media types and of examples of a body or a response, and their maximum lengths. */
const MAX_TYPES = 20;
const MAX_EXAMPLES = 20;
const MAX_TYPE = 100;
const MAX_TITLE = 200;

/** Media types with the same schema. */
export interface MediaGroup {
  types: string[];
  schema: unknown;
}

/** An example that a spec gives, rather than one that is made from a schema. */
export interface GivenExample {
  type: string;
  /** Tells it apart from the others of its media type, if there may be any. */
  title: string | undefined;
  /** The object with the description. */
  describedBy: Fields;
  value: unknown;
  /** The address of an example that is not in the spec. */
  externalValue: string | undefined;
  /** The schema of its media type. */
  schema: unknown;
}

/** The media types by their schemas; first those that `mediaOf` selects. Counts what is shown. */
export function mediaGroupsOf(reader: SpecReader, content: unknown): MediaGroup[] {
  const groups = new Map<unknown, MediaGroup>();
  for (const [type, { schema }] of mediaTypesOf(reader, content)) {
    const key = fieldsOf(schema).$ref ?? schema;
    const known = groups.get(key);
    if (!reader.spendText(type) || (groups.size > 0 && !known && !reader.spendPart())) continue;
    if (known) known.types.push(type);
    else groups.set(key, { types: [type], schema });
  }
  return [...groups.values()];
}

/** The examples of all media types, as far as there is room for them. */
export function givenExamplesOf(reader: SpecReader, content: unknown): GivenExample[] {
  const found = mediaTypesOf(reader, content).flatMap(([type, { example, examples, schema }]) => {
    const common = { type, schema };
    const unnamed = {
      ...common,
      title: undefined,
      describedBy: {},
      value: example,
      externalValue: undefined,
    };
    if (example !== undefined) return [unnamed];
    return Object.entries(reader.entries(fieldsOf(examples)) ?? {})
      .slice(0, MAX_EXAMPLES)
      .map(([name, given]): GivenExample => {
        const { summary, externalValue, value, ...describedBy } = reader.resolve(given);
        return {
          ...common,
          title: (typeof summary === 'string' && summary !== '' ? summary : name).slice(0, MAX_TITLE),
          describedBy,
          value,
          externalValue: typeof externalValue === 'string' ? externalValue : undefined,
        };
      });
  });
  return found
    .filter(({ value, externalValue }) => value !== undefined || externalValue !== undefined)
    .slice(0, MAX_EXAMPLES)
    .filter(
      ({ title = '', value, externalValue }) =>
        reader.spendExample() && reader.spendText(title) && reader.spendText(value ?? externalValue),
    );
}

function mediaTypesOf(reader: SpecReader, content: unknown): [string, Fields][] {
  const types = reader.entries(fieldsOf(content)) ?? {};
  const first = mediaOf(reader, types)?.type;
  if (first === undefined) return [];
  const others = Object.keys(types).filter((type) => type !== first);
  return [first, ...others]
    .slice(0, MAX_TYPES)
    .map((type) => [type.slice(0, MAX_TYPE), reader.resolve(types[type])]);
}
