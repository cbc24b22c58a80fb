import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
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

/**
 * The hash of the document that contains a target, in the active content of the subject; undefined for a target that is in
 * no document.
 * @throws DomainError `not-found` if its page does not exist
 */
export async function readTargetDocument(
  db: Db,
  { space, changeRequest }: CommentSubject,
  { page: id, node }: CommentTarget,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const [root] = await readRoots(db, [(changeRequest ?? space).revision] as const);
  const page = await (await openSnapshot(objectReader(db), root)).page(id);
  // guard: comment-page-exists
  if (!page) throw notFound('page');
  return node === undefined ? undefined : page.document;
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
