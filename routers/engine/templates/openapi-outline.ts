import { type ApiPart, keyOfPart } from '../document/api-part.ts';
import { singleLine } from '../import/text.ts';
import { versionIn } from '../specs/openapi-version.ts';
import { operationsIn } from '../specs/operations.ts';
import { parseSpecText } from '../specs/read.ts';
import { createUniqueSlugs, pathSlug } from '../store/slug.ts';
import { firstCharacters } from '../text.ts';
import { fieldsOf } from '../values.ts';
import type { ApiOutline, ApiPage } from './api-outline.ts';

/** Maximum number of operations; the rest are left out. */
const MAX_OPERATIONS = 2000;

/** Maximum length of the path of an operation or the name of a model, in characters; longer ones are left out. */
const MAX_NAME = 1000;

/** Maximum number of models; the rest are left out. */
const MAX_MODELS = 10_000;

/** Maximum lengths of a title and a description, in characters. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 2000;

/** Maximum length of the description of an operation that is indexed for search, in characters. */
const MAX_TEXT = 1000;

/** Maximum number of tags of an operation that are read. */
const MAX_TAGS = 100;

/** The group of operations without a tag. */
const UNTAGGED = 'Operations';

/** Parses an OpenAPI document in JSON or YAML into an outline; undefined if it is not one. */
export function parseOutline(bytes: Uint8Array): ApiOutline | undefined {
  const read = parseSpecText(bytes);
  return 'value' in read ? buildOutline(read.value) : undefined;
}

/**
 * Builds the outline of an API reference: a group for each tag, in the order of the document, with a page for each operation;
 * then the webhooks, and a page with the models. Skips malformed parts; undefined if it is not an OpenAPI document.
 */
export function buildOutline(document: unknown): ApiOutline | undefined {
  const api = fieldsOf(document);
  if (versionIn(api) === undefined) return undefined;
  const groups = new Map<string, { description: string | undefined; pages: DraftPage[] }>();
  for (const tag of listOf(api.tags).map(fieldsOf)) {
    const name = textOf(tag.name, MAX_NAME);
    if (name !== undefined) groups.set(name, { description: firstLine(tag.description), pages: [] });
  }
  let count = 0;
  for (const [path, method, operation] of operationsIn(api, 'paths', MAX_NAME)) {
    if (count++ >= MAX_OPERATIONS) break;
    const [name = UNTAGGED] = listOf(operation.tags)
      .slice(0, MAX_TAGS)
      .flatMap((tag) => textOf(tag, MAX_NAME) ?? []);
    const group = groups.get(name) ?? { description: undefined, pages: [] };
    groups.set(name, group);
    const fallback = `${method.toUpperCase()} ${path}`;
    group.pages.push(operationPage(operation, fallback, { kind: 'operation', path, method }));
  }
  const tagged = [...groups]
    .filter(([, { pages }]) => pages.length > 0)
    .map(([name, { description, pages }]) => group(`tag ${name}`, name, pages, description));
  const webhooks: DraftPage[] = [];
  for (const [name, method, operation] of operationsIn(api, 'webhooks', MAX_NAME)) {
    if (count++ >= MAX_OPERATIONS) break;
    webhooks.push(operationPage(operation, name, { kind: 'webhook', name, method }));
  }
  const schemas = Object.keys(fieldsOf(fieldsOf(api.components).schemas ?? api.definitions))
    .filter((name) => name.length <= MAX_NAME)
    .slice(0, MAX_MODELS);
  const title = textOf(fieldsOf(api.info).title, MAX_TITLE);
  return {
    ...(title !== undefined && { title }),
    pages: withSlugs([
      ...tagged,
      ...(webhooks.length > 0 ? [group('webhooks', 'Webhooks', webhooks)] : []),
      ...(schemas.length > 0 ? [page('Models', { kind: 'models', schemas })] : []),
    ]),
    isCut: count > MAX_OPERATIONS,
  };
}

type DraftPage = Omit<ApiPage, 'slug' | 'pages'> & { pages?: readonly DraftPage[] };

const page = (title: string, shows: ApiPart): DraftPage => ({ key: keyOfPart(shows), title, shows });

function operationPage(operation: Record<string, unknown>, fallback: string, shows: ApiPart): DraftPage {
  const title = titleOf(operation, fallback);
  const said = [textOf(operation.operationId, MAX_TITLE), textOf(operation.description, MAX_TEXT)];
  const text = said.filter((one) => one !== undefined && one !== title).join('\n');
  return { ...page(title, shows), ...(text !== '' && { text }) };
}

const group = (key: string, title: string, pages: readonly DraftPage[], description?: string): DraftPage => ({
  key,
  title: firstCharacters(title, MAX_TITLE),
  ...(description !== undefined && { description }),
  pages,
});

function withSlugs(drafts: readonly DraftPage[]): ApiPage[] {
  const unique = createUniqueSlugs();
  return drafts.map(({ pages, ...draft }) => ({
    ...draft,
    slug: unique(pathSlug(draft.title)),
    ...(pages && { pages: withSlugs(pages) }),
  }));
}

const titleOf = (operation: Record<string, unknown>, fallback: string): string =>
  textOf(operation.summary, MAX_TITLE) ??
  textOf(operation.operationId, MAX_TITLE) ??
  firstCharacters(fallback, MAX_TITLE);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * The start of a text as a single line; undefined if empty. Reads little more than it returns: many operations may
 * share a text.
 */
const textOf = (value: unknown, length: number): string | undefined =>
  typeof value === 'string'
    ? firstCharacters(singleLine(value.slice(0, 4 * length)), length) || undefined
    : undefined;

const firstLine = (value: unknown): string | undefined =>
  typeof value === 'string' ? textOf(value.trim().split('\n')[0], MAX_DESCRIPTION) : undefined;
