import { partOf } from '../document/api-part.ts';
import type { Block } from '../document/document.ts';
import { asRef } from '../document/refs.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { published } from '../markdown/published/published.ts';
import { factsOf } from '../specs/constraints.ts';
import { mediaGroupsOf } from '../specs/media-types.ts';
import {
  callbacksOf,
  headersOf,
  type Operation,
  type OperationParts,
  operationOf,
  responsesOf,
} from '../specs/operation-reader.ts';
import {
  mediaOf,
  requiredOf,
  SpecReader,
  schemasOf,
  shownPropertiesOf,
  typeText,
} from '../specs/spec-reader.ts';
import { truncate } from '../text.ts';
import type { Fields } from '../values.ts';
import {
  bold,
  cell,
  code,
  codes,
  factParagraphs,
  italic,
  label,
  MAX_WORD,
  paragraph,
  table,
} from './api-nodes.ts';
import { targetOf, titleOf } from './inlines.ts';
import type { BlockContext, BlockLayout } from './layout.ts';
import type { Cell, Node } from './nodes.ts';
import { breakable, cleanLine } from './text.ts';

/** Maximum nesting of properties that are listed. */
const MAX_LEVELS = 3;

/** Maximum length of a description, in characters. */
const MAX_DESCRIPTION = 20_000;

/** Maximum number of schemas in a block. */
const MAX_SCHEMAS = 100;

const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** Lays out operations, webhooks and schemas of an API; only their names if the OpenAPI document is not available. */
export function layOutApi(block: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const data = block.data ?? {};
  const part = partOf(block.type, data);
  const ref = asRef(data.ref);
  const title = titleOf(ref, layout);
  const heading = (method: string, path: string): Node => ({
    t: 'operation',
    method: truncate(cleanLine(method), 12).toUpperCase(),
    path: breakable(truncate(cleanLine(path), 500), 24),
    title,
  });
  if (!part) return [];
  const hash = ref && targetOf(ref, layout).spec;
  const spec = hash === undefined ? undefined : layout.specOf(hash);
  const reader = new SpecReader(spec ?? {});
  const api: ApiContext = { reader, layout, context: { ...context, depth: context.depth + 1 } };
  if (part.kind === 'models') {
    const schemas = schemasOf(reader.spec);
    return part.schemas.slice(0, MAX_SCHEMAS).flatMap((name): Node[] => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      const described = schema === undefined ? [] : descriptionNodes(api, reader.resolve(schema));
      return [heading('SCHEMA', name), ...described, ...properties(api, schema)];
    });
  }
  const head = heading(part.method, part.kind === 'operation' ? part.path : part.name);
  const found = operationOf(reader, part);
  return found ? [head, ...operationNodes(api, found)] : [head];
}

interface ApiContext {
  reader: SpecReader;
  layout: BlockLayout;
  context: BlockContext;
}

const operationNodes = (api: ApiContext, found: Operation): Node[] => [
  ...requestNodes(api, found),
  ...responses(api, found.operation),
  ...callbackNodes(api, found.operation),
];

/** The callbacks of an operation, without their responses. */
function callbackNodes(api: ApiContext, operation: Fields): Node[] {
  const callbacks = callbacksOf(api.reader, operation).flatMap((callback) => {
    const { name, method, url } = callback;
    const head = label(code(name), ` ${method.toUpperCase()} `, code(url));
    return api.reader.spendPart() ? [head, ...requestNodes(api, callback)] : [];
  });
  return callbacks.length > 0 ? [label(bold(api.layout.texts.callbacks)), ...callbacks] : [];
}

/** The description, parameters and body of a request. */
function requestNodes(api: ApiContext, { operation, parameters }: OperationParts): Node[] {
  const { reader, layout } = api;
  const { texts } = layout;
  const summary = typeof operation.summary === 'string' ? cleanLine(operation.summary) : '';
  const nodes: Node[] = [];
  if (summary !== '') nodes.push(label(bold(summary)));
  if (operation.deprecated === true) nodes.push(paragraph(italic(texts.deprecated)));
  for (const node of descriptionNodes(api, operation)) nodes.push(node);
  for (const location of PARAMETER_PLACES) {
    const rows = parameters
      .filter((parameter) => parameter.in === location)
      .flatMap((parameter) => {
        const schema = parameter.schema ?? mediaOf(reader, parameter.content)?.schema ?? parameter;
        const isRequired = parameter.required === true;
        return reader.spendPart()
          ? [row(api, { name: String(parameter.name), schema, isRequired, describedBy: parameter })]
          : [];
      });
    if (rows.length > 0) nodes.push(label(bold(texts.parameters[location])), table(rows));
  }
  const body = reader.resolve(operation.requestBody);
  const groups = mediaGroupsOf(reader, body.content);
  const bodies = groups.flatMap(({ types, schema }, index) => [
    label(bold(texts.body), ` ${breakable(cleanLine(types.join(', ')))}`),
    ...(index === 0 ? descriptionNodes(api, body) : []),
    ...properties(api, schema),
  ]);
  return [...nodes, ...bodies];
}

