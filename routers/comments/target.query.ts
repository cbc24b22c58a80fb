import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import type { Db } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { CommentTarget } from './comments.operation.ts';
import type { Commented } from './comments.query.ts';

/**
 * Makes sure that the active content of what is commented on has the target of a comment.
 * @throws DomainError `not-found` if it has not, `invalid` for a part of a page without the page
 */
export async function requireTarget(
  { db, engine }: { db: Db; engine: Engine },
  { space, changeRequest }: Commented,
  { page: pageId, node, tableCell }: CommentTarget,
): Promise<void> {
  if (node !== undefined && pageId === undefined) throw incomplete('node', 'page');
  if (tableCell !== undefined && node === undefined) throw incomplete('tableCell', 'node');
  if (pageId === undefined) return;
  const [root] = await readRoots(db, [(changeRequest ?? space).revision] as const);
  const reader = objectReader(db);
  const page = await (await openSnapshot(reader, root)).page(pageId);
  if (!page) throw notFound('page');
  if (node === undefined) return;
  const { document } = page;
  const missing =
    document === undefined ? 'node' : await engine.run('target', { document, node, tableCell }, reader);
  if (missing) throw notFound(missing);
}

const incomplete = (given: string, needed: string) =>
  new DomainError('invalid', `A comment with "${given}" also needs "${needed}".`, [
    { path: needed, message: `is needed with "${given}"` },
  ]);
