import type { OpenApiDocument, Schema } from './types.ts';

/**
 * Realistic example values, by the name of the member, or by its name and that of the member that it is in. The first one that
 * the schema accepts is used.
 */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  title: ['Getting started'],
  subject: ['Describe the new settings'],
  name: ['Release notes'],
  description: ['How to install the product and take the first steps.'],
  markdown: ['Install the package, then run `npm start`.'],
  emoji: ['1f4d8'],
  addedReactions: ['1f44d'],
  removedReactions: ['1f389'],
  icon: ['book-open'],
  slug: ['getting-started'],
  source: ['/guides/start'],
  email: ['ada@docs.example'],
  emails: ['ada@docs.example'],
  emailDomains: ['docs.example'],
  hostname: ['docs.example.com', 'acme'],
  label: ['Company sign-in'],
  entityID: ['https://sso.docs.example/metadata'],
  displayName: ['Ada Lovelace'],
  query: ['install'],
  code: ['123456'],
  current: ['a password that nobody else uses'],
  password: ['another password that nobody else uses'],
  message: ['Version 2 is out.'],
  condition: ['visitor.claims.isBeta'],
  expression: ['changeRequest.subject.length > 10'],
  // Far enough in the future that it is not over in a document that somebody saved.
  expiresAt: ['2099-12-31T12:30:00.000Z'],
  language: ['fr'],
  'source.language': ['en'],
  'nodes.type': ['paragraph'],
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

/**
 * A value that a schema accepts, with its optional members where possible.
 * @param path the names of the member and of those that it is in
 */
function exampleOf(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  path: readonly string[] = [],
  depth = 0,
): unknown {
  if (schema.$ref) {
    const target = schemas[schema.$ref.split('/').at(-1) as string] as Schema;
    return exampleOf(target, schemas, path, depth);
  }
  const named = namedExamples(path);
  if (schema.const !== undefined) return schema.const;
  // An empty text would show nothing.
  if (schema.default !== undefined && schema.default !== '') return schema.default;
  if (schema.enum) return named.find((value) => schema.enum?.includes(value)) ?? schema.enum[0];
  const alternative = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (alternative) return exampleOf(alternative, schemas, path, depth);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return exampleObject(schema, schemas, path, depth);
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, depth < MAX_DEPTH ? 1 : 0);
      if (!schema.items || count === 0) return [];
      return [exampleOf(schema.items, schemas, path, depth + 1)];
    }
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return exampleText(schema, named);
    default:
      return {};
  }
}

const namedExamples = (path: readonly string[]): readonly string[] =>
  BY_NAME[path.slice(-2).join('.')] ?? BY_NAME[path.at(-1) ?? ''] ?? [];

function exampleObject(
  { properties = {}, required = [] }: Schema,
  schemas: Readonly<Record<string, Schema>>,
  path: readonly string[],
  depth: number,
): object {
  // The first page of a list has no cursor.
  const isLeftOut = (name: string) => LEFT_OUT.has(name) || (name === 'page' && 'limit' in properties);
  const members = Object.entries(properties).filter(
    ([name, member]) =>
      required.includes(name) ||
      (depth < MAX_DEPTH && !isLeftOut(name) && !UNICODE_PROPERTY.test(member.pattern ?? '')),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name, exampleOf(member, schemas, [...path, name], depth + 1)]),
  );
}

/** Many validators do not support Unicode properties in patterns, and would reject matching examples. */
const UNICODE_PROPERTY = /\\p\{/;

/**
 * Optional members that are left out: they exclude others, are alternatives, belong to another kind of object, or need
 * something that an installation may not have, such as a sign-in through SAML. A certificate is too long for an example.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'after',
  'document',
  'base64',
  'collection',
  'space',
  'level',
  'team',
  'type',
  'target',
  'computed',
  'text',
  'template',
  'tableCell',
  'shareKey',
  'sso',
  'certificate',
]);

function exampleText(
  { format, pattern, minLength = 0, examples }: Schema,
  named: readonly string[],
): unknown {
  if (examples?.[0] !== undefined) return examples[0];
  // eslint-disable-next-line no-restricted-syntax -- The patterns are those of our own schemas, tried on our own texts.
  const matches = pattern === undefined ? () => true : (text: string) => new RegExp(pattern, 'u').test(text);
  const fits = (text: string) => matches(text) && (format !== 'uri' || URL.canParse(text));
  const formatted = format === undefined ? undefined : BY_FORMAT[format];
  const text = named.find(fits) ?? formatted ?? CANDIDATES.find(fits) ?? ID;
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
