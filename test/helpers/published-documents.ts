import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import type { BlockNode, Document, Fragment } from '../../routers/engine/document/document.ts';

/**
 * Returns how a document violates the published clients' schemas. Each node is checked by itself, against the schemas of
 * the contract's client or of the newest one, which has more types. Unknown fields are violations too. A node of type
 * `markdown` is this service's own; it may not hide anything that a reader would miss.
 */
export function violationsOf(document: Pick<Document, 'nodes'> & object): string[] {
  const violations: string[] = [];
  const { nodes, ...fields } = document;
  report(violations, 'document', 'JSONDocument', { ...fields, nodes: [] });
  checkBlocks(violations, 'document', nodes);
  return violations;
}

/** The documents at any depth of a response body. */
export function documentsIn(body: unknown): Document[] {
  if (typeof body !== 'object' || body === null) return [];
  if ('object' in body && body.object === 'document' && 'nodes' in body) return [body as Document];
  return Object.values(body).flatMap(documentsIn);
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  unevaluatedProperties?: boolean;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  nullable?: boolean;
  minItems?: number;
  maxItems?: number;
}

interface Client {
  schemas: Record<string, Schema>;
  /** The schema of each type of node. */
  byType: ReadonlyMap<string, string>;
  validators: Map<string, ValidateFunction>;
}

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

function readClient(path: string): Client {
  const schemas: Client['schemas'] = JSON.parse(readFileSync(path, 'utf8')).components.schemas;
  const byType = new Map<string, string>();
  for (const [schema, { properties }] of Object.entries(schemas)) {
    if (!schema.startsWith('Document') || !properties?.object?.enum) continue;
    const [object] = properties.object.enum;
    for (const type of properties.type?.enum ?? [undefined]) byType.set(keyOf(object, type), schema);
  }
  return { schemas, byType, validators: new Map() };
}

const require = createRequire(import.meta.url);

/** The contract's client comes first. */
const CLIENTS = [
  require.resolve('@gitbook/api/spec/openapi.json'),
  require.resolve('gitbook-api-newest/spec/openapi.json'),
].map(readClient);

/** The types of blocks, inlines or marks in the schemas. */
export const nodeTypes = (object: 'block' | 'inline' | 'mark'): string[] =>
  [...new Set(CLIENTS.flatMap(({ byType }) => [...byType.keys()]))]
    .filter((key) => key.startsWith(`${object} `))
    .map((key) => key.slice(object.length + 1));

/** The names of all `data` fields, both in the schemas and in this service's own nodes. */
export const dataFields = (): string[] => [
  ...new Set([
    'markdown',
    'marks',
    ...CLIENTS.flatMap((client) =>
      [...client.byType.values()].flatMap((name) => fieldsOf(client, client.schemas[name]?.properties?.data)),
    ),
  ]),
];

function fieldsOf(client: Client, schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.$ref) return fieldsOf(client, client.schemas[nameOf(schema.$ref)]);
  const alternatives = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [
    ...Object.keys(schema.properties ?? {}),
    ...alternatives.flatMap((alternative) => fieldsOf(client, alternative)),
  ];
}

function keyOf(object: unknown, type: unknown): string {
  return type === undefined || object === 'text' ? String(object) : `${object} ${type}`;
}

const isRawNode = (node: BlockNode | Fragment): boolean => 'type' in node && node.type === 'markdown';

/** Blocks that are allowed only in certain containers. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'list-item': ['list-ordered', 'list-unordered', 'list-tasks'],
  'code-line': ['code'],
  image: ['images'],
  'tabs-item': ['tabs'],
  'stepper-step': ['stepper'],
  column: ['columns'],
  update: ['updates'],
};
const CONTAINERS = new Set(Object.values(PARTS).flat());

/** Checks the blocks in a container, which may hold any blocks except parts of other containers. */
function checkBlocks(violations: string[], path: string, nodes: readonly BlockNode[], parent = ''): void {
  for (const node of nodes) {
    const key = keyOf(node.object, 'type' in node ? node.type : undefined);
    const at = `${path} > ${key}`;
    const isPart = node.object === 'block' && Object.hasOwn(PARTS, node.type);
    if (node.object !== 'block') violations.push(`${at}: ${parent} holds blocks`);
    else if (CONTAINERS.has(parent) ? !PARTS[node.type]?.includes(parent) : isPart)
      violations.push(`${path}: ${parent} holds no ${key}`);
    checkNode(violations, at, node);
  }
}