/** The responses by status, and the properties of the first success response. */
function responses(api: ApiContext, operation: Fields): Node[] {
  const { reader, layout } = api;
  const list = responsesOf(operation).map(([status, given]) => {
    const response = reader.resolve(given);
    const schema = mediaOf(reader, response.content)?.schema;
    return { status, response, schema };
  });
  if (list.length === 0) return [];
  const rows = list.map(({ status, response, schema }) => [
    cell([{ t: 'p', c: [bold(truncate(cleanLine(status), 20))] }]),
    cell([{ t: 'p', c: [breakable(cleanLine(typeText(reader, schema)), MAX_WORD.type)] }]),
    cell([...descriptionNodes(api, response), ...headerNodes(api, response)]),
  ]);
  const made: Node[] = [label(bold(layout.texts.responses)), table(rows)];
  const first = list.find(({ status }) => status.startsWith('2'));
  const consists = first === undefined ? [] : propertyRows(api, first.schema);
  if (first !== undefined && consists.length > 0)
    made.push(label(bold(truncate(cleanLine(first.status), 20))), table(consists));
  return made;
}

/** The names of the headers of a response. */
function headerNodes({ reader, layout }: ApiContext, response: Fields): Node[] {
  const names = headersOf(reader, response).map(([name]) => name);
  return names.length > 0 ? [paragraph(`${layout.texts.headers}: `, ...codes(names))] : [];
}

/** The facts of a schema, and its properties as a table, or its type if it has none. */
function properties(api: ApiContext, schema: unknown): Node[] {
  if (schema === undefined) return [];
  const facts = factNodes(api, schema);
  const rows = propertyRows(api, schema);
  if (rows.length > 0) return [...facts, table(rows)];
  const type = typeText(api.reader, schema);
  return [...(type === '' ? [] : [paragraph(breakable(cleanLine(type)))]), ...facts];
}

/** Table rows for the properties of a schema, each followed by its nested properties. */
function propertyRows(api: ApiContext, given: unknown, before = '', level = 0): Cell[][] {
  const { reader } = api;
  const schema = reader.resolve(given);
  if (level > MAX_LEVELS) return [];
  if (schema.items !== undefined) return propertyRows(api, schema.items, before && `${before}[]`, level + 1);
  const required = new Set(requiredOf(reader, schema));
  return shownPropertiesOf(reader, schema).flatMap(([name, inner]) => {
    if (!reader.spendPart()) return [];
    const qualifiedName = before === '' ? name : `${before}.${name}`;
    const described = reader.resolve(inner);
    const own = row(api, {
      name: qualifiedName,
      schema: inner,
      isRequired: required.has(name),
      describedBy: described,
    });
    return [own, ...propertyRows(api, inner, qualifiedName, level + 1)];
  });
}

interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
  /** The object with the description. */
  describedBy: Fields;
}

/** A table row for a named value: its name, type and description. */
function row(api: ApiContext, { name, schema: given, isRequired, describedBy }: Property): Cell[] {
  const { reader, layout } = api;
  const { texts } = layout;
  const schema = reader.resolve(given);
  const marks = [
    ...(isRequired ? [texts.required] : []),
    ...(describedBy.deprecated === true || schema.deprecated === true ? [texts.deprecated] : []),
  ];
  return [
    cell([
      paragraph(code(name, MAX_WORD.name)),
      ...(marks.length > 0 ? [paragraph(italic(marks.join(', ')))] : []),
    ]),
    cell([paragraph(breakable(cleanLine(typeText(reader, given)), MAX_WORD.type))]),
    cell([...descriptionNodes(api, describedBy), ...factNodes(api, given)]),
  ];
}

/** Lays out what a schema says about its values besides their type. */
function factNodes({ reader, layout: { texts } }: ApiContext, given: unknown): Node[] {
  const facts = factsOf(reader, given);
  return facts ? factParagraphs(texts, facts) : [];
}

/** Lays out a description, which is Markdown. */
function descriptionNodes({ layout, context }: ApiContext, { description }: Fields): Node[] {
  if (typeof description !== 'string' || description.trim() === '') return [];
  const { nodes } = published(parseMarkdown(truncate(description, MAX_DESCRIPTION)));
  return layout.layOut(nodes, { ...context, depth: Math.max(1, context.depth), maxWord: MAX_WORD.text });
}
