import { inputProblem } from '../../../schema/json/value.ts';
import type { Block, ContentRef, Document } from '../document/document.ts';
import { singleLine } from '../import/text.ts';
import { readYaml } from '../import/yaml.ts';
import type { TemplatePage } from './outline.ts';

/** Maximum size of a document in YAML, which takes far longer to parse than JSON. */
const YAML_LIMITS = { maxLength: 512 * 1024, maxDepth: 100 };

/** Operations beyond these are left out: a reference that long is not written by hand. */
const MAX_OPERATIONS = 2000;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** For operations without a tag. */
const UNTAGGED = 'Operations';

type Fields = Record<string, unknown>;

/** Reads a text as JSON or else as YAML; undefined for anything else, or values that cannot be stored. */
export function readSpecification(text: string): unknown {
  const value = /^\s*\{/.test(text) ? readJson(text) : readYaml(text, YAML_LIMITS);
  return 'error' in value || inputProblem(value.value) ? undefined : value.value;
}

function readJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // Whatever the error, the caller learns that it could not be read.
    return { error: (error as Error).message };
  }
}

/**
 * The pages of an API reference: a group for each tag in the order of the document, with a page for each operation, then
 * the webhooks, then a page of models. `ref` is where the document is. Malformed parts are skipped; undefined for
 * anything but an OpenAPI document.
 */
export function pagesFromOpenApi(document: unknown, ref: ContentRef): TemplatePage[] | undefined {
  const api = fieldsOf(document);
  if (typeof api.openapi !== 'string' && typeof api.swagger !== 'string') return undefined;
  const groups = new Map<string, { description: string | undefined; pages: TemplatePage[] }>();
  for (const tag of listOf(api.tags).map(fieldsOf)) {
    const name = textOf(tag.name);
    if (name !== undefined) groups.set(name, { description: firstLine(tag.description), pages: [] });
  }
  let count = 0;
  for (const [path, item] of Object.entries(fieldsOf(api.paths))) {
    for (const [method, operation] of operationsOf(item)) {
      if (count++ >= MAX_OPERATIONS) break;
      const [name = UNTAGGED] = listOf(operation.tags).flatMap((tag) => textOf(tag) ?? []);
      const group = groups.get(name) ?? { description: undefined, pages: [] };
      groups.set(name, group);
      group.pages.push(operationPage(ref, path, method, operation));
    }
  }
  const tagged = [...groups]
    .filter(([, { pages }]) => pages.length > 0)
    .map(([name, { description, pages }]) => group(name, pages, description));
  const webhooks = Object.entries(fieldsOf(api.webhooks))
    .slice(0, MAX_OPERATIONS)
    .flatMap(([name, item]) =>
      operationsOf(item).map(([method, operation]) => webhookPage(ref, name, method, operation)),
    )
    .slice(0, MAX_OPERATIONS);
  const schemas = Object.keys(fieldsOf(fieldsOf(api.components).schemas ?? api.definitions));
  return [
    ...tagged,
    ...(webhooks.length > 0 && ref.kind === 'openapi' ? [group('Webhooks', webhooks)] : []),
    ...(schemas.length > 0 && ref.kind === 'openapi' ? [modelsPage(ref, schemas)] : []),
  ];
}

function operationsOf(item: unknown): [method: string, operation: Fields][] {
  const fields = fieldsOf(item);
  return METHODS.flatMap((method): [string, Fields][] =>
    fields[method] === undefined ? [] : [[method, fieldsOf(fields[method])]],
  );
}

const group = (name: string, pages: readonly TemplatePage[], description?: string): TemplatePage => ({
  title: cut(name, 200),
  type: 'group',
  ...(description !== undefined && { description }),
  pages,
});

/** For a specification of the organization; a document at a URL has a different kind of block. */
function operationPage(ref: ContentRef, path: string, method: string, operation: Fields): TemplatePage {
  const type = ref.kind === 'openapi' ? 'openapi-operation' : 'swagger';
  return page(operation, `${method.toUpperCase()} ${path}`, { type, data: { ref, path, method } });
}

const webhookPage = (ref: ContentRef, name: string, method: string, operation: Fields): TemplatePage =>
  page(operation, name, { type: 'openapi-webhook', data: { ref, name, method } });

const modelsPage = (ref: ContentRef, schemas: readonly string[]): TemplatePage =>
  page({ summary: 'Models' }, '', { type: 'openapi-schemas', data: { ref, schemas, grouped: true } });

function page(operation: Fields, fallback: string, block: Pick<Block, 'type' | 'data'>): TemplatePage {
  const title = textOf(operation.summary) ?? textOf(operation.operationId) ?? fallback;
  const document: Document = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [{ object: 'block', isVoid: true, ...block }],
  };
  return { title: cut(title, 200), content: { document } };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A non-empty text, in one line. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? singleLine(value) || undefined : undefined;

const firstLine = (value: unknown): string | undefined =>
  typeof value === 'string' ? textOf(cut(value.trim().split('\n')[0] ?? '', 2000)) : undefined;

const cut = (text: string, length: number): string => [...text].slice(0, length).join('');
