import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Comment } from '../../schema/entities/comment.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { compareAndSwap, type SwapContext } from '../branches/compare-and-swap.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { awaitLock } from '../sql/lock-row.ts';
import { sqlAny } from '../sql/sql-any.ts';
import type { StoredBody } from './body.ts';
import type { CommentSubject } from './comments.query.ts';
import {
  type CommentTarget,
  findTarget,
  requireCompleteTarget,
  requireGeneratedPage,
  requireTarget,
} from './target.query.ts';

/** The most different emoji that a comment may have as reactions: lists show all of them. */
export const MAX_EMOJI = 50;

interface NewComment {
  author: string;
  body: StoredBody;
  target: CommentTarget;
}

/**
 * Posts a comment on something in content. Its target is searched without a lock, in a document that may be large; if the
 * document has been replaced meanwhile, the search is repeated.
 * @param load loads the subject, if the caller may comment on it
 * @param present reads the result, in the same transaction
 * @throws DomainError `not-found` if the target does not exist, `invalid` for a part of a page without the page, or of a
 *   generated page
 */
export function postCommentOn<Loaded extends CommentSubject, Result>(
  ctx: SwapContext,
  subject: CommentSubject,
  load: (db: Db) => Promise<Loaded>,
  posted: NewComment,
  present: (db: Db, loaded: Loaded, comment: Comment) => Promise<Result>,
): Promise<Result> {
  const { target } = posted;
  requireCompleteTarget(target);
  return compareAndSwap(ctx, {
    async read(db) {
      const loaded = await load(db);
      return { loaded, found: await findTarget(db, loaded, target) };
    },
    // guard: comment-page-unchanged
    preconditions: ({ found: { isStored, document } }) => [isStored ? 'stored' : 'not stored', document],
    async compute({ db, engine }, { loaded, found: { isStored, document } }) {
      if (isStored) await requireTarget(db, engine, document, target);
      else await requireGeneratedPage({ db, engine, services: ctx.services }, loaded, target);
      return {
        advances: [],
        save: async ({ em, ...tx }, _locked: unknown, { loaded }) =>
          present(tx.db, loaded, await insertComment(em, loaded, posted)),
      };
    },
    // Counting the comment locks its subject, before its document is compared.
    lock: (em) => adjustOpenCount(kyselyOf(em), subject, 1),
  });
}

/** Posts an open comment on a locked subject. */
export async function postComment(
  em: SqlEntityManager,
  subject: CommentSubject,
  posted: NewComment,
): Promise<Comment> {
  await adjustOpenCount(kyselyOf(em), subject, 1);
  return insertComment(em, subject, posted);
}

async function insertComment(
  em: SqlEntityManager,
  subject: CommentSubject,
  { author, body, target: { page, node, tableCell, review } }: NewComment,
): Promise<Comment> {
  const comment = em.create(Comment, {
    ...subjectColumns(subject),
    status: 'open',
    postedBy: author,
    ...body,
    page,
    node,
    tableRecord: tableCell?.record,
    tableDefinition: tableCell?.definition,
    review,
  });
  await em.flush();
  recordComment(em, subject, { id: comment.id }, 'created');
  return comment;
}

/**
 * Posts a reply to a comment.
 * @throws DomainError `not-found` if the comment has been deleted since it was read
 */
export async function postReply(
  em: SqlEntityManager,
  subject: CommentSubject,
  { comment, author, body }: { comment: string; author: string; body: StoredBody },
): Promise<Comment> {
  await lockComment(kyselyOf(em), comment);
  const reply = em.create(Comment, {
    ...subjectColumns(subject),
    parent: comment,
    postedBy: author,
    ...body,
  });
  await em.flush();
  recordComment(em, subject, { id: reply.id, parent: comment }, 'created');
  return reply;
}

export interface CommentChanges {
  /** Replaces the text. */
  body?: StoredBody | undefined;
  /** True resolves the comment, false reopens it; undefined leaves it as it is. */
  resolved?: boolean | undefined;
  /** Emoji that the user adds or removes. */
  addedReactions?: readonly string[] | undefined;
  removedReactions?: readonly string[] | undefined;
}

/**
 * Changes a comment or reply for a user.
 * @throws DomainError `not-found` if it has been deleted since it was read, `conflict` if it would have too many different
 *   emoji
 */
export async function updateComment(
  em: SqlEntityManager,
  subject: CommentSubject,
  id: string,
  user: string,
  { body, resolved, addedReactions = [], removedReactions = [] }: CommentChanges,
): Promise<void> {
  const db = kyselyOf(em);
  if (resolved !== undefined) await lockSubject(db, subject);
  const { parent } = await lockComment(db, id);
  const record = (change: CommentChange) => recordComment(em, subject, { id, parent }, change);
  if (body) {
    await db
      .updateTable('comment')
      .set({
        document: sql`${JSON.stringify(body.document)}::jsonb`,
        markdown: body.markdown,
        edited_at: new Date(),
      })
      .where('id', '=', id)
      .execute();
    record('updated');
  }
  if (resolved !== undefined && (await setResolved(db, subject, id, resolved ? user : null)))
    record(resolved ? 'resolved' : 'reopened');
  let reactions = 0n;
  if (removedReactions.length > 0) {
    const { numDeletedRows } = await db
      .deleteFrom('comment_reaction')
      .where('comment_id', '=', id)
      // guard: comment-own-reactions
      .where('user_id', '=', user)
      .where('emoji', '=', sqlAny(removedReactions))
      .executeTakeFirst();
    reactions += numDeletedRows;
  }
  if (addedReactions.length > 0) reactions += await addReactions(db, id, user, addedReactions);
  if (reactions > 0n) record('reactions.updated');
}

