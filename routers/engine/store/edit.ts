/** Changes the content of a revision: applies a batch of mutations to a root, which results in a new root. */

import { positionBetween, positionsBetween } from '../ordering.ts';
import type { Json } from './canonical.ts';
import { findTooDeep, MAX_PAGE_DEPTH } from './depth.ts';
import { ContentError } from './errors.ts';
import type { ObjectBuffer } from './objects.ts';
import { getValue } from './ordered-map.ts';
import { updateMap } from './ordered-map-update.ts';
import { PageDraft, siblingIndex } from './page-draft.ts';
import { writePages } from './page-index.ts';
import {
  canHoldPages,
  EMPTY_ROOT,
  type FileRecord,
  type PageRecord,
  pageTypeName,
  type RepositoryFile,
  type ReusableContentRecord,
  type Root,
  readRoot,
} from './records.ts';
import { pathSlug, stemOf, suffixOf, uniqueSlug } from './slug.ts';

/**
 * The placement of a page: `index` is its index among its future siblings, the end if absent. With `orTop`, it goes to the
 * end of the top level if the parent is not possible, for instance because it is now below the page.
 */
type Placement = { readonly parent?: string | null; readonly index?: number; readonly orTop?: true };

/** A complete page. Without a slug, it keeps its current one, or gets one from its title. */
export type PageInput = Omit<PageRecord, 'parent' | 'position' | 'slug'> & { readonly slug?: string };

/** Fields to change; null removes a field. */
export type PageFields = {
  readonly [Field in keyof Omit<PageRecord, 'id' | 'parent' | 'position'>]?: PageRecord[Field] | null;
};

export type Mutation =
  /**
   * Creates a page, by default at the end of the top level, or replaces all fields of a page, by default without moving
   * it.
   */
  | ({ readonly type: 'put-page'; readonly page: PageInput } & Placement)
  /** Changes fields of an existing page, and moves it if a placement is given. */
  | ({ readonly type: 'patch-page'; readonly id: string; readonly fields: PageFields } & Placement)
  /** Deletes a page and everything below it. */
  | { readonly type: 'delete-page'; readonly id: string }
  | { readonly type: 'put-file'; readonly file: FileRecord }
  | { readonly type: 'delete-file'; readonly id: string }
  | { readonly type: 'put-reusable-content'; readonly reusableContent: ReusableContentRecord }
  | { readonly type: 'delete-reusable-content'; readonly id: string }
  /** Sets variables of the space; null removes a variable, and all others stay. */
  | { readonly type: 'set-variables'; readonly variables: { readonly [name: string]: Json } }
  /** Replaces the repository files that are not pages. Their texts must already be in the store or the buffer. */
  | { readonly type: 'set-repository'; readonly files: readonly RepositoryFile[] };

/** Stores the root of an empty space, and returns its hash. */
export function putEmptyRoot(buffer: ObjectBuffer): string {
  return buffer.put('root', EMPTY_ROOT);
}

/**
 * Applies mutations in order and returns the hash of the new root; new objects are added to the buffer. Slugs stay unique
 * among siblings (one that is taken gets a suffix) and do not change with the title. Documents must already be in the store
 * or the buffer. Throws {@link ContentError}; then nothing has changed.
 * @param onDeletion called for each page that a mutation deletes, with the ids of the pages below it, which are deleted too
 */
