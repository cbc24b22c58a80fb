import type { z } from 'zod';
import { isId } from '../../schema/json/id.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Version, VersionPair } from '../engine/comparison/documents.ts';
import { notFound } from '../engine/errors.ts';
import { type ContentChange, diffSnapshots } from '../engine/store/diff.ts';
import { putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { presentChangedPage } from './changes.api.ts';
import type { ComparisonInput, ComparisonObject } from './comparisons.api.ts';

/** Finds a revision of a space by its id. @throws DomainError `not-found` */
export async function requireRevision(
  db: Db,
  space: string,
  id: string,
): Promise<{ id: string; root: string }> {
  const revision = isId(id)
    ? await db
        .selectFrom('revision')
        .select(['id', 'root'])
        .where('id', '=', id)
        .where('space_id', '=', space)
        .executeTakeFirst()
    : undefined;
  if (!revision) throw notFound('revision');
  return revision;
}

interface Compared {
  db: Db;
  engine: Engine;
  /** A revision to compare with; undefined for an empty space. */
  base: { id: string; root: string } | undefined;
  revision: { id: string; root: string };
}

/**
 * Compares the titles and documents of two revisions. Does not read what both share.
 * @throws DomainError `not-found` for a page that neither has
 */
export async function compareRevisions(
  { db, engine, base, revision }: Compared,
  { pageId, format, limit }: ComparisonInput,
): Promise<z.input<typeof ComparisonObject>> {
  const reader = createObjectBuffer(objectReader(db));
  const before = base?.root ?? putEmptyRoot(reader);
  const all = (await diffSnapshots(reader, before, revision.root)).flatMap(
    (change) => textChange(change) ?? [],
  );
  const changes = pageId === undefined ? all : all.filter((change) => change.page?.id === pageId);
  const compared = changes.slice(0, limit);
  const roots = { before, after: revision.root };
  const pages = compared.flatMap((change) => change.page?.id ?? []);
  const [old, current] = await Promise.all([
    openSnapshot(reader, before),
    openSnapshot(reader, revision.root),
  ]);
  if (
    pageId !== undefined &&
    pages.length === 0 &&
    !(await old.page(pageId)) &&
    !(await current.page(pageId))
  )
    throw notFound('page');
  const [comparisons, pathsBefore, pathsAfter] = await Promise.all([
    engine.run('compareDocuments', { pairs: compared, roots, format }, reader),
    old.paths(pages),
    current.paths(pages),
  ]);
  return {
    object: 'comparison',
    base: base?.id,
    revision: revision.id,
    items: compared.map(({ type, page, reusableContent }, index) => ({
      type,
      page: page && presentChangedPage(page, type === 'deleted' ? pathsBefore : pathsAfter),
      reusableContent: reusableContent && { id: reusableContent.id, title: reusableContent.title },
      ...comparisons[index],
    })),
    more: changes.length > limit ? changes.length - limit : undefined,
  };
}

type Changed<Part extends 'page' | 'reusableContent'> = Extract<
  ContentChange,
  { [name in Part]: unknown }
>[Part];

interface TextChange extends VersionPair {
  type: 'created' | 'edited' | 'deleted';
  page?: Changed<'page'> | undefined;
  reusableContent?: Changed<'reusableContent'> | undefined;
}

/** How a change affects the text of a page or reusable content; undefined if its title and document stay the same. */
function textChange(change: ContentChange): TextChange | undefined {
  const page = 'page' in change ? change.page : undefined;
  const reusableContent = 'reusableContent' in change ? change.reusableContent : undefined;
  const record = page ?? reusableContent;
  if (!record) return undefined;
  const of = { page, reusableContent };
  const version: Version = { title: record.title, document: record.document };
  switch (change.type) {
    case 'page_created':
    case 'reusable_content_created':
      return { type: 'created', ...of, after: version };
    case 'page_deleted':
    case 'reusable_content_deleted':
      return { type: 'deleted', ...of, before: version };
    case 'page_edited':
    case 'reusable_content_edited': {
      const { title, document } = change.attributes;
      if (!title && !document) return undefined;
      const before = {
        title: title ? String(title.before) : record.title,
        document: document ? (document.before as string | undefined) : record.document,
      };
      return { type: 'edited', ...of, before, after: version };
    }
    default:
      return undefined;
  }
}
