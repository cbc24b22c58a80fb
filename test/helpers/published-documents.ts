import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import type { BlockNode, Document, Fragment } from '../../routers/engine/document/document.ts';

/** The documents anywhere in an answer. */
export function documentsIn(answer: unknown): Document[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if ('object' in answer && answer.object === 'document' && 'nodes' in answer) return [answer as Document];
  return Object.values(answer).flatMap(documentsIn);
}

/** Types that the schemas describe but let nothing hold: they can only be meant for the document itself. */
const HOMELESS: ReadonlySet<string> = new Set(['block columns', 'block if']);

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

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

function keyOf(object: unknown, type: unknown): string {
  return type === undefined || object === 'text' ? String(object) : `${object} ${type}`;
}

const isOurs = (node: BlockNode | Fragment): boolean => 'type' in node && node.type === 'markdown';

function report(found: string[], path: string, validate: ValidateFunction, value: object): void {
  if (validate(value)) return;
  for (const { instancePath, message, params } of validate.errors ?? []) {
    if (message === 'must match a schema in anyOf') continue;
    const extra = params.unevaluatedProperty ?? params.allowedValues ?? '';
    found.push(`${path}${instancePath}: ${message} ${extra}`.trimEnd());
  }
}

/**
 * A published client's schemas of documents as an oracle. Fields that they do not name are violations too. The block and
 * the inline of type `markdown` are this service's own, for what is not understood, and pass wherever they stand.
 */
export class PublishedDocuments {
  readonly #schemas: Record<string, Schema>;
  /** The schema of each type of node. */
  readonly #byType = new Map<string, string>();
  readonly #ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(schemas: Record<string, object>) {
    this.#schemas = schemas;
    for (const [name, { properties }] of Object.entries(this.#schemas)) {
      if (!name.startsWith('Document') || !properties?.object?.enum) continue;
      const [object] = properties.object.enum;
      for (const type of properties.type?.enum ?? [undefined]) this.#byType.set(keyOf(object, type), name);
    }
  }

  /** Whether the client has a type for a block or an inline. */
  knows({ object, type }: { object: string; type: string }): boolean {
    return this.#byType.has(keyOf(object, type));
  }

