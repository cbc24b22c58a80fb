import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { z } from 'zod';
import { COMMENT_STATUSES } from '../../schema/enums.ts';
import { text } from '../../schema/json/text.ts';
import type { CallerLevel } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { Removal } from '../base/common-schemas.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { handlersFor } from '../base/mount.ts';
import type { SwapContext } from '../branches/compare-and-swap.operation.ts';
import { Emoji } from '../engine/emoji.ts';
import { DomainError } from '../engine/errors.ts';
import { mayListMembers } from '../people/access.ts';
import { MemberObject, presentMember } from '../people/members.api.ts';
import { memberColumns, membersOf } from '../people/members.query.ts';
import {
  DEFAULT_LIMIT,
  type List,
  type ListContext,
  listOf,
  type PageInput,
  paging,
  readPage,
} from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { requireCommentPermission } from './access.ts';
import { CommentFormat, CommentInput, parseBody, type StoredBody } from './body.ts';
import {
  CommentObject,
  CommentReplyObject,
  type CommentWithUsers,
  presentComment,
  presentReply,
  TableCell,
} from './comments.api.ts';
import { deleteComment, MAX_EMOJI, postCommentOn, postReply, updateComment } from './comments.operation.ts';
import {
  authorsOn,
  type CommentIds,
  type CommentSubject,
  commentColumns,
  commentsOn,
  readComment,
  repliesTo,
  requireComment,
  requireCommentOn,
  withUsers,
} from './comments.query.ts';

/** What changes of comments need of their context. */
interface ChangeContext extends CommentSubject {
  em: SqlEntityManager;
  db: Db;
  viewer: Viewer;
  /** The caller's level on the space. */
  level: CallerLevel['level'];
}

/** The context of procedures on a space or a change request, which is loaded by their base procedures. */
interface CommentContext extends ChangeContext, ListContext {}

const handler = handlersFor<CommentContext>();

/** The context of procedures that write a text, which is parsed before their transaction. */
interface WritingContext extends CommentSubject, SwapContext {
  viewer: Viewer;
  level: CallerLevel['level'];
  load(db: Db): Promise<CommentSubject & { level: CallerLevel['level'] }>;
}

/** Runs the rest of a procedure in a transaction, if the caller may still do so. */
const inTransaction = <Result>(
  ctx: WritingContext,
  rest: (ctx: ChangeContext) => Promise<Result>,
): Promise<Result> =>
  transact(ctx, async (em) => {
    const db = kyselyOf(em);
    return rest({ ...ctx, ...(await ctx.load(db)), em, db });
  });

/** The context of procedures that read one comment or reply. */
interface ReadingContext extends CommentContext {
  reading: Promise<CommentWithUsers | undefined>;
}

const format = { format: CommentFormat.describe('The format of the text in the response.') };
const commentId = { commentId: z.string().describe('The id of the comment.') };
const replyIds = { ...commentId, commentReplyId: z.string().describe('The id of the reply.') };

/** The most comments or replies on a page of a list, by format: each can be long, and is longer as a document. */
const MAX_PAGE = { markdown: 200, document: 50 };

/** The paging of lists of comments. */
export const commentPaging = {
  ...paging,
  limit: paging.limit.describe(
    `Number of items per page; ${DEFAULT_LIMIT} by default. At most ${MAX_PAGE.markdown} are on one page, ` +
      `and ${MAX_PAGE.document} as documents.`,
  ),
};

const list = handler.query({
  input: z.object({
    ...commentPaging,
    ...format,
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .describe('The order by time: `desc` for the newest first.'),
    status: z
      .enum([...COMMENT_STATUSES, 'all'])
      .default('all')
      .describe('Only comments with this status; `all` by default.'),
    targetPage: z.string().optional().describe('Only comments about the page with this id.'),
    authors: z.array(z.string()).max(100).optional().describe('Only comments by the users with these ids.'),
  }),
  output: listOf(CommentObject),
  resolve: async (ctx, input) => {
    const { order, status, targetPage, authors } = input;
    let listed = commentsOn(ctx.db, ctx);
    if (status !== 'all') listed = listed.where('comment.status', '=', status);
    if (targetPage !== undefined) listed = listed.where('comment.page', '=', targetPage);
    if (authors) listed = listed.where('comment.posted_by_id', '=', sql<string>`any(${authors})`);
    return readCommentPage(ctx, input, listed, { direction: order, present: presentComment });
  },
});

