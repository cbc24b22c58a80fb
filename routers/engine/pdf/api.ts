import { partOf } from '../document/api-part.ts';
import type { Block } from '../document/document.ts';
import { asRef } from '../document/refs.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { published } from '../markdown/published/published.ts';
import {
  type Fields,
  mediaOf,
  operationOf,
  parametersOf,
  propertiesOf,
  requiredOf,
  responsesOf,
  SpecReader,
  schemasOf,
  typeText,
  valueText,
} from '../specs/spec-reader.ts';
import { targetOf, titleOf } from './inlines.ts';
import type { BlockLayout, Place } from './layout.ts';
import type { Cell, Inline, Node } from './nodes.ts';
import { breakable, cleanLine, cutText } from './text.ts';

/** Levels of properties in properties that are listed. */
const MAX_LEVELS = 3;

/** Characters of one description that are shown. */
const MAX_DESCRIPTION = 20_000;

/** Most schemas of one block. */
const MAX_SCHEMAS = 100;

/** Longest words in the columns of a table: names, types, and the rest. */
const WHOLE = { name: 22, type: 14, text: 30 };

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** Lays out operations, webhooks and schemas of an API: by name alone where the book does not have the document. */
export function layOutApi(block: Block, layout: BlockLayout, place: Place): Node[] {
  const data = block.data ?? {};
  const part = partOf(block.type, data);
  const ref = asRef(data.ref);
  const title = titleOf(ref, layout);
  const heading = (method: string, path: string): Node => ({
    t: 'operation',
    method: cutText(cleanLine(method), 12).toUpperCase(),
    path: breakable(cutText(cleanLine(path), 500), 24),
    title,
  });
  if (!part) return [];
  const hash = ref && targetOf(ref, layout).spec;
  const spec = hash === undefined ? undefined : layout.specOf(hash);
  const reader = new SpecReader(spec ?? {});
  const writing: Writing = { reader, layout, place: { ...place, depth: place.depth + 1 } };
  if (part.kind === 'models') {
    const schemas = schemasOf(reader.spec);
    return part.schemas.slice(0, MAX_SCHEMAS).flatMap((name): Node[] => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      const said = schema === undefined ? [] : described(writing, reader.resolve(schema));
      return [heading('SCHEMA', name), ...said, ...properties(writing, schema)];
    });
  }
  const head = heading(part.method, part.kind === 'operation' ? part.path : part.name);
  const found = operationOf(reader, part);
  return found ? [head, ...operationNodes(writing, found.item, found.operation)] : [head];
}

interface Writing {
  reader: SpecReader;
  layout: BlockLayout;
  place: Place;
}

function operationNodes(writing: Writing, item: Fields, operation: Fields): Node[] {
  const { reader, layout } = writing;
  const { words } = layout;
  const summary = typeof operation.summary === 'string' ? cleanLine(operation.summary) : '';
  const nodes: Node[] = [];
  if (summary !== '') nodes.push(label(bold(summary)));
  if (operation.deprecated === true) nodes.push(paragraph(italic(words.deprecated)));
  for (const node of described(writing, operation)) nodes.push(node);
  const parameters = parametersOf(reader, item, operation);
  for (const place of PLACES) {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .flatMap((parameter) => {
        const schema = parameter.schema ?? mediaOf(reader, parameter.content)?.schema ?? parameter;
        const isRequired = parameter.required === true;
        return reader.take()
          ? [row(writing, { name: String(parameter.name), schema, isRequired, said: parameter })]
          : [];
      });
    if (rows.length > 0) nodes.push(label(bold(words.parameters[place])), table(rows));
  }
  const body = reader.resolve(operation.requestBody);
  const sent = mediaOf(reader, body.content);
  if (sent)
    nodes.push(
      label(bold(words.body), ` ${breakable(cleanLine(sent.type))}`),
      ...described(writing, body),
      ...properties(writing, sent.schema),
    );
  return [...nodes, ...responses(writing, operation)];
}

