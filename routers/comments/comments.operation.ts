import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Comment } from '../../schema/entities/comment.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { type SwapContext, compareAndSwap } from '../branches/compare-and-swap.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { awaitLock } from '../sql/lock-row.ts';
import { sqlAny } from '../sql/sql-any.ts';
import type { StoredBody } from './body.ts';
import type { CommentSubject } from './comments.query.ts';
import {
  type CommentTarget,
  readTargetDocument,
  requireCompleteTarget,
  requireTarget,
} from './target.query.ts';

/** How many different emoji the reactions to one comment may have: lists show all of them. */
export const MAX_EMOJI = 50;

interface NewComment {
  author: string;
  body: StoredBody;
  target: CommentTarget;
}

/**
 * Posts a comment on something in content. Its target is looked for without a lock, in a document that may be large; where
 * another document has taken its place meanwhile, the target is looked for again.
 * @param load reads what is subject on, if the caller may comment on it
 * @param present reads what is answered, in the same transaction
 * @throws DomainError `not-found` if the target is not there, `invalid` for a part of a page without the page
 */
export function postCommentOn<Loaded extends CommentSubject, Result>(
  ctx: SwapContext,
  seen: CommentSubject,
  load: (db: Db) => Promise<Loaded>,
  posted: NewComment,
  present: (db: Db, loaded: Loaded, comment: Comment) => Promise<Result>,
): Promise<Result> {
  const { target } = posted;
  requireCompleteTarget(target);
  return compareAndSwap(ctx, {
    async read(db) {
      const loaded = await load(db);
      return { loaded, document: await readTargetDocument(db, loaded, target) };
    },
    // guard: comment-page-unchanged
    preconditions: ({ document }) => [document],
    async compute({ db, engine }, { document }) {
      await requireTarget(db, engine, document, target);
      return {
        advances: [],
        save: async ({ em, ...tx }, _locked: unknown, { loaded }) =>
          present(tx.db, loaded, await insertComment(em, loaded, posted)),
      };
    },
    // Counting it locks what it is on, before it is made sure that the target is still there.
    lock: (em) => adjustOpenCount(kyselyOf(em), seen, 1),
  });
}

/** Posts a comment, which is open at first, on what is locked. */
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
 * @throws DomainError `not-found` if the comment was deleted since it was read
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
  /** True resolves the comment, false reopens it; what is so already stays as it is. */
  resolved?: boolean | undefined;
  /** Emoji that the user adds to the comment or takes back. */
  addedReactions?: readonly string[] | undefined;
  removedReactions?: readonly string[] | undefined;
}

/**
 * Changes a comment or reply for a user.
 * @throws DomainError `not-found` if it was deleted since it was read, `conflict` if it would have too many different
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
  if (resolved !== undefined) await lockCommented(db, subject);
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
  if (addedReactions.length > 0) reactions += await react(db, id, user, addedReactions);
  if (reactions > 0n) record('reactions.updated');
}

/**
 * @param resolver who resolves the comment; null reopens it
 * @returns whether it was not so already
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

/** @returns how many reactions are new */
async function react(db: Db, comment: string, user: string, emoji: readonly string[]): Promise<bigint> {
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
  await lockCommented(db, subject);
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

/** Records what happened to a comment, or to the reply to its parent. */
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
 * Locks what is subject on, whose open comments will be counted anew: before the comment, as `lock-order.ts` has it.
 * @throws DomainError `not-found` if it was deleted since it was read
 */
async function lockCommented(db: Db, { space, changeRequest }: CommentSubject): Promise<void> {
  const what = changeRequest ? 'change request' : 'space';
  const locking = changeRequest
    ? db.selectFrom('change_request').select('id').where('id', '=', changeRequest.id)
    : db.selectFrom('space').select('id').where('id', '=', space.id).where('deleted_at', 'is', null);
  if (!(await awaitLock(what, locking.forNoKeyUpdate().executeTakeFirst()))) throw notFound(what);
}

/** Its replies and reactions refer to it: nobody may delete it meanwhile. */
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

/** Counts the open comments of something, and locks it. Not through the unit of work: a comment does not change its content. */
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
