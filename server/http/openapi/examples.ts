import type { OpenApiDocument, Schema } from './types.ts';

/** Realistic example values, by the name of the member. */
const BY_NAME: Readonly<Record<string, string>> = {
  title: 'Getting started',
  subject: 'Describe the new settings',
  name: 'Release notes',
  description: 'How to install the product and take the first steps.',
  markdown: 'Install the package, then run `npm start`.',
  emoji: '1f4d8',
  slug: 'getting-started',
  email: 'ada@docs.example',
  hostname: 'docs.example.com',
  label: 'Company sign-in',
  displayName: 'Ada Lovelace',
  message: 'Version 2 is out.',
  condition: 'visitor.claims.isBeta',
  expression: 'changeRequest.subject.length > 10',
};

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:30:00.000Z',
  email: 'ada@docs.example',
  uri: 'https://docs.example/start',
};

/** An example of an id. */
const ID = '01k8x3m5t7v9w1y3z5b7';

/** Maximum nesting of an example: optional members below that are left out. */
const MAX_DEPTH = 3;

/** Adds an example to every request body. */
export function addExamples({ paths, components }: OpenApiDocument): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const content = operation.requestBody?.content['application/json'];
    if (content) content.example = exampleOf(content.schema, components.schemas);
  }
}

/** A value that a schema accepts, with its optional members where possible. */
function exampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, name = '', depth = 0): unknown {
  if (schema.$ref) {
    const target = schemas[schema.$ref.split('/').at(-1) as string] as Schema;
    return exampleOf(target, schemas, name, depth);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const alternative = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (alternative) return exampleOf(alternative, schemas, name, depth);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return exampleObject(schema, schemas, depth);
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, depth < MAX_DEPTH ? 1 : 0);
      if (!schema.items || count === 0) return [];
      return [exampleOf(schema.items, schemas, name, depth + 1)];
    }
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return exampleText(schema, name);
    default:
      return {};
  }
}

function exampleObject(
  { properties = {}, required = [] }: Schema,
  schemas: Readonly<Record<string, Schema>>,
  depth: number,
): object {
  const members = Object.entries(properties).filter(
    ([name, member]) =>
      required.includes(name) ||
      (depth < MAX_DEPTH && !EXCLUSIVE.has(name) && !UNICODE_PROPERTY.test(member.pattern ?? '')),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name, exampleOf(member, schemas, name, depth + 1)]),
  );
}

/** Many validators do not support Unicode properties in patterns, and would reject matching examples. */
const UNICODE_PROPERTY = /\\p\{/;

/** Members that exclude each other or are alternatives: they are left out. */
const EXCLUSIVE: ReadonlySet<string> = new Set(['after', 'document', 'base64', 'collection', 'team', 'type']);

function exampleText({ format, pattern, minLength = 0, examples }: Schema, name: string): unknown {
  if (examples?.[0] !== undefined) return examples[0];
  if (format && BY_FORMAT[format]) return BY_FORMAT[format];
  // eslint-disable-next-line no-restricted-syntax -- The patterns are those of our own schemas, tried on our own texts.
  const fits = pattern === undefined ? () => true : (text: string) => new RegExp(pattern, 'u').test(text);
  const text =
    [BY_NAME[name], ...CANDIDATES].find((candidate) => candidate !== undefined && fits(candidate)) ?? ID;
  return text.padEnd(minLength, 'x');
}

/** Texts to try for a pattern. */
const CANDIDATES = [
  ID,
  'docs.example.com/start',
  '#1f4e46',
  'docs',
  'docs.example.com',
  '/start',
  '123456',
  'docs.example',
];
