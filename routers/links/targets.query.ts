import { Collection } from '../../schema/entities/collection.ts';
import type { OpenApiSpec } from '../../schema/entities/openapi-spec.ts';
import { Space } from '../../schema/entities/space.ts';
import { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { publishedPlaceFor } from '../access/load.query.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readAnchors } from '../content/link-index.operation.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { foldAnchor } from '../engine/links/document-links.ts';
import type { FileRecord, PageRecord, ReusableContentRecord } from '../engine/store/records.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { computedPages, isReplaced } from '../engine/templates/computed-pages.ts';
import { sqlAny } from '../sql/sql-any.ts';
import type { LinkContext, VisibleSpace } from './link-context.ts';
import { type Reference, readApiTargets } from './spec-targets.query.ts';

/** The target of a reference, with all that is needed to present it. */
export type Target =
  | { kind: 'url'; url: string }
  | { kind: 'file'; in: VisibleSpace; file: FileRecord }
  | { kind: 'page'; in: VisibleSpace; page: PageRecord; path: string; anchor: string | undefined }
  | { kind: 'reusable-content'; in: VisibleSpace; content: ReusableContentRecord }
  | { kind: 'space'; in: VisibleSpace }
  | { kind: 'collection'; collection: Row<Collection>; level: Role }
  | { kind: 'user'; user: Row<User> }
  | { kind: 'openapi'; spec: Row<OpenApiSpec> };

/** The result of resolving a reference; `ok` without a target if it cannot be checked. */
export type ResolvedReference =
  | { status: 'ok' | 'in-app'; target: Target | undefined }
  | { status: 'broken' };

const BROKEN: ResolvedReference = { status: 'broken' };
const ok = (target: Target): ResolvedReference => ({ status: 'ok', target });

/**
 * Resolves references. What the caller may not view counts as missing, as everywhere; other organizations are not searched.
 * Takes a few statements, whatever the number of references, plus reading content that is not cached.
 */
export async function resolveReferences<Given extends Reference>(
  context: LinkContext,
  references: readonly Given[],
): Promise<Map<Given, ResolvedReference>> {
  const refs = references.map(({ ref }) => ref);
  const [spaces, collections, users, apis] = await Promise.all([
    readSpaces(context, refs),
    readCollections(context, refs),
    readUsers(context, refs),
    readApiTargets(context, references),
  ]);
  const contents = await readContents(context, spaces, refs);
  const find = (reference: Given): ResolvedReference => {
    const { ref } = reference;
    switch (ref.kind) {
      case 'url':
        return resolveUrl(ref.url, context.isInApp);
      case 'file':
        return apis.hasPart(reference) ? (contents.get(ref.space)?.(ref) ?? BROKEN) : BROKEN;
      case 'page':
      case 'anchor':
      case 'reusable-content':
        return contents.get(ref.space)?.(ref) ?? BROKEN;
      case 'space': {
        const found = spaces.get(ref.space);
        return found ? ok({ kind: 'space', in: found }) : BROKEN;
      }
      case 'collection':
        return collections.get(ref.collection) ?? BROKEN;
      case 'user': {
        const user = users.get(ref.user);
        return user ? ok({ kind: 'user', user }) : BROKEN;
      }
      case 'openapi': {
        const spec = apis.spec(reference);
        if (!spec) return BROKEN;
        // Guests may read what pages show of an OpenAPI spec, but not the spec itself.
        return {
          status: 'ok',
          // guard: spec-guests
          target: context.access.member.role ? { kind: 'openapi', spec } : undefined,
        };
      }
    }
  };
  return new Map(references.map((reference) => [reference, find(reference)]));
}

/** Matches URLs with a scheme or host. One without did not resolve to a page when it was saved. */
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:|\/\/)/i;

function resolveUrl(url: string, isInApp: (url: string) => boolean): ResolvedReference {
  if (!ABSOLUTE.test(url)) return BROKEN;
  return { status: isInApp(url) ? 'in-app' : 'ok', target: { kind: 'url', url } };
}

async function readSpaces(
  { db, user, here, access }: LinkContext,
  refs: readonly ContentRef[],
): Promise<Map<string, VisibleSpace & { root: string }>> {
  const ids = idsOf(refs, (ref) => ('space' in ref ? ref.space : undefined));
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select(columnsOf(Space))
    .select(publishedPlaceFor(user))
    .select('revision.root')
    .where('space.id', '=', sqlAny(ids))
    .where('space.organization_id', '=', here.space.organization)
    .where('space.deleted_at', 'is', null)
    .execute();
  const visible = rows.flatMap(({ root, ...space }) => {
    const level = levelOn(access.member, access.grants, space);
    return level ? [[space.id, { space, level, root }] as const] : [];
  });
  return new Map(visible);
}

