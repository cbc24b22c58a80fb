import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { IS_GENERATED } from '../content/generated-pages.query.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import type { CommentSubject } from './comments.query.ts';

/** What a comment is about: the whole content if nothing is named. */
export interface CommentTarget {
  page?: string | undefined;
  node?: string | undefined;
  tableCell?: { record: string; definition: string } | undefined;
  /** The review that the comment is part of. */
  review?: string | undefined;
}

/** @throws DomainError `invalid` for a part of a page without the page */
export function requireCompleteTarget({ page, node, tableCell }: CommentTarget): void {
  if (node !== undefined && page === undefined) throw incomplete('node', 'page');
  if (tableCell !== undefined && node === undefined) throw incomplete('tableCell', 'node');
}

/** Where a target is in the active content of the subject. */
export interface FoundTarget {
  /** Whether its page, if it has one, is stored: any other may be generated. */
  isStored: boolean;
  /** The hash of the document that contains it; undefined for a target that is in no document. */
  document: string | undefined;
}

export async function findTarget(
  db: Db,
  subject: CommentSubject,
  { page: id, node }: CommentTarget,
): Promise<FoundTarget> {
  if (id === undefined) return { isStored: true, document: undefined };
  const page = await (await openActive(db, subject)).page(id);
  return { isStored: page !== undefined, document: node === undefined ? undefined : page?.document };
}

async function openActive(db: Db, { space, changeRequest }: CommentSubject): Promise<Snapshot> {
  const [root] = await readRoots(db, [(changeRequest ?? space).revision] as const);
  return openSnapshot(objectReader(db), root);
}

/**
 * Requires that the page of a target that is not stored is generated. Its id stays the same, so that it can be commented on,
 * but its blocks are other ones with each version of the spec.
 * @throws DomainError `not-found` if it is not, `invalid` for a target within it
 */
export async function requireGeneratedPage(
  content: { db: Db; engine: Engine; services: Pick<Services, 'storage'> },
  subject: CommentSubject,
  { page = '', node }: CommentTarget,
): Promise<void> {
  const snapshot = await openActive(content.db, subject);
  const sources = apiSourcesOf({ ...content, space: subject.space, snapshot });
  const generated = await computedPages(snapshot, sources).generatedPages([page]);
  // guard: comment-page-exists
  if (!generated.has(page)) throw notFound('page');
  if (node === undefined) return;
  const message = `${IS_GENERATED}, so that only the whole page can be commented on.`;
  // guard: comment-generated-node
  throw new DomainError('invalid', message, [{ path: 'node', message }]);
}

/**
 * Requires that a document contains a target. Searching a large document takes time.
 * @throws DomainError `not-found` if it does not
 */
export async function requireTarget(
  db: Db,
  engine: Engine,
  document: string | undefined,
  { node, tableCell }: CommentTarget,
): Promise<void> {
  if (node === undefined) return;
  if (document === undefined) throw notFound('node');
  const missing = await engine.run('target', { document, node, tableCell }, objectReader(db));
  // guard: comment-node-exists
  if (missing) throw notFound(missing);
}

const incomplete = (given: string, needed: string) =>
  new DomainError('invalid', `A comment with "${given}" also needs "${needed}".`, [
    { path: needed, message: `is needed with "${given}"` },
  ]);
