import { z } from 'zod';
import type { Comment } from '../../schema/entities/comment.ts';
import { COMMENT_STATUSES } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { CallerLevel } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';
import type { Document } from '../engine/document/document.ts';
import { emojiCode } from '../engine/emoji.ts';
import { published } from '../engine/markdown/published/published.ts';
import { presentUser, type ShownUser, type ShownUsers, UserObject } from '../people/users.api.ts';
import { commentPermissions } from './access.ts';
import { CommentBody } from './body.ts';

/** A cell of a table block: the ids of its record (row) and of its definition (column). */
export const TableCell = z.object({ record: z.string(), definition: z.string() });

const Reaction = z.object({
  emoji: z.string().describe('Its code points, for example `1f389`.'),
  count: z.number().int(),
  users: z
    .array(z.object({ user: UserObject, reactedAt: z.string() }))
    .describe('The first users; at most 100 for all reactions to a comment together.'),
});

const posted = {
  id: z.string(),
  postedBy: UserObject,
  postedAt: z.string(),
  editedAt: z.string().optional(),
  reactions: z.array(Reaction),
  body: CommentBody,
  urls: z.object({ location: z.string() }),
  permissions: z.object({
    view: z.boolean(),
    edit: z.boolean(),
    reply: z.boolean().describe('To reply and to react.'),
    delete: z.boolean(),
  }),
};

/** The public object of a comment. */
export const CommentObject = z
  .object({
    object: z.literal('comment'),
    ...posted,
    status: z.enum(COMMENT_STATUSES),
    resolvedAt: z.string().optional(),
    resolvedBy: UserObject.optional(),
    replies: z.number().int(),
    repliers: z
      .array(
        z.object({
          user: UserObject,
          count: z.number().int(),
          updatedAt: z.string().describe('The time of their last reply.'),
        }),
      )
      .describe('The 100 who replied last.'),
    target: z.object({
      space: z.string(),
      changeRequest: z.string().optional(),
      review: z.string().optional(),
      page: z.object({ id: z.string() }).optional(),
      node: z.object({ id: z.string() }).optional(),
      tableCell: TableCell.optional(),
      revision: z.string().describe('A revision that contains the target, even if it was deleted since.'),
    }),
  })
  .meta({ id: 'Comment' });

/** The public object of a reply to a comment. */
export const CommentReplyObject = z
  .object({ object: z.literal('comment-reply'), ...posted })
  .meta({ id: 'CommentReply' });

/** One reaction: the emoji as the character, the time, the id of the user, and how many such reactions there are. */
export type ReactionEntry = [emoji: string, reactedAt: string, user: string, count: number];
/** How many replies a user posted, when the last one, the id of the user, and how many replies all users posted. */
export type ReplierEntry = [count: number, updatedAt: string, user: string, total: number];

/** A comment or reply with what its object counts, as `commentColumns` reads it: its text in one format. */
export interface CommentRow extends Omit<Row<Comment>, 'document' | 'markdown'> {
  document?: Row<Comment>['document'];
  markdown?: string;
  reactions: ReactionEntry[] | null;
  repliers: ReplierEntry[] | null;
}

/** The same with all users that it names. */
export interface ShownComment extends CommentRow {
  users: ShownUsers;
}

/** The caller, and their standing on the space. */
export interface CommentView {
  viewer: Viewer;
  level: CallerLevel['level'];
}

export function presentComment(row: ShownComment, view: CommentView): z.input<typeof CommentObject> {
  const userOf = presenterOf(row, view);
  const repliers = row.repliers ?? [];
  return {
    object: 'comment',
    ...presentPosted(row, view),
    status: row.status ?? 'open',
    resolvedAt: optionalTime(row.resolvedAt),
    resolvedBy: row.resolvedBy === null ? undefined : userOf(row.resolvedBy),
    replies: repliers[0]?.[3] ?? 0,
    repliers: repliers.map(([count, updatedAt, user]) => ({
      user: userOf(user),
      count,
      updatedAt: isoTime(updatedAt),
    })),
    target: {
      space: row.space,
      changeRequest: row.changeRequest ?? undefined,
      review: row.review ?? undefined,
      page: row.page === null ? undefined : { id: row.page },
      node: row.node === null ? undefined : { id: row.node },
      tableCell:
        row.tableRecord === null || row.tableDefinition === null
          ? undefined
          : { record: row.tableRecord, definition: row.tableDefinition },
      revision: row.revision,
    },
  };
}

export const presentReply = (row: ShownComment, view: CommentView): z.input<typeof CommentReplyObject> => ({
  object: 'comment-reply',
  ...presentPosted(row, view),
});

function presentPosted(row: ShownComment, view: CommentView) {
  const { viewer, level } = view;
  const userOf = presenterOf(row, view);
  const { space, changeRequest, parent, id } = row;
  return {
    id,
    postedBy: userOf(row.postedBy),
    postedAt: isoTime(row.createdAt),
    editedAt: optionalTime(row.editedAt),
    reactions: presentReactions(row.reactions ?? [], userOf),
    body: row.document ? { document: published(row.document as Document) } : { markdown: row.markdown ?? '' },
    urls: {
      location: viewer.urls.location(
        ...['spaces', space],
        ...(changeRequest === null ? [] : ['change-requests', changeRequest]),
        ...(parent === null ? ['comments', id] : ['comments', parent, 'replies', id]),
      ),
    },
    permissions: commentPermissions({ level, scope: viewer.scope }, row.postedBy === viewer.userId),
  };
}

/** Presents a user by id. Users are never deleted, so that each id has one. */
const presenterOf =
  ({ users }: ShownComment, { viewer }: CommentView) =>
  (id: string) =>
    presentUser(users.get(id) as ShownUser, viewer);

/** By emoji, in the order in which each was first used. */
const presentReactions = (reactions: readonly ReactionEntry[], userOf: ReturnType<typeof presenterOf>) =>
  [...Map.groupBy(reactions, ([emoji]) => emoji)].map(([emoji, entries]) => ({
    emoji: emojiCode(emoji),
    count: entries[0]?.[3] ?? 0,
    users: entries.map(([, reactedAt, user]) => ({
      user: userOf(user),
      reactedAt: isoTime(reactedAt),
    })),
  }));