/**
 * Resolves or reopens a comment.
 * @param resolver who resolves the comment; null reopens it
 * @returns whether this changed its status
 */
async function setResolved(
  db: Db,
  subject: CommentSubject,
  id: string,
  resolver: string | null,
): Promise<boolean> {
  const status = resolver === null ? 'open' : 'resolved';
  const { numUpdatedRows } = await db
    .updateTable('comment')
    .set({ status, resolved_by_id: resolver, resolved_at: resolver === null ? null : new Date() })
    .where('id', '=', id)
    // guard: comment-resolve-once
    .where('status', '<>', status)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await adjustOpenCount(db, subject, resolver === null ? 1 : -1);
  return true;
}

/** Adds a user's reactions. @returns how many are new */
async function addReactions(
  db: Db,
  comment: string,
  user: string,
  emoji: readonly string[],
): Promise<bigint> {
  const now = new Date();
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('comment_reaction')
    .values(
      [...new Set(emoji)].map((one) => ({ comment_id: comment, emoji: one, user_id: user, created_at: now })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  const { used } = await db
    .selectFrom('comment_reaction')
    .select((eb) => eb.fn.count<string>('emoji').distinct().as('used'))
    .where('comment_id', '=', comment)
    .executeTakeFirstOrThrow();
  // guard: comment-reaction-kinds
  if (Number(used) > MAX_EMOJI)
    throw new DomainError('conflict', `A comment can have at most ${MAX_EMOJI} different reactions.`);
  return numInsertedOrUpdatedRows;
}

/**
 * Deletes a comment with its replies, or a reply.
 * @throws DomainError `not-found` if it was deleted since it was read
 */
export async function deleteComment(
  em: SqlEntityManager,
  subject: CommentSubject,
  id: string,
): Promise<void> {
  const db = kyselyOf(em);
  await lockSubject(db, subject);
  const deleted = await db
    .deleteFrom('comment')
    .where('id', '=', id)
    .returning(['status', 'parent_id as parent'])
    .executeTakeFirst();
  if (!deleted) throw notFound('comment');
  // guard: comment-open-count
  if (deleted.status === 'open') await adjustOpenCount(db, subject, -1);
  recordComment(em, subject, { id, parent: deleted.parent }, 'deleted');
}

type CommentChange = 'created' | 'updated' | 'resolved' | 'reopened' | 'reactions.updated' | 'deleted';

/** Records an event about a comment, or about a reply if it has a parent. */
function recordComment(
  em: SqlEntityManager,
  { space, changeRequest }: CommentSubject,
  { id, parent }: { id: string; parent?: string | null },
  change: CommentChange,
): void {
  const about = { space: space.id, ...(changeRequest && { changeRequest: changeRequest.id }) };
  // Replies have no status.
  if (parent && change !== 'resolved' && change !== 'reopened')
    recordEvent(em, { type: `comment.reply.${change}`, ...about, comment: parent, reply: id });
  else recordEvent(em, { type: `comment.${change}`, ...about, comment: id });
}

const subjectColumns = ({ space, changeRequest }: CommentSubject) => ({
  space: space.id,
  changeRequest: changeRequest?.id,
  revision: (changeRequest ?? space).revision,
});

/**
 * Locks the subject, whose count of open comments may change: before the comment, in the order of `lock-order.ts`.
 * @throws DomainError `not-found` if it was deleted since it was read
 */
async function lockSubject(db: Db, { space, changeRequest }: CommentSubject): Promise<void> {
  const what = changeRequest ? 'change request' : 'space';
  const locking = changeRequest
    ? db.selectFrom('change_request').select('id').where('id', '=', changeRequest.id)
    : db.selectFrom('space').select('id').where('id', '=', space.id).where('deleted_at', 'is', null);
  if (!(await awaitLock(what, locking.forNoKeyUpdate().executeTakeFirst()))) throw notFound(what);
}

/** Locks a comment, so that nobody deletes it while replies or reactions that refer to it are added. */
async function lockComment(db: Db, id: string): Promise<{ parent: string | null }> {
  const found = await db
    .selectFrom('comment')
    .select('parent_id as parent')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!found) throw notFound('comment');
  return found;
}

/** Updates the subject's count of open comments, which locks it. Not through the unit of work, which would also set `updatedAt`. */
async function adjustOpenCount(
  db: Db,
  { space, changeRequest }: CommentSubject,
  change: 1 | -1,
): Promise<void> {
  const comments = sql<number>`comments + ${change}::int`;
  const counting = changeRequest
    ? db.updateTable('change_request').set({ comments }).where('id', '=', changeRequest.id)
    : db.updateTable('space').set({ comments }).where('id', '=', space.id);
  await awaitLock(changeRequest ? 'change request' : 'space', counting.execute());
}