function checkNode(violations: string[], path: string, node: BlockNode): void {
  if (isRawNode(node)) {
    checkRaw(violations, path, node);
    return;
  }
  const key = keyOf(node.object, 'type' in node ? node.type : undefined);
  const name = CLIENTS.flatMap(({ byType }) => byType.get(key) ?? [])[0];
  if (name === undefined) {
    violations.push(`${path}: no published type`);
    return;
  }
  const { nodes, fragments, ...fields } = node as { nodes?: BlockNode[]; fragments?: Fragment[] };
  const hasCaption = ['block file', 'block embed', 'block drawing'].includes(key);
  const shallow = {
    ...fields,
    ...(nodes && { nodes: [] }),
    ...(fragments && !hasCaption && { fragments: [] }),
  };
  report(violations, path, name, shallow);
  const holdsBlocks = nodes?.some(({ object }) => object === 'block') ?? false;
  if (nodes && holdsBlocks) checkBlocks(violations, path, nodes, 'type' in node ? node.type : '');
  else
    for (const child of nodes ?? [])
      checkNode(
        violations,
        `${path} > ${keyOf(child.object, 'type' in child ? child.type : undefined)}`,
        child,
      );
  for (const fragment of fragments ?? []) checkFragment(violations, path, fragment, name);
}

function checkRaw(violations: string[], path: string, node: BlockNode): void {
  if (node.object === 'text' || typeof node.data?.markdown !== 'string' || node.isVoid !== true)
    violations.push(`${path}: a raw node has its Markdown and nothing in it`);
  const fields = ['object', 'type', 'key', 'isVoid', 'data'];
  for (const name of Object.keys(node))
    if (!fields.includes(name)) violations.push(`${path}: a raw node has no ${name}`);
  const data = node.object === 'text' ? {} : (node.data ?? {});
  for (const name of Object.keys(data))
    if (name !== 'markdown') violations.push(`${path}: a raw node has no data.${name}`);
  const missed = lostContentOf(String(data.markdown));
  if (missed !== '') violations.push(`${path}: a reader would miss ${missed}`);
}

