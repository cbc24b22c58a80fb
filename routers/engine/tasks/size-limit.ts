import type { Document } from '../document/document.ts';
import { SerializedDocument } from '../document/serialized-document.ts';
import { countAllEmptyCells, countEmptyCells } from '../document/table-data.ts';
import { lengthOf, type ObjectReader, type StoredObject } from '../store/objects.ts';
import type { EditInput, TaskInput, TaskName } from './tasks.ts';

/**
 * The maximum weight of a task in the main process, in characters of stored JSON, of its input and of all documents it
 * reads. Heavier tasks would block it for too long: 100,000 characters take 20 to 40 ms.
 */
const MAX_WEIGHT = 100_000;

/** The JSON of a document is about four times as long as its Markdown. */
const MARKDOWN_FACTOR = 4;
/**
 * The weight of a character of Markdown that may be syntax. A text of nothing but syntax takes up to 40 times as long as
 * prose, and its JSON is up to 130 times as long: the shortest table of two columns has eight characters.
 */
const SYNTAX_WEIGHT = 20;
/** The dot after the number of a list item is syntax, too. */
const SYNTAX = /[^\p{L}\p{M}\p{N} .,;]|\d[.](?=\s)/gu;
/** The weight of a node of a document that is given as a value. */
const NODE_WEIGHT = 50;
/** The weight of a cell without a value: it is not in the JSON, but takes up to 30 characters of Markdown. */
const EMPTY_CELL_WEIGHT = 10;
/** The relative weight of objects that are not documents, which are only searched. */
const OTHER_OBJECTS_FACTOR = 1 / 10;
/** The same if conditions in them are parsed: a condition of 1,000 characters takes 0.1 to 0.2 ms. */
const CONDITIONS_FACTOR = 1 / 2;

/** Thrown if a task is too large for this process. */
export class TaskTooLarge extends Error {}

/** Wraps a reader so that it throws once a task turns out to be large; undefined if its input alone is too large. */
export function sizeLimitedReader<Name extends TaskName>(
  name: Name,
  input: TaskInput<Name>,
  reader: ObjectReader,
): ObjectReader | undefined {
  let left = MAX_WEIGHT - weightOfInput(name, input);
  if (left < 0) return undefined;
  const others = name === 'pageConditionChanges' ? CONDITIONS_FACTOR : OTHER_OBJECTS_FACTOR;
  return {
    async read(hashes) {
      const found = await reader.read(hashes);
      for (const object of found.values())
        left -= lengthOf(object) * (object.kind === 'document' ? 1 : others);
      if (left < 0) throw new TaskTooLarge();
      for (const object of found.values()) left -= weightOfEmptyCells(object);
      if (left < 0) throw new TaskTooLarge();
      return found;
    },
  };
}

const weightOfEmptyCells = (object: StoredObject): number =>
  object.kind === 'document'
    ? countAllEmptyCells((object.body as unknown as Document).nodes) * EMPTY_CELL_WEIGHT
    : 0;

/** The time for merge keys in YAML and for signed XML is not proportional to the length of the text. */
const ALWAYS_LARGE: ReadonlySet<TaskName> = new Set([
  'samlResponse',
  'bundle',
  'describeSpec',
  'apiOutline',
  'shownSpec',
]);

function weightOfInput(name: TaskName, input: TaskInput<TaskName>): number {
  if (ALWAYS_LARGE.has(name)) return Number.POSITIVE_INFINITY;
  if (name === 'body') return (input as TaskInput<'body'>).bytes.byteLength;
  if (name === 'parseText') return weightOfMarkdown((input as TaskInput<'parseText'>).markdown);
  if (name === 'conflictsMarkdown') return weightOf((input as TaskInput<'conflictsMarkdown'>).conflicts);
  return name === 'edit' ? weightOfChanges(input as EditInput) : 0;
}

function weightOfChanges({ changes }: EditInput): number {
  let weight = 0;
  for (const change of changes) {
    const content = 'document' in change ? change.document : 'take' in change ? change.take : undefined;
    if (typeof content !== 'object') continue;
    if (content.markdown !== undefined) weight += weightOfMarkdown(content.markdown);
    if (content.document) weight += weightOfDocument(content.document);
  }
  return weight;
}

/** The weight of some Markdown; of long Markdown, only as much as makes it too large. */
export function weightOfMarkdown(markdown: string): number {
  const weight = markdown.length * MARKDOWN_FACTOR;
  if (weight > MAX_WEIGHT) return weight;
  return weight + (markdown.match(SYNTAX)?.length ?? 0) * SYNTAX_WEIGHT;
}

function weightOfDocument(document: Document): number {
  return document instanceof SerializedDocument ? document.json.length : weightOf(document.nodes);
}

/** Measures a value; stops once it is too large. */
function weightOf(given: unknown): number {
  let weight = 0;
  const visit = (value: unknown): void => {
    if (weight > MAX_WEIGHT) return;
    if (typeof value === 'string') weight += value.length;
    if (typeof value !== 'object' || value === null) return;
    weight += NODE_WEIGHT;
    if (isTable(value)) weight += countEmptyCells(value.data ?? {}) * EMPTY_CELL_WEIGHT;
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(given);
  return weight;
}

const isTable = (value: object): value is { data?: unknown } =>
  'object' in value && value.object === 'block' && 'type' in value && value.type === 'table';