const get = handlersFor<ReadingContext>().query({
  input: z.object(commentId),
  output: CommentObject,
  resolve: async (ctx, ids) => presentComment(requireCommentOn(ctx, ids, await ctx.reading), ctx),
});

const target = {
  page: z.string().optional().describe('The id of the page that it is about.'),
  node: text({ min: 1, max: 255 }).optional().describe('The key of the block or other node on the page.'),
  tableCell: TableCell.optional().describe('A cell of the table that `node` names.'),
};

const writer = handlersFor<WritingContext>();

const post = writer.mutation({
  input: z.object({ ...target, ...format, body: CommentInput.describe('What the comment says.') }),
  output: CommentObject,
  resolve: async (ctx, { page, node, tableCell, format, body: given }) => {
    const { viewer, load, engine } = ctx;
    const body = await parseBody(engine, given);
    const posted = { author: viewer.userId, body, target: { page, node, tableCell } };
    return postCommentOn(ctx, ctx, load, posted, async (db, loaded, { id }) => {
      const shown = await readComment(db, loaded, { commentId: id }, format);
      return presentComment(shown, { ...ctx, ...loaded });
    });
  },
});

const Reactions = z.array(Emoji).max(MAX_EMOJI).optional();

const changes = {
  body: CommentInput.optional().describe('The new text; only the author may change it.'),
  addedReactions: Reactions.describe('Emoji that the caller reacts with, as characters or code points.'),
  removedReactions: Reactions.describe('Emoji of the reactions that the caller removes.'),
};

const update = writer.mutation({
  input: z.object({
    ...commentId,
    ...format,
    ...changes,
    resolved: z
      .boolean()
      .optional()
      .describe('Resolves or reopens the comment; requires `review` unless the caller posted it.'),
  }),
  output: CommentObject,
  resolve: async (ctx, input) => {
    const { commentId } = input;
    const body = input.body && (await parseBody(ctx.engine, input.body));
    return inTransaction(ctx, async (tx) => {
      await changeComment(tx, { commentId }, commentId, { ...input, body });
      return presentComment(await readComment(tx.db, tx, { commentId }, input.format), tx);
    });
  },
});

const deleteOne = handler.mutation({
  input: z.object(commentId),
  output: Removal,
  resolve: (ctx, { commentId }) => deleteExisting(ctx, { commentId }, commentId),
});

const listReplies = handler.query({
  input: z.object({ ...commentId, ...commentPaging, ...format }),
  output: listOf(CommentReplyObject),
  resolve: async (ctx, input) => {
    const listed = repliesTo(ctx.db, ctx, input.commentId);
    const page = await readCommentPage(ctx, input, listed, { direction: 'desc', present: presentReply });
    if (page.count === 0) await requireComment(ctx.db, ctx, { commentId: input.commentId });
    return page;
  },
});

const getReply = handlersFor<ReadingContext>().query({
  input: z.object(replyIds),
  output: CommentReplyObject,
  resolve: async (ctx, ids) => presentReply(requireCommentOn(ctx, ids, await ctx.reading), ctx),
});

const reply = writer.mutation({
  input: z.object({ ...commentId, ...format, body: CommentInput.describe('What the reply says.') }),
  output: CommentReplyObject,
  resolve: async (ctx, { commentId, format, body: given }) => {
    const body = await parseBody(ctx.engine, given);
    return inTransaction(ctx, async (tx) => {
      await requireComment(tx.db, tx, { commentId });
      const { id } = await postReply(tx.em, tx, { comment: commentId, author: tx.viewer.userId, body });
      return presentReply(await readComment(tx.db, tx, { commentId, commentReplyId: id }, format), tx);
    });
  },
});

const updateReply = writer.mutation({
  input: z.object({
    ...replyIds,
    ...format,
    ...changes,
    resolved: z.boolean().optional().describe('Has no effect, since replies have no status.'),
  }),
  output: CommentReplyObject,
  resolve: async (ctx, { resolved: _, ...input }) => {
    const body = input.body && (await parseBody(ctx.engine, input.body));
    return inTransaction(ctx, async (tx) => {
      await changeComment(tx, input, input.commentReplyId, { ...input, body });
      return presentReply(await readComment(tx.db, tx, input, input.format), tx);
    });
  },
});