/** The content that readers would miss if Markdown is not rendered: words and embedded media. */
function lostContentOf(markdown: string): string {
  // Link definitions and footnotes are shown where they are referenced.
  if (/^ {0,3}\[[^\]]+\]:/.test(markdown)) return '';
  // Nothing is shown for attribute lists and comments of MDX, which were read as no text.
  if (/^\s*\{\/\*.*\*\/\}\s*$/s.test(markdown)) return '';
  if (/^\s*\{:?[ \t]*[.#\w][^{}]*\}\s*$/.test(markdown)) return '';
  const shown = markdown.replace(/<!--.*?-->/gs, '');
  const media = /<(?:img|iframe|video|audio)\b[^>]*\ssrc=/i.exec(shown)?.[0] ?? '';
  const words = shown.replace(/<[^>]*>|\{%.*?%\}/gs, '').trim();
  return media + words;
}

/** Checks a fragment against the schema's alternative with its name. */
function checkFragment(violations: string[], path: string, fragment: Fragment, name: string): void {
  const at = `${path} > ${fragment.fragment ?? fragment.type}`;
  const clients = CLIENTS.filter(({ schemas }) => schemas[name]);
  const alternatives = clients.flatMap((client) => {
    const items = client.schemas[name]?.properties?.fragments?.items;
    return (items?.oneOf ?? [items ?? {}]).map((schema) => mergedProperties(client, schema));
  });
  const named = alternatives.find((properties) =>
    ['type', 'fragment'].every((field) => {
      const values = properties[field]?.enum;
      return !values || values.includes(fragment[field as 'type' | 'fragment']);
    }),
  );
  if (!named) {
    violations.push(`${at}: no such fragment`);
    return;
  }
  const { nodes, ...fields } = fragment;
  report(violations, at, 'DocumentFragment', { ...fields, nodes: [] });
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = named.nodes ?? {};
  if (nodes.length < minItems || nodes.length > maxItems) violations.push(`${at}: ${nodes.length} blocks`);
  const isText = ['caption', 'expandable-title'].includes(fragment.fragment ?? '');
  for (const { type } of isText ? nodes : [])
    if (type !== 'paragraph') violations.push(`${at}: ${type} is no text`);
  checkBlocks(violations, at, nodes);
}

/** The properties of a schema and of the schemas that it combines; the last definition wins. */
function mergedProperties(client: Client, schema: Schema): Record<string, Schema> {
  if (schema.$ref) return mergedProperties(client, client.schemas[nameOf(schema.$ref)] ?? {});
  const parts = (schema.allOf ?? []).map((part) => mergedProperties(client, part));
  return Object.assign({}, ...parts, schema.properties);
}

const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });

function validatorOf(client: Client, name: string): ValidateFunction {
  const validate = client.validators.get(name) ?? ajv.compile(closedSchema(client, { $ref: name }, []));
  client.validators.set(name, validate);
  return validate;
}

/** Adds the violations of a value that matches the schema of none of the clients that have it. */
function report(violations: string[], path: string, name: string, value: object): void {
  const problems = CLIENTS.filter(({ schemas }) => schemas[name]).map((client) => {
    const validate = validatorOf(client, name);
    return validate(value) ? [] : (validate.errors ?? []);
  });
  if (problems.some((errors) => errors.length === 0)) return;
  for (const { instancePath, message, params } of problems.at(-1) ?? []) {
    if (message === 'must match a schema in anyOf') continue;
    const extra = params.unevaluatedProperty ?? params.allowedValues ?? '';
    violations.push(`${path}${instancePath}: ${message} ${extra}`.trimEnd());
  }
}

/**
 * A schema with its references inlined, in which objects may not have unknown fields. `isPart` is set for a schema of an
 * object that other schemas complete. Child nodes are checked separately.
 */
function closedSchema(client: Client, schema: Schema, path: readonly string[], isPart = false): Schema {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return path.includes(name)
      ? {}
      : closedSchema(client, client.schemas[name] ?? {}, [...path, name], isPart);
  }
  const result: Schema = { ...schema };
  if (schema.nullable && typeof schema.type === 'string') result.type = [schema.type, 'null'];
  if (schema.properties) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        name === 'nodes' || name === 'fragments' ? {} : closedSchema(client, property, path),
      ]),
    );
  }
  // A part may not forbid the fields of another part.
  if (isPart && schema.additionalProperties === false) delete result.additionalProperties;
  if (schema.items) result.items = closedSchema(client, schema.items, path);
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = closedSchema(client, schema.additionalProperties, path);
  const isWhole = schema.allOf === undefined && schema.properties === undefined;
  if (schema.allOf) result.allOf = schema.allOf.map((part) => closedSchema(client, part, path, true));
  if (schema.oneOf) {
    // Some alternatives overlap: an image of a table's record may be a reference, which is another alternative.
    delete result.oneOf;
    result.anyOf = schema.oneOf.map((part) => closedSchema(client, part, path, isPart || !isWhole));
  }
  if (schema.anyOf)
    result.anyOf = schema.anyOf.map((part) => closedSchema(client, part, path, isPart || !isWhole));
  if (!isPart && !isWhole && schema.additionalProperties === undefined) result.unevaluatedProperties = false;
  return result;
}