/** What is answered by status, and what the first answer of success consists of. */
function responses(writing: Writing, operation: Fields): Node[] {
  const { reader, layout } = writing;
  const list = responsesOf(operation).map(([status, given]) => {
    const response = reader.resolve(given);
    const schema = mediaOf(reader, response.content)?.schema ?? response.schema;
    return { status, response, schema };
  });
  if (list.length === 0) return [];
  const rows = list.map(({ status, response, schema }) => [
    cell([{ t: 'p', c: [bold(cutText(cleanLine(status), 20))] }]),
    cell([{ t: 'p', c: [breakable(cleanLine(typeText(reader, schema)), WHOLE.type)] }]),
    cell(described(writing, response)),
  ]);
  const made: Node[] = [label(bold(layout.words.responses)), table(rows)];
  const first = list.find(({ status }) => status.startsWith('2'));
  const consists = first === undefined ? [] : listed(writing, first.schema);
  if (first !== undefined && consists.length > 0)
    made.push(label(bold(cutText(cleanLine(first.status), 20))), table(consists));
  return made;
}

/** The properties of a schema as a table; one that has none, by its type. */
function properties(writing: Writing, schema: unknown): Node[] {
  if (schema === undefined) return [];
  const rows = listed(writing, schema);
  if (rows.length > 0) return [table(rows)];
  const type = typeText(writing.reader, schema);
  return type === '' ? [] : [paragraph(breakable(cleanLine(type)))];
}

/** The properties of a schema, each followed by what it consists of. */
function listed(writing: Writing, given: unknown, before = '', level = 0): Cell[][] {
  const { reader } = writing;
  const schema = reader.resolve(given);
  if (level > MAX_LEVELS) return [];
  if (schema.items !== undefined) return listed(writing, schema.items, before && `${before}[]`, level + 1);
  const required = new Set(requiredOf(reader, schema));
  return Object.entries(propertiesOf(reader, schema)).flatMap(([name, inner]) => {
    if (!reader.take()) return [];
    const whole = before === '' ? name : `${before}.${name}`;
    const said = reader.resolve(inner);
    const own = row(writing, { name: whole, schema: inner, isRequired: required.has(name), said });
    return [own, ...listed(writing, inner, whole, level + 1)];
  });
}

interface Property {
  name: string;
  schema: unknown;
  isRequired: boolean;
  /** What has the description. */
  said: Fields;
}

/** A named value: its name, its type, and what is said of it. */
function row(writing: Writing, { name, schema: given, isRequired, said }: Property): Cell[] {
  const { reader, layout } = writing;
  const { words } = layout;
  const schema = reader.resolve(given);
  const marks = [
    ...(isRequired ? [words.required] : []),
    ...(said.deprecated === true || schema.deprecated === true ? [words.deprecated] : []),
  ];
  const values = (Array.isArray(schema.enum) ? schema.enum : []).slice(0, 50).map(valueText);
  const facts: Node[] = [];
  if (schema.default !== undefined)
    facts.push(paragraph(`${words.defaultValue}: `, code(valueText(schema.default))));
  if (values.length > 0)
    facts.push(
      paragraph(
        `${words.allowedValues}: `,
        ...values.flatMap((value, index) => (index === 0 ? [code(value)] : [', ', code(value)])),
      ),
    );
  return [
    cell([
      paragraph(code(name, WHOLE.name)),
      ...(marks.length > 0 ? [paragraph(italic(marks.join(', ')))] : []),
    ]),
    cell([paragraph(breakable(cleanLine(typeText(reader, given)), WHOLE.type))]),
    cell([...described(writing, said), ...facts]),
  ];
}

/** Descriptions are Markdown. */
function described({ layout, place }: Writing, { description }: Fields): Node[] {
  if (typeof description !== 'string' || description.trim() === '') return [];
  const { nodes } = published(parseMarkdown(cutText(description, MAX_DESCRIPTION)));
  return layout.layOut(nodes, { ...place, depth: Math.max(1, place.depth), whole: WHOLE.text });
}

const paragraph = (...c: Inline[]): Node => ({ t: 'p', c });
const label = (...c: Inline[]): Node => ({ t: 'p', c, keep: true });
const bold = (s: string): Inline => ({ t: 'run', s: breakable(s), m: 'b' });
const italic = (s: string): Inline => ({ t: 'run', s, m: 'i' });
const code = (s: string, whole = WHOLE.text): Inline => ({
  t: 'run',
  s: breakable(cleanLine(cutText(s, 500)), whole) || ' ',
  m: 'c',
});
const cell = (c: Node[]): Cell => ({ c });

const table = (rows: Cell[][]): Node => ({
  t: 'table',
  columns: [
    { width: 30, align: 'start' },
    { width: 18, align: 'start' },
    { width: 52, align: 'start' },
  ],
  head: null,
  rows,
  size: 8.5,
});
