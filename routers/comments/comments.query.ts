import { sql } from 'kysely';
import type { z } from 'zod';
import { Comment } from '../../schema/entities/comment.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Db } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { readShownUsers } from '../people/users.query.ts';
import { PREPARE } from '../statement.ts';
import type { CommentFormat } from './body.ts';
import type { CommentRow, ReactionEntry, ReplierEntry, ShownComment } from './comments.api.ts';

/** What is commented on: a space, or a change request of it. */
export interface Commented {
  space: { id: string; organization: string; revision: string };
  changeRequest?: { id: string; revision: string } | undefined;
}

type Format = z.output<typeof CommentFormat>;

/** The comments on something and the replies to them; those of a space are without those of its change requests. */
const everythingOn = (db: Db, { space, changeRequest }: Commented) => {
  const all = db.selectFrom('comment').where('comment.space_id', '=', space.id);
  return changeRequest
    ? all.where('comment.change_request_id', '=', changeRequest.id)
    : all.where('comment.change_request_id', 'is', null);
};

export const commentsOn = (db: Db, commented: Commented) =>
  everythingOn(db, commented).where('comment.parent_id', 'is', null);

export const repliesTo = (db: Db, commented: Commented, commentId: string) =>
  everythingOn(db, commented).where('comment.parent_id', '=', commentId);

/** The ids of the users who posted comments or replies. */
export const authorsOn = (db: Db, commented: Commented) =>
  everythingOn(db, commented).select('comment.posted_by_id');

/** What {@link withUsers} takes, for a query of comments. */
export function commentColumns(format: Format) {
  const other = format === 'markdown' ? 'document' : 'markdown';
  return [
    ...columnsOf(Comment).filter(({ alias }) => alias !== other),
    sql<ReactionEntry[] | null>`(
      select json_agg(
        json_build_array(given.emoji, given.created_at::text, given.user_id)
        order by given.created_at, given.emoji, given.user_id)
      from comment_reaction as given where given.comment_id = comment.id)`.as('reactions'),
    sql<ReplierEntry[] | null>`(
      select json_agg(
        json_build_array(replied.count, replied.last::text, replied.posted_by_id)
        order by replied.last desc, replied.posted_by_id)
      from (
        select posted_by_id, count(*)::int as count, max(created_at) as last
        from comment as reply where reply.parent_id = comment.id group by posted_by_id) as replied)`.as(
      'repliers',
    ),
  ];
}

/** Adds the users that comments or replies show. */
export async function withUsers(
  db: Db,
  { space }: Commented,
  rows: readonly CommentRow[],
): Promise<ShownComment[]> {
  const ids = new Set<string>();
  for (const { postedBy, resolvedBy, reactions, repliers } of rows) {
    ids.add(postedBy);
    if (resolvedBy !== null) ids.add(resolvedBy);
    for (const [, , user] of reactions ?? []) ids.add(user);
    for (const [, , user] of repliers ?? []) ids.add(user);
  }
  const users = await readShownUsers(db, space.organization, ids);
  return rows.map((row) => ({ ...row, users }));
}

/** One comment, or one reply to it. @throws DomainError `not-found` */
export async function readComment(
  db: Db,
  commented: Commented,
  { commentId, commentReplyId }: CommentIds,
  format: Format,
): Promise<ShownComment> {
  const rows = await oneOf(db, commented, { commentId, commentReplyId })
    .select(commentColumns(format))
    .modifyEnd(sql.raw(PREPARE))
    .execute();
  const [shown] = await withUsers(db, commented, rows);
  if (!shown) throw notFound(commentReplyId === undefined ? 'comment' : 'reply');
  return shown;
}

/** Names a comment, or a reply to it. */
export interface CommentIds {
  commentId: string;
  commentReplyId?: string | undefined;
}

/** Who posted a comment or reply. @throws DomainError `not-found` */
export async function requireComment(
  db: Db,
  commented: Commented,
  ids: CommentIds,
): Promise<{ author: string }> {
  const row = await oneOf(db, commented, ids).select('comment.posted_by_id as author').executeTakeFirst();
  if (!row) throw notFound(ids.commentReplyId === undefined ? 'comment' : 'reply');
  return row;
}

const oneOf = (db: Db, commented: Commented, { commentId, commentReplyId }: CommentIds) =>
  commentReplyId === undefined
    ? commentsOn(db, commented).where('comment.id', '=', commentId)
    : repliesTo(db, commented, commentId).where('comment.id', '=', commentReplyId);

/** The comments that came with some reviews of a change request, by the id of the review. */
export async function readReviewComments(
  db: Db,
  commented: Commented,
  reviews: readonly string[],
  format: Format,
): Promise<Map<string, ShownComment>> {
  if (reviews.length === 0) return new Map();
  const rows = await commentsOn(db, commented)
    .select(commentColumns(format))
    .where('comment.review_id', '=', sql<string>`any(${reviews})`)
    .execute();
  const shown = await withUsers(db, commented, rows);
  return new Map(shown.map((comment) => [comment.review as string, comment]));
}
