import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { Comment } from '../../schema/entities/comment.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import type { VisibleUser } from '../people/users.api.ts';
import { readVisibleUsers, visibleEmail } from '../people/users.query.ts';
import { PREPARE } from '../sql/statement.ts';
import type { CommentFormat } from './body.ts';
import type { CommentRow, CommentWithUsers, ReactionEntry, ReplierEntry } from './comments.api.ts';

/** What comments are on: a space, or one of its change requests. */
export interface CommentSubject {
  space: { id: string; organization: string; revision: string };
  changeRequest?: { id: string; revision: string } | undefined;
}

export type Format = z.output<typeof CommentFormat>;

/** Selects the comments and replies on a subject; those on a space do not include those on its change requests. */
const allCommentsOn = (db: Db, { space, changeRequest }: CommentSubject) => {
  const all = db.selectFrom('comment').where('comment.space_id', '=', space.id);
  return changeRequest
    ? all.where('comment.change_request_id', '=', changeRequest.id)
    : // guard: comment-space-only
      all.where('comment.change_request_id', 'is', null);
};

export const commentsOn = (db: Db, subject: CommentSubject) =>
  // guard: comment-no-replies
  allCommentsOn(db, subject).where('comment.parent_id', 'is', null);

export const repliesTo = (db: Db, subject: CommentSubject, commentId: string) =>
  allCommentsOn(db, subject).where('comment.parent_id', '=', commentId);

/** Selects the ids of the users who posted comments or replies. */
export const authorsOn = (db: Db, subject: CommentSubject) =>
  allCommentsOn(db, subject).select('comment.posted_by_id');

/**
 * The most users that a comment shows with its reactions, and with its replies. All are counted, and each emoji shows at
 * least one user.
 */
// guard: comment-reactions-shown
const MAX_SHOWN = 100;

/** The reactions that a comment shows: the first ones of each emoji. */
const shownReactions = sql`
  select emoji, created_at, user_id, count from (
    select emoji, created_at, user_id, count(*) over (partition by emoji) as count,
      row_number() over (partition by emoji order by created_at, user_id) as place
    from comment_reaction where comment_id = comment.id) as placed
  order by place, created_at, emoji limit ${sql.lit(MAX_SHOWN)}`;

/** The users who replied that a comment shows: the last ones. */
const shownRepliers = sql`
  select posted_by_id as user_id, count(*) as count, max(created_at) as last, sum(count(*)) over () as total
  from comment as reply where reply.parent_id = comment.id
  group by posted_by_id order by last desc, posted_by_id limit ${sql.lit(MAX_SHOWN)}`;

/** The columns of a `CommentRow`, for a query of comments. */
export function commentColumns(format: Format) {
  const other = format === 'markdown' ? 'document' : 'markdown';
  return [
    ...columnsOf(Comment).filter(({ alias }) => alias !== other),
    sql<ReactionEntry[] | null>`(
      select json_agg(
        json_build_array(given.emoji, given.created_at::text, given.user_id, given.count)
        order by given.created_at, given.emoji, given.user_id)
      from (${shownReactions}) as given)`.as('reactions'),
    sql<ReplierEntry[] | null>`(
      select json_agg(
        json_build_array(replied.count, replied.last::text, replied.user_id, replied.total)
        order by replied.last desc, replied.user_id)
      from (${shownRepliers}) as replied)`.as('repliers'),
  ];
}

/** Adds to comments or replies the users that they show. */
export async function withUsers(
  db: Db,
  { space }: CommentSubject,
  rows: readonly CommentRow[],
): Promise<CommentWithUsers[]> {
  const ids = new Set<string>();
  for (const { postedBy, resolvedBy, reactions, repliers } of rows) {
    ids.add(postedBy);
    if (resolvedBy !== null) ids.add(resolvedBy);
    for (const [, , user] of reactions ?? []) ids.add(user);
    for (const [, , user] of repliers ?? []) ids.add(user);
  }
  const users = await readVisibleUsers(db, space.organization, ids);
  return rows.map((row) => ({ ...row, users }));
}