export async function editSnapshot(
  buffer: ObjectBuffer,
  rootHash: string,
  mutations: readonly Mutation[],
  onDeletion?: (below: readonly string[]) => void,
): Promise<string> {
  const root = await readRoot(buffer, rootHash);
  const draft = new PageDraft(buffer, root);
  await prefetch(draft, mutations);
  const files = new Map<string, Json | undefined>();
  const contents = new Map<string, Json | undefined>();
  const variables: { [name: string]: Json | undefined } = { ...root.variables };
  let { repository } = root;
  for (const mutation of mutations) {
    switch (mutation.type) {
      case 'put-page':
        await putPage(draft, mutation.page, mutation);
        break;
      case 'patch-page':
        await patchPage(draft, mutation.id, mutation.fields, mutation);
        break;
      case 'delete-page': {
        const below = await deletePage(draft, mutation.id);
        onDeletion?.(below);
        break;
      }
      case 'put-file':
        files.set(validateId(mutation.file.id), mutation.file);
        break;
      case 'delete-file':
        if (!(await isStored(buffer, root.files, files, mutation.id))) {
          throw new ContentError('file-not-found', `There is no file ${mutation.id}.`);
        }
        files.set(mutation.id, undefined);
        break;
      case 'put-reusable-content':
        contents.set(validateId(mutation.reusableContent.id), mutation.reusableContent);
        break;
      case 'delete-reusable-content':
        if (!(await isStored(buffer, root.reusableContents, contents, mutation.id))) {
          throw new ContentError(
            'reusable-content-not-found',
            `There is no reusable content ${mutation.id}.`,
          );
        }
        contents.set(mutation.id, undefined);
        break;
      case 'set-variables':
        for (const [name, value] of Object.entries(mutation.variables)) {
          if (value === null) delete variables[name];
          else variables[name] = value;
        }
        break;
      case 'set-repository':
        repository = mutation.files;
        break;
    }
  }
  await checkDepth(draft);
  const next: Root = {
    ...(await writePages(buffer, root, draft.changes())),
    files: await updateMap(buffer, root.files, files),
    reusableContents: await updateMap(buffer, root.reusableContents, contents),
    variables,
    ...(repository && { repository }),
  };
  return buffer.put('root', next);
}

/** Checks the depth of pages after all changes: pages may be deeper in between. */
async function checkDepth(draft: PageDraft): Promise<void> {
  const placed = new Set<string>();
  for (const { before, after } of draft.changes())
    if (after && before?.parent !== after.parent) placed.add(after.id);
  if (placed.size === 0) return;
  const [found] = await findTooDeep(draft.after, [draft.before], placed);
  if (!found) return;
  const which = found.page === found.placed ? 'The page' : 'A page below it';
  throw new ContentError(
    'page-too-deep',
    `${which} would be more than ${MAX_PAGE_DEPTH} levels deep.`,
    found.placed,
  );
}

async function prefetch(draft: PageDraft, mutations: readonly Mutation[]): Promise<void> {
  const ids: string[] = [];
  const parents: (string | null)[] = [];
  for (const mutation of mutations) {
    if (mutation.type === 'put-page') ids.push(mutation.page.id);
    else if (mutation.type === 'patch-page' || mutation.type === 'delete-page') ids.push(mutation.id);
    else continue;
    if (mutation.type === 'delete-page') parents.push(mutation.id);
    else if (mutation.parent !== undefined) parents.push(mutation.parent);
  }
  await draft.prefetch(ids, parents);
  const current = await Promise.all(ids.map((id) => draft.get(id)));
  await draft.prefetch(
    [],
    current.flatMap((page) => (page ? [page.parent] : [])),
  );
}

async function isStored(
  buffer: ObjectBuffer,
  root: string | null,
  changes: ReadonlyMap<string, Json | undefined>,
  id: string,
): Promise<boolean> {
  return (changes.has(id) ? changes.get(id) : await getValue(buffer, root, id)) !== undefined;
}

async function putPage(draft: PageDraft, input: PageInput, placement: Placement): Promise<void> {
  const before = await draft.get(validateId(input.id));
  const slug = input.slug ?? before?.slug;
  await placePage(draft, { ...input, slug: slug ?? '' }, before, placement);
}

async function patchPage(
  draft: PageDraft,
  id: string,
  fields: PageFields,
  placement: Placement,
): Promise<void> {
  const before = await draft.get(id);
  if (!before) throw new ContentError('page-not-found', `There is no page ${id}.`, id);
  const { parent: _parent, position: _position, ...page } = before;
  const changed: Record<string, Json | undefined> = { ...page };
  for (const [field, value] of Object.entries(fields)) {
    if (value === null) delete changed[field];
    else if (value !== undefined) changed[field] = value as Json;
  }
  await placePage(
    draft,
    { ...(changed as typeof page), id, slug: fields.slug === null ? '' : (changed.slug as string) },
    before,
    placement,
  );
}

type UnplacedPage = Omit<PageRecord, 'parent' | 'position'>;