async function readCollections(
  { db, here, access }: LinkContext,
  refs: readonly ContentRef[],
): Promise<Map<string, ResolvedReference>> {
  const ids = idsOf(refs, (ref) => (ref.kind === 'collection' ? ref.collection : undefined));
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('collection')
    .select(columnsOf(Collection))
    .where('id', '=', sqlAny(ids))
    .where('organization_id', '=', here.space.organization)
    .execute();
  const visible = rows.flatMap((collection) => {
    const level = levelOn(access.member, access.grants, collection);
    return level ? [[collection.id, ok({ kind: 'collection', collection, level })] as const] : [];
  });
  return new Map(visible);
}

async function readUsers(
  { db, here }: LinkContext,
  refs: readonly ContentRef[],
): Promise<Map<string, Row<User>>> {
  const ids = idsOf(refs, (ref) => (ref.kind === 'user' ? ref.user : undefined));
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('user')
    .innerJoin('member', 'member.user_id', 'user.id')
    .select(columnsOf(User))
    .where('member.organization_id', '=', here.space.organization)
    .where('user.id', '=', sqlAny(ids))
    .execute();
  return new Map(rows.map((user) => [user.id, user]));
}

type InContent = Extract<ContentRef, { kind: 'page' | 'anchor' | 'file' | 'reusable-content' }>;
type ResolveIn = (ref: InContent) => ResolvedReference;

/** Functions that resolve references into each content, by space; undefined stands for the content that contains them. */
async function readContents(
  { snapshot, here, ...context }: LinkContext,
  spaces: ReadonlyMap<string, VisibleSpace & { root: string }>,
  refs: readonly ContentRef[],
): Promise<Map<string | undefined, ResolveIn>> {
  const bySpace = Map.groupBy(refs.filter(isInContent), ({ space }) => space);
  const found = await Promise.all(
    [...bySpace].map(async ([id, inside]): Promise<[string | undefined, ResolveIn][]> => {
      if (id === undefined) return [[id, await readContent({ ...context, snapshot, here }, inside)]];
      const visible = spaces.get(id);
      if (!visible) return [];
      const other = await openSnapshot(objectReader(context.db), visible.root);
      return [[id, await readContent({ ...context, snapshot: other, here: visible }, inside)]];
    }),
  );
  return new Map(found.flat());
}

async function readContent(content: LinkContext, refs: readonly InContent[]): Promise<ResolveIn> {
  const { db, engine, services, snapshot, here: visible } = content;
  const pageIds = refs.flatMap((ref) => ('page' in ref ? (ref.page ?? []) : []));
  const fileIds = refs.flatMap((ref) => (ref.kind === 'file' ? ref.file : []));
  const contentIds = refs.flatMap((ref) => (ref.kind === 'reusable-content' ? ref.reusableContent : []));
  const [pages, paths, files, contents] = await Promise.all([
    snapshot.pages(pageIds),
    snapshot.paths(pageIds),
    snapshot.filesById(fileIds),
    snapshot.reusableContentsById(contentIds),
  ]);
  const replaced = pageIds.filter((id) => isReplaced(pages.get(id)));
  const made = await computedPages(
    snapshot,
    apiSourcesOf({ db, space: visible.space, snapshot, services, engine }),
  ).generatedPages(replaced);
  const anchored = refs.flatMap((ref) =>
    ref.kind === 'anchor' && ref.page !== undefined ? (pages.get(ref.page)?.document ?? []) : [],
  );
  const anchors = await readAnchors(db, engine, anchored);
  const findPage = (id: string, anchor?: string): ResolvedReference => {
    const page = pages.get(id);
    // Which anchors a generated page has depends on how the API is shown, so they are not checked.
    if (page && anchor !== undefined && !anchors.get(page.document ?? '')?.has(foldAnchor(anchor)))
      return BROKEN;
    const node = made.get(id);
    if (node) return ok({ kind: 'page', in: visible, page: node.page, path: node.path, anchor });
    return page ? ok({ kind: 'page', in: visible, page, path: paths.get(id) ?? '', anchor }) : BROKEN;
  };
  return (ref) => {
    switch (ref.kind) {
      case 'page':
        return findPage(ref.page);
      case 'anchor':
        // Inside a reusable content, the anchor may belong to any page that shows it.
        return ref.page === undefined ? { status: 'ok', target: undefined } : findPage(ref.page, ref.anchor);
      case 'file': {
        const file = files.get(ref.file);
        return file ? ok({ kind: 'file', in: visible, file }) : BROKEN;
      }
      case 'reusable-content': {
        const content = contents.get(ref.reusableContent);
        return content ? ok({ kind: 'reusable-content', in: visible, content }) : BROKEN;
      }
    }
  };
}

const isInContent = (ref: ContentRef): ref is InContent =>
  ref.kind === 'page' || ref.kind === 'anchor' || ref.kind === 'file' || ref.kind === 'reusable-content';

const idsOf = (refs: readonly ContentRef[], of: (ref: ContentRef) => string | undefined): string[] => [
  ...new Set(refs.flatMap((ref) => of(ref) ?? [])),
];
