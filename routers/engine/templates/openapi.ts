import { type ApiPart, keyOfPart } from '../document/api-part.ts';
import { singleLine } from '../import/text.ts';
import { METHODS } from '../specs/operations.ts';
import { valueAt } from '../specs/pointers.ts';
import { readSpecText } from '../specs/read.ts';
import { slugify, uniqueSlug } from '../store/slug.ts';
import type { ApiOutline, ApiPage } from './api-outline.ts';

/** Operations beyond these are left out: a reference that long is not written by hand. */
const MAX_OPERATIONS = 2000;

/** Characters of the path of an operation or the name of a model; longer ones are left out as well. */
const MAX_NAME = 1000;

/** Models beyond these are left out. */
const MAX_MODELS = 10_000;

/** How many references may lie between a path and its operations. */
const MAX_REFERENCES = 10;

/** For operations without a tag. */
const UNTAGGED = 'Operations';

type Fields = Record<string, unknown>;

/** The outline of an OpenAPI document in JSON or YAML; undefined for any other bytes. */
export function outlineOf(bytes: Uint8Array): ApiOutline | undefined {
  const read = readSpecText(bytes);
  return 'value' in read ? readOutline(read.value) : undefined;
}

/**
 * The outline of an API reference: a group for each tag in the order of the document, with a page for each operation, then
 * the webhooks, then a page of models. Malformed parts are skipped; undefined for anything but an OpenAPI document.
 */
export function readOutline(document: unknown): ApiOutline | undefined {
  const api = fieldsOf(document);
  if (typeof api.openapi !== 'string' && typeof api.swagger !== 'string') return undefined;
  const groups = new Map<string, { description: string | undefined; pages: DraftPage[] }>();
  for (const tag of listOf(api.tags).map(fieldsOf)) {
    const name = textOf(tag.name);
    if (name !== undefined) groups.set(name, { description: firstLine(tag.description), pages: [] });
  }
  let count = 0;
  for (const [path, method, operation] of operationsIn(api, 'paths')) {
    if (count++ >= MAX_OPERATIONS) break;
    const [name = UNTAGGED] = listOf(operation.tags).flatMap((tag) => textOf(tag) ?? []);
    const group = groups.get(name) ?? { description: undefined, pages: [] };
    groups.set(name, group);
    const fallback = `${method.toUpperCase()} ${path}`;
    group.pages.push(page(titleOf(operation, fallback), { kind: 'operation', path, method }));
  }
  const tagged = [...groups]
    .filter(([, { pages }]) => pages.length > 0)
    .map(([name, { description, pages }]) => group(`tag ${name}`, name, pages, description));
  const webhooks: DraftPage[] = [];
  for (const [name, method, operation] of operationsIn(api, 'webhooks')) {
    if (count++ >= MAX_OPERATIONS) break;
    webhooks.push(page(titleOf(operation, name), { kind: 'webhook', name, method }));
  }
  const schemas = Object.keys(fieldsOf(fieldsOf(api.components).schemas ?? api.definitions))
    .filter((name) => name.length <= MAX_NAME)
    .slice(0, MAX_MODELS);
  const title = textOf(fieldsOf(api.info).title);
  return {
    ...(title !== undefined && { title: cut(title, 200) }),
    pages: withSlugs([
      ...tagged,
      ...(webhooks.length > 0 ? [group('webhooks', 'Webhooks', webhooks)] : []),
      ...(schemas.length > 0 ? [page('Models', { kind: 'models', schemas })] : []),
    ]),
    isCut: count > MAX_OPERATIONS,
  };
}

/** The operations of a document by their path or name, in order. */
function* operationsIn(api: Fields, part: 'paths' | 'webhooks'): Generator<[string, string, Fields]> {
  const follow = followerIn(api);
  for (const [name, item] of Object.entries(fieldsOf(api[part]))) {
    if (name.length > MAX_NAME) continue;
    const items = follow(item);
    const fieldOf = (field: string) => items.find((fields) => fields[field] !== undefined)?.[field];
    const others = Object.entries(fieldsOf(fieldOf('additionalOperations')));
    const operations = [...METHODS.map((method): [string, unknown] => [method, fieldOf(method)]), ...others];
    const seen = new Set<string>();
    for (const [method, operation] of operations) {
      if (operation === undefined || seen.has(method.toLowerCase())) continue;
      seen.add(method.toLowerCase());
      yield [name, method, fieldsOf(operation)];
    }
  }
}

/** Follows references within a document: gives a value, what it refers to, and so on. Each is looked up only once. */
function followerIn(api: Fields): (value: unknown) => Fields[] {
  const known = new Map<string, Fields>();
  return (value) => {
    const followed = [fieldsOf(value)];
    for (let count = 0; count < MAX_REFERENCES; count++) {
      const ref = followed.at(-1)?.$ref;
      if (typeof ref !== 'string' || !ref.startsWith('#/')) break;
      const target = known.get(ref) ?? fieldsOf(valueAt(api, ref.slice(1)));
      known.set(ref, target);
      followed.push(target);
    }
    return followed;
  };
}

type DraftPage = Omit<ApiPage, 'slug' | 'pages'> & { pages?: readonly DraftPage[] };

const page = (title: string, shows: ApiPart): DraftPage => ({ key: keyOfPart(shows), title, shows });

const group = (key: string, title: string, pages: readonly DraftPage[], description?: string): DraftPage => ({
  key,
  title: cut(title, 200),
  ...(description !== undefined && { description }),
  pages,
});

function withSlugs(drafts: readonly DraftPage[]): ApiPage[] {
  const slugs = new Set<string>();
  const suffixes = new Map<string, number>();
  return drafts.map(({ pages, ...draft }) => {
    const wanted = slugify(draft.title);
    const slug = uniqueSlug(wanted, (other) => slugs.has(other), suffixes.get(wanted));
    if (slug !== wanted) suffixes.set(wanted, Number(slug.slice(wanted.length + 1)) + 1);
    slugs.add(slug);
    return { ...draft, slug, ...(pages && { pages: withSlugs(pages) }) };
  });
}

const titleOf = (operation: Fields, fallback: string): string =>
  cut(textOf(operation.summary) ?? textOf(operation.operationId) ?? fallback, 200);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A non-empty text, in one line. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? singleLine(value) || undefined : undefined;

const firstLine = (value: unknown): string | undefined =>
  typeof value === 'string' ? textOf(cut(value.trim().split('\n')[0] ?? '', 2000)) : undefined;

const cut = (text: string, length: number): string => [...text].slice(0, length).join('');
