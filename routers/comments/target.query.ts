import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import type { Db } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { CommentTarget } from './comments.operation.ts';
import type { Commented } from './comments.query.ts';

/** The hash of a document that has the target of a comment; undefined for a target that is in no document. */
export type TargetDocument = string | undefined;

/**
 * Finds the target of a comment in the active content of what is commented on. Not in a transaction: the search in a large
 * document may have to wait.
 * @throws DomainError `not-found` if it is not there, `invalid` for a part of a page without the page
 */
export async function findTarget(
  db: Db,
  engine: Engine,
  commented: Commented,
  target: CommentTarget,
): Promise<TargetDocument> {
  const { page, node, tableCell } = target;
  if (node !== undefined && page === undefined) throw incomplete('node', 'page');
  if (tableCell !== undefined && node === undefined) throw incomplete('tableCell', 'node');
  if (page === undefined || node === undefined) return undefined;
  const document = await readDocument(db, commented, page);
  if (document === undefined) throw notFound('node');
  const missing = await engine.run('target', { document, node, tableCell }, objectReader(db));
  if (missing) throw notFound(missing);
  return document;
}

/**
 * Makes sure that the target of a comment is still there, in the transaction that posts it.
 * @throws DomainError `not-found` if its page is not, `conflict` if the document was changed since it was found there
 */
export async function requireTarget(
  db: Db,
  commented: Commented,
  { page, node }: CommentTarget,
  found: TargetDocument,
): Promise<void> {
  if (page === undefined) return;
  const document = await readDocument(db, commented, page);
  if (node !== undefined && document !== found)
    throw new DomainError('conflict', 'The page was changed at the same time: try again.');
}

async function readDocument(
  db: Db,
  { space, changeRequest }: Commented,
  pageId: string,
): Promise<TargetDocument> {
  const [root] = await readRoots(db, [(changeRequest ?? space).revision] as const);
  const page = await (await openSnapshot(objectReader(db), root)).page(pageId);
  if (!page) throw notFound('page');
  return page.document;
}

const incomplete = (given: string, needed: string) =>
  new DomainError('invalid', `A comment with "${given}" also needs "${needed}".`, [
    { path: needed, message: `is needed with "${given}"` },
  ]);