/** Determines the parent, position and slug of a page, and sets it. */
async function placePage(
  draft: PageDraft,
  page: UnplacedPage,
  before: PageRecord | undefined,
  placement: Placement,
): Promise<void> {
  const { parent, index } = await resolvePlacement(draft, page.id, before, placement);
  if (
    before &&
    before.type !== page.type &&
    !canHoldPages(page) &&
    (await draft.siblings(page.id)).order.length > 0
  ) {
    throw new ContentError(
      'parent-cannot-hold-pages',
      `A ${pageTypeName(page.type)} cannot have pages below it.`,
      page.id,
    );
  }
  const { slugs, suffixes } = await draft.siblings(parent);
  const stays = before?.parent === parent && index === undefined;
  const position = stays ? before.position : await allocatePosition(draft, parent, before, index);
  const wanted = page.type === 'link' ? '' : wantedSlug(page, before);
  const stem = stemOf(wanted);
  const isTaken = (taken: string) => (slugs.get(taken) ?? page.id) !== page.id;
  const known = suffixes.get(stem) ?? 1;
  const own = before?.parent === parent ? (suffixOf(before.slug, wanted) ?? 1) : known;
  const slug = wanted && uniqueSlug(wanted, isTaken, Math.min(known, own));
  if (slug !== wanted) suffixes.set(stem, Math.max(known, suffixOf(slug, wanted) ?? 1));
  await draft.set({ ...page, parent, position, slug });
}

/** A page keeps the slug that it has, even one that could not be chosen now. */
const wantedSlug = ({ slug, title }: UnplacedPage, before: PageRecord | undefined): string =>
  slug !== '' && slug === before?.slug ? slug : pathSlug(slug || title);

/** Resolves a placement to a parent and an index, undefined for the end. */
async function resolvePlacement(
  draft: PageDraft,
  id: string,
  before: PageRecord | undefined,
  { parent: wanted = before?.parent ?? null, index, orTop }: Placement,
): Promise<{ parent: string | null; index: number | undefined }> {
  const problem = before?.parent === wanted ? undefined : await parentProblem(draft, id, wanted);
  if (!problem) return { parent: wanted, index };
  if (!orTop) throw problem;
  return { parent: null, index: undefined };
}

async function parentProblem(
  draft: PageDraft,
  id: string,
  parent: string | null,
): Promise<ContentError | undefined> {
  for (let above = parent; above !== null; ) {
    if (above === id) return new ContentError('page-cycle', 'A page cannot be moved below itself.', id);
    const page = await draft.get(above);
    if (!page)
      return new ContentError('parent-not-found', `There is no page ${above} to put pages into.`, id);
    if (above === parent && !canHoldPages(page))
      return new ContentError(
        'parent-cannot-hold-pages',
        `A ${pageTypeName(page.type)} cannot have pages below it.`,
        id,
      );
    above = page.parent;
  }
  return undefined;
}

/**
 * Returns a position at an index among the siblings. If the neighbours share one position, as after a merge of two
 * insertions at the same place, those after the index get new positions.
 */
async function allocatePosition(
  draft: PageDraft,
  parent: string | null,
  moving: PageRecord | undefined,
  index?: number,
): Promise<string> {
  const { order } = await draft.siblings(parent);
  const own = moving?.parent === parent ? siblingIndex(order, moving) : order.length;
  const length = order.length - (own < order.length ? 1 : 0);
  const other = (place: number): PageRecord | undefined => order[place < own ? place : place + 1];
  const at = Math.max(0, Math.min(index ?? length, length));
  if (moving?.parent === parent && at === own) return moving.position;
  const before = other(at - 1)?.position ?? null;
  const simple = positionBetween(before, other(at)?.position ?? null);
  if (simple !== undefined) return simple;
  let end = at;
  const tied: PageRecord[] = [];
  for (let next = other(end); next && next.position === before; next = other(++end)) tied.push(next);
  const [first, ...rest] = positionsBetween(
    before,
    other(end)?.position ?? null,
    tied.length + 1,
  ) as string[];
  for (const [offset, sibling] of tied.entries())
    await draft.set({ ...sibling, position: rest[offset] as string });
  return first as string;
}

/** @returns the ids of the pages below it, those higher up first */
async function deletePage(draft: PageDraft, id: string): Promise<string[]> {
  if (!(await draft.get(id))) throw new ContentError('page-not-found', `There is no page ${id}.`, id);
  const below: string[] = [];
  for (let level = [id]; level.length > 0; ) {
    await draft.prefetch([], level);
    const children = await Promise.all(level.map((parent) => draft.siblings(parent)));
    level = children.flatMap(({ order }) => order.map((child) => child.id));
    for (const child of level) below.push(child);
  }
  for (const page of below.toReversed()) await draft.remove(page);
  await draft.remove(id);
  return below;
}

/** Ids become parts of keys, so they must not contain separators. */
function validateId(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new ContentError('invalid-id', 'An id is malformed.');
  return id;
}
