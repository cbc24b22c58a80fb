import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Comment } from '../../schema/entities/comment.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { type Caller, compareAndSwap } from '../branches/compare-and-swap.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockNamed } from '../sql/lock-row.ts';
import { sqlAny } from '../sql/sql-any.ts';
import type { StoredBody } from './body.ts';
import type { Commented } from './comments.query.ts';
import { type CommentTarget, readTargetDocument, requireComplete, requireTarget } from './target.query.ts';

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
 * @param load reads what is commented on, if the caller may comment on it
 * @param present reads what is answered, in the same transaction
 * @throws DomainError `not-found` if the target is not there, `invalid` for a part of a page without the page
 */
export function postCommentOn<Loaded extends Commented, Result>(
  ctx: Caller,
  seen: Commented,
  load: (db: Db) => Promise<Loaded>,
  posted: NewComment,
  present: (db: Db, loaded: Loaded, comment: Comment) => Promise<Result>,
): Promise<Result> {
  const { target } = posted;
  requireComplete(target);
  return compareAndSwap(ctx, {
    async read(db) {
      const loaded = await load(db);
      return { loaded, document: await readTargetDocument(db, loaded, target) };
    },
    facts: ({ document }) => [document],
    async compute({ db, engine }, { document }) {
      await requireTarget(db, engine, document, target);
      return {
        advances: [],
        save: async ({ em, ...tx }, _locked: unknown, { loaded }) =>
          present(tx.db, loaded, await insertComment(em, loaded, posted)),
      };
    },
    // Counting it locks what it is on, before it is made sure that the target is still there.
    lock: (em) => countOpen(kyselyOf(em), seen, 1),
  });
}

/** Posts a comment, which is open at first, on what is locked. */
export async function postComment(
  em: SqlEntityManager,
  commented: Commented,
  posted: NewComment,
): Promise<Comment> {
  await countOpen(kyselyOf(em), commented, 1);
  return insertComment(em, commented, posted);
}

async function insertComment(
  em: SqlEntityManager,
  commented: Commented,
  { author, body, target: { page, node, tableCell, review } }: NewComment,
): Promise<Comment> {
  const comment = em.create(Comment, {
    ...placeOf(commented),
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
  recordComment(em, commented, { id: comment.id }, 'created');
  return comment;
}

/**
 * Posts a reply to a comment.
 * @throws DomainError `not-found` if the comment was deleted since it was read
 */
export async function postReply(
  em: SqlEntityManager,
  commented: Commented,
  { comment, author, body }: { comment: string; author: string; body: StoredBody },
): Promise<Comment> {
  await lockComment(kyselyOf(em), comment);
  const reply = em.create(Comment, { ...placeOf(commented), parent: comment, postedBy: author, ...body });
  await em.flush();
  recordComment(em, commented, { id: reply.id, parent: comment }, 'created');
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
  commented: Commented,
  id: string,
  user: string,
  { body, resolved, addedReactions = [], removedReactions = [] }: CommentChanges,
): Promise<void> {
  const db = kyselyOf(em);
  if (resolved !== undefined) await lockCommented(db, commented);
  const { parent } = await lockComment(db, id);
  const record = (change: CommentChange) => recordComment(em, commented, { id, parent }, change);
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
  if (resolved !== undefined && (await setResolved(db, commented, id, resolved ? user : null)))
    record(resolved ? 'resolved' : 'reopened');
  let reactions = 0n;
  if (removedReactions.length > 0) {
    const { numDeletedRows } = await db
      .deleteFrom('comment_reaction')
      .where('comment_id', '=', id)
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
  commented: Commented,
  id: string,
  resolver: string | null,
): Promise<boolean> {
  const status = resolver === null ? 'open' : 'resolved';
  const { numUpdatedRows } = await db
    .updateTable('comment')
    .set({ status, resolved_by_id: resolver, resolved_at: resolver === null ? null : new Date() })
    .where('id', '=', id)
    .where('status', '<>', status)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await countOpen(db, commented, resolver === null ? 1 : -1);
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
  if (Number(used) > MAX_EMOJI)
    throw new DomainError('conflict', `A comment can have at most ${MAX_EMOJI} different reactions.`);
  return numInsertedOrUpdatedRows;
}

/**
 * Deletes a comment with its replies, or a reply.
 * @throws DomainError `not-found` if it was deleted since it was read
 */
export async function deleteComment(em: SqlEntityManager, commented: Commented, id: string): Promise<void> {
  const db = kyselyOf(em);
  await lockCommented(db, commented);
  const deleted = await db
    .deleteFrom('comment')
    .where('id', '=', id)
    .returning(['status', 'parent_id as parent'])
    .executeTakeFirst();
  if (!deleted) throw notFound('comment');
  if (deleted.status === 'open') await countOpen(db, commented, -1);
  recordComment(em, commented, { id, parent: deleted.parent }, 'deleted');
}

type CommentChange = 'created' | 'updated' | 'resolved' | 'reopened' | 'reactions.updated' | 'deleted';

/** Records what happened to a comment, or to the reply to its parent. */
function recordComment(
  em: SqlEntityManager,
  { space, changeRequest }: Commented,
  { id, parent }: { id: string; parent?: string | null },
  change: CommentChange,
): void {
  const about = { space: space.id, ...(changeRequest && { changeRequest: changeRequest.id }) };
  // Replies have no status.
  if (parent && change !== 'resolved' && change !== 'reopened')
    recordEvent(em, { type: `comment.reply.${change}`, ...about, comment: parent, reply: id });
  else recordEvent(em, { type: `comment.${change}`, ...about, comment: id });
}

const placeOf = ({ space, changeRequest }: Commented) => ({
  space: space.id,
  changeRequest: changeRequest?.id,
  revision: (changeRequest ?? space).revision,
});

/**
 * Locks what is commented on, whose open comments will be counted anew: before the comment, as `lock-order.ts` has it.
 * @throws DomainError `not-found` if it was deleted since it was read
 */
async function lockCommented(db: Db, { space, changeRequest }: Commented): Promise<void> {
  const what = changeRequest ? 'change request' : 'space';
  const locking = changeRequest
    ? db.selectFrom('change_request').select('id').where('id', '=', changeRequest.id)
    : db.selectFrom('space').select('id').where('id', '=', space.id).where('deleted_at', 'is', null);
  if (!(await lockNamed(what, locking.forNoKeyUpdate().executeTakeFirst()))) throw notFound(what);
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
async function countOpen(db: Db, { space, changeRequest }: Commented, change: 1 | -1): Promise<void> {
  const comments = sql<number>`comments + ${change}::int`;
  const counting = changeRequest
    ? db.updateTable('change_request').set({ comments }).where('id', '=', changeRequest.id)
    : db.updateTable('space').set({ comments }).where('id', '=', space.id);
  await lockNamed(changeRequest ? 'change request' : 'space', counting.execute());
}