/** All users that a comment shows. */
const usersOf = (organization: RawBuilder<unknown>) => sql<VisibleUser[]>`(
  select json_agg(json_build_object('id', shown.id, 'displayName', shown.display_name,
    'photoURL', shown.photo_url, 'email', ${visibleEmail('shown', organization)}))
  from "user" as shown where shown.id in (
    select comment.posted_by_id union all select comment.resolved_by_id
    union all select given.user_id from (${shownReactions}) as given
    union all select replied.user_id from (${shownRepliers}) as replied))`;

/**
 * Finds a comment on a space or on one of its change requests, or a reply, without checking what the caller may view: in
 * one statement, which can be sent before that is known.
 */
export async function findComment(
  db: Db,
  space: string,
  { commentId, commentReplyId }: CommentIds,
  format: Format,
): Promise<CommentWithUsers | undefined> {
  const named =
    commentReplyId === undefined
      ? db.selectFrom('comment').where('comment.id', '=', commentId).where('comment.parent_id', 'is', null)
      : db
          .selectFrom('comment')
          .where('comment.id', '=', commentReplyId)
          .where('comment.parent_id', '=', commentId);
  const row = await named
    .innerJoin('space', 'space.id', 'comment.space_id')
    .where('comment.space_id', '=', space)
    .select(commentColumns(format))
    .select(usersOf(sql.ref('space.organization_id')).as('users'))
    .modifyEnd(sql.raw(PREPARE))
    .executeTakeFirst();
  return row && { ...row, users: new Map(row.users.map((user) => [user.id, user])) };
}

/** @throws DomainError `not-found` unless the comment is on the subject */
export function requireCommentOn(
  { space, changeRequest }: CommentSubject,
  { commentReplyId }: CommentIds,
  comment: CommentWithUsers | undefined,
): CommentWithUsers {
  // guard: comment-of-change-request
  if (comment?.space !== space.id || comment.changeRequest !== (changeRequest?.id ?? null))
    throw notFound(commentReplyId === undefined ? 'comment' : 'reply');
  return comment;
}

/** Reads a comment, or a reply. @throws DomainError `not-found` */
export const readComment = async (
  db: Db,
  subject: CommentSubject,
  ids: CommentIds,
  format: Format,
): Promise<CommentWithUsers> =>
  requireCommentOn(subject, ids, await findComment(db, subject.space.id, ids, format));

/** The ids of a comment, or of a reply to it. */
export interface CommentIds {
  commentId: string;
  commentReplyId?: string | undefined;
}

/** Requires that a comment or reply exists, and returns its author. @throws DomainError `not-found` */
export async function requireComment(
  db: Db,
  subject: CommentSubject,
  ids: CommentIds,
): Promise<{ author: string }> {
  const row = await selectComment(db, subject, ids)
    .select('comment.posted_by_id as author')
    .executeTakeFirst();
  if (!row) throw notFound(ids.commentReplyId === undefined ? 'comment' : 'reply');
  return row;
}

const selectComment = (db: Db, subject: CommentSubject, { commentId, commentReplyId }: CommentIds) =>
  commentReplyId === undefined
    ? commentsOn(db, subject).where('comment.id', '=', commentId)
    : repliesTo(db, subject, commentId).where('comment.id', '=', commentReplyId);

/** Reads the comments of some reviews of a change request, by the id of the review. */
export async function readReviewComments(
  db: Db,
  subject: CommentSubject,
  reviews: readonly string[],
  format: Format,
): Promise<Map<string, CommentWithUsers>> {
  if (reviews.length === 0) return new Map();
  const rows = await commentsOn(db, subject)
    .select(commentColumns(format))
    .where('comment.review_id', '=', sql<string>`any(${reviews})`)
    .execute();
  const shown = await withUsers(db, subject, rows);
  return new Map(shown.map((comment) => [comment.review as string, comment]));
}