const deleteReply = handler.mutation({
  input: z.object(replyIds),
  output: Removal,
  resolve: (ctx, input) => deleteExisting(ctx, input, input.commentReplyId),
});

const listCommenters = handler.query({
  input: z.object(paging),
  output: listOf(MemberObject),
  resolve: async (ctx, input) => {
    const { db, space, viewer } = ctx;
    let listed = membersOf(db, space.organization).where('member.user_id', 'in', authorsOn(db, ctx));
    // guard: comment-guest-commenters
    if (!mayListMembers(viewer)) listed = listed.where('member.user_id', '=', viewer.userId);
    return readPage(ctx, input, {
      rows: listed.select(memberColumns(space.organization, viewer)),
      order: [
        { column: 'member.joined_at', direction: 'desc', of: (row) => String(row.joinedAt) },
        { column: 'member.user_id', direction: 'desc', of: (row) => row.id },
      ],
      present: (row) => presentMember(row, viewer),
    });
  },
});

/** Limits the size of a requested page to {@link MAX_PAGE}. */
// guard: comment-page-limit
export const withPageLimit = <Input extends PageInput & { format: z.output<typeof CommentFormat> }>(
  input: Input,
): Input => ({ ...input, limit: Math.min(input.limit ?? DEFAULT_LIMIT, MAX_PAGE[input.format]) });

/** Reads a page of comments or replies. */
async function readCommentPage<Shown>(
  ctx: CommentContext,
  input: PageInput & { format: z.output<typeof CommentFormat> },
  listed: ReturnType<typeof commentsOn>,
  shown: { direction: 'asc' | 'desc'; present: (comment: CommentWithUsers, view: CommentContext) => Shown },
): Promise<List<Shown>> {
  const { direction, present } = shown;
  return readPage(ctx, withPageLimit(input), {
    rows: listed.select(commentColumns(input.format)),
    order: [{ column: 'comment.id', direction, of: (row) => row.id }],
    complete: (rows) => withUsers(ctx.db, ctx, rows),
    present: (comment) => present(comment, ctx),
  });
}

interface Changes extends Omit<z.output<z.ZodObject<typeof changes>>, 'body'> {
  body?: StoredBody | undefined;
  resolved?: boolean | undefined;
}

/** Changes a comment or reply, if the caller has the permissions. */
async function changeComment(
  ctx: ChangeContext,
  ids: CommentIds,
  id: string,
  { body, resolved, addedReactions, removedReactions }: Changes,
): Promise<void> {
  const { em, db, viewer, level } = ctx;
  const isOwn = (await requireComment(db, ctx, ids)).author === viewer.userId;
  const caller = { level, scope: viewer.scope };
  // guard: comment-edit-permission
  if (body) requireCommentPermission('edit', caller, isOwn);
  // guard: comment-resolve-permission
  if (resolved !== undefined) requireCommentPermission('resolve', caller, isOwn);
  // guard: comment-reaction-once
  if (addedReactions?.some((emoji) => removedReactions?.includes(emoji))) {
    const message = 'must not contain emoji that are also added';
    throw new DomainError('invalid', 'A reaction cannot be both added and removed.', [
      { path: 'removedReactions', message },
    ]);
  }
  await updateComment(em, ctx, id, viewer.userId, {
    body,
    resolved,
    addedReactions,
    removedReactions,
  });
}

/** Deletes a comment or reply, if the caller has the permission. */
async function deleteExisting(ctx: ChangeContext, ids: CommentIds, id: string): Promise<{ removed: true }> {
  const { em, db, viewer, level } = ctx;
  const isOwn = (await requireComment(db, ctx, ids)).author === viewer.userId;
  // guard: comment-delete-permission
  requireCommentPermission('delete', { level, scope: viewer.scope }, isOwn);
  await deleteComment(em, ctx, id);
  return { removed: true };
}

/** For base procedures that require `view`. */
export const commentLists = { list, listReplies, listCommenters };

/** For base procedures that require `view`, based on `commentReadingProcedure` and `replyReadingProcedure`. */
export const commentRead = { get };
export const replyRead = { getReply };

/** For base procedures without a transaction that require `comment`. */
export const commentWrites = { post, update, reply, updateReply };

/** For base procedures that require `comment`. */
export const commentDeletions = { delete: deleteOne, deleteReply };