  /** What a document answered says otherwise than the schemas do, node by node. */
  violationsOf(document: Pick<Document, 'nodes'> & object): string[] {
    const found: string[] = [];
    const { nodes, ...fields } = document;
    report(found, 'document', this.#validatorOf('JSONDocument'), { ...fields, nodes: [] });
    const allowed = this.#childrenOf(this.#schemas.JSONDocument?.properties?.nodes).union(HOMELESS);
    this.#checkChildren(found, 'document', 'JSONDocument', nodes, allowed);
    return found;
  }

  /** The types of blocks, inlines or marks that the schemas have. */
  nodeTypes(object: 'block' | 'inline' | 'mark'): string[] {
    return [...this.#byType.keys()]
      .filter((key) => key.startsWith(`${object} `))
      .map((key) => key.slice(object.length + 1));
  }

  /** The fields that the data of some node has, by the schemas and in this service's own nodes. */
  dataFields(): string[] {
    return [
      ...new Set([
        'markdown',
        'marks',
        ...[...this.#byType.values()].flatMap((name) =>
          this.#fieldsOf(this.#schemas[name]?.properties?.data),
        ),
      ]),
    ];
  }

  #fieldsOf(schema: Schema | undefined): string[] {
    if (!schema) return [];
    if (schema.$ref) return this.#fieldsOf(this.#schemas[nameOf(schema.$ref)]);
    const alternatives = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
    return [...Object.keys(schema.properties ?? {}), ...alternatives.flatMap((part) => this.#fieldsOf(part))];
  }

  #checkNode(found: string[], path: string, node: BlockNode): void {
    const key = keyOf(node.object, 'type' in node ? node.type : undefined);
    if (isOurs(node)) {
      if (node.object === 'text' || typeof node.data?.markdown !== 'string' || node.isVoid !== true)
        found.push(`${path}: a raw node has its Markdown and nothing in it`);
      const fields = ['object', 'type', 'key', 'isVoid', 'data'];
      for (const name of Object.keys(node))
        if (!fields.includes(name)) found.push(`${path}: a raw node has no ${name}`);
      const data = node.object === 'text' ? {} : (node.data ?? {});
      for (const name of Object.keys(data))
        if (name !== 'markdown') found.push(`${path}: a raw node has no data.${name}`);
      return;
    }
    const name = this.#byType.get(key);
    if (name === undefined) {
      found.push(`${path}: no published type`);
      return;
    }
    const { properties = {} } = this.#schemas[name] ?? {};
    const { nodes, fragments, ...fields } = node as { nodes?: BlockNode[]; fragments?: Fragment[] };
    const shallow = { ...fields, ...(nodes && { nodes: [] }), ...(fragments && { fragments: [] }) };
    report(found, path, this.#validatorOf(name), shallow);
    if (nodes) this.#checkChildren(found, path, name, nodes, this.#childrenOf(properties.nodes));
    for (const fragment of fragments ?? [])
      this.#checkFragment(found, path, fragment, properties.fragments?.items);
  }

  /** A fragment against the alternative of the schema that has its name. */
  #checkFragment(found: string[], path: string, fragment: Fragment, items: Schema | undefined): void {
    const at = `${path} > ${fragment.fragment ?? fragment.type}`;
    const alternatives = (items?.oneOf ?? [items ?? {}]).map((part) => this.#mergedProperties(part));
    const named = alternatives.find((properties) =>
      ['type', 'fragment'].every((name) => {
        const values = properties[name]?.enum;
        return !values || values.includes(fragment[name as 'type' | 'fragment']);
      }),
    );
    if (!named) {
      found.push(`${at}: no such fragment`);
      return;
    }
    const { nodes, ...fields } = fragment;
    report(found, at, this.#validatorOf('DocumentFragment'), { ...fields, nodes: [] });
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = named.nodes ?? {};
    if (nodes.length < minItems || nodes.length > maxItems) found.push(`${at}: ${nodes.length} blocks`);
    this.#checkChildren(found, at, 'fragment', nodes, this.#childrenOf(named.nodes));
  }

  /** The properties of a schema with those of what it is made of; the last that tells of one counts. */
  #mergedProperties(schema: Schema): Record<string, Schema> {
    if (schema.$ref) return this.#mergedProperties(this.#schemas[nameOf(schema.$ref)] ?? {});
    return Object.assign(
      {},
      ...(schema.allOf ?? []).map((part) => this.#mergedProperties(part)),
      schema.properties,
    );
  }

  /** The types that an array of nodes may hold. */
  #childrenOf(schema: Schema | undefined): Set<string> {
    const allowed = new Set<string>();
    const collect = (part: Schema | undefined): void => {
      if (part?.$ref) {
        const target = this.#schemas[nameOf(part.$ref)];
        const object = target?.properties?.object?.enum?.[0];
        if (object)
          for (const type of target?.properties?.type?.enum ?? [undefined]) allowed.add(keyOf(object, type));
        else collect(target);
      }
      for (const option of [...(part?.oneOf ?? []), ...(part?.anyOf ?? [])]) collect(option);
    };
    collect(schema?.items);
    return allowed;
  }

  #checkChildren(
    found: string[],
    path: string,
    parent: string,
    nodes: readonly BlockNode[],
    allowed: ReadonlySet<string>,
  ): void {
    for (const node of nodes) {
      const key = keyOf(node.object, 'type' in node ? node.type : undefined);
      if (!allowed.has(key) && !isOurs(node)) found.push(`${path}: ${parent} holds no ${key}`);
      this.#checkNode(found, `${path} > ${key}`, node);
    }
  }

  #validatorOf(name: string): ValidateFunction {
    const validate = this.#validators.get(name) ?? this.#ajv.compile(this.#closed({ $ref: name }, []));
    this.#validators.set(name, validate);
    return validate;
  }

  /**
   * A schema with references spelled out, in which no object has fields that are not named. `isPart` is set for a part of
   * an object that other parts complete. Children are checked by themselves.
   */
  #closed(schema: Schema, path: readonly string[], isPart = false): Schema {
    if (schema.$ref) {
      const name = nameOf(schema.$ref);
      return path.includes(name) ? {} : this.#closed(this.#schemas[name] ?? {}, [...path, name], isPart);
    }
    const result: Schema = { ...schema };
    if (schema.nullable && typeof schema.type === 'string') result.type = [schema.type, 'null'];
    if (schema.properties) {
      result.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [
          name,
          name === 'nodes' || name === 'fragments' ? {} : this.#closed(property, path),
        ]),
      );
    }
    if (schema.items) result.items = this.#closed(schema.items, path);
    if (typeof schema.additionalProperties === 'object')
      result.additionalProperties = this.#closed(schema.additionalProperties, path);
    const isWhole = schema.allOf === undefined && schema.properties === undefined;
    if (schema.allOf) result.allOf = schema.allOf.map((part) => this.#closed(part, path, true));
    if (schema.oneOf) {
      // Some alternatives overlap: an image of a table's record may be a reference, which is another alternative.
      delete result.oneOf;
      result.anyOf = schema.oneOf.map((part) => this.#closed(part, path, isPart || !isWhole));
    }
    if (schema.anyOf) result.anyOf = schema.anyOf.map((part) => this.#closed(part, path, isPart || !isWhole));
    if (!isPart && !isWhole && schema.additionalProperties === undefined)
      result.unevaluatedProperties = false;
    return result;
  }
}

const SPEC = createRequire(import.meta.url).resolve('@gitbook/api/spec/openapi.json');

/** The schemas of the client of the contract. */
const published = new PublishedDocuments(JSON.parse(readFileSync(SPEC, 'utf8')).components.schemas);
export const violationsOf = (document: Pick<Document, 'nodes'> & object): string[] =>
  published.violationsOf(document);
export const nodeTypes = (object: 'block' | 'inline' | 'mark'): string[] => published.nodeTypes(object);
export const dataFields = (): string[] => published.dataFields();
