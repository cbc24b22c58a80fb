import { z } from 'zod';
import type { Comment } from '../../schema/entities/comment.ts';
import { COMMENT_STATUSES } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { CallerLevel } from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';
import type { Document } from '../engine/document/document.ts';
import { emojiCodePoints } from '../engine/emoji.ts';
import { published } from '../engine/markdown/published/published.ts';
import { presentUser, UserObject, type VisibleUser, type VisibleUsers } from '../people/users.api.ts';
import { commentPermissions } from './access.ts';
import { CommentBody } from './body.ts';

/** A cell of a table block: the ids of its record (row) and of its definition (column). */
export const TableCell = z.object({
  record: z.string().describe('The id of the row.'),
  definition: z.string().describe('The id of the column.'),
});

const Reaction = z.object({
  emoji: z.string().describe('The code points of the emoji, such as `1f389`.'),
  count: z.number().int().describe('How many people reacted with it.'),
  users: z
    .array(
      z.object({
        user: UserObject.describe('Who reacted.'),
        reactedAt: z.string().describe('When they reacted.'),
      }),
    )
    .describe('The first users, at most 100 for all reactions to a comment together.'),
});

const authored = {
  id: z.string().describe('An opaque identifier that never changes.'),
  postedBy: UserObject.describe('Who wrote it.'),
  postedAt: z.string().describe('When it was written, in ISO 8601 UTC.'),
  editedAt: z.string().optional().describe('When it was last edited; absent if never.'),
  reactions: z.array(Reaction).describe('The reactions, by emoji.'),
  body: CommentBody.describe('What was written.'),
  urls: z
    .object({ location: z.string().describe('The URL of the object in this API.') })
    .describe('The URLs of the object.'),
  permissions: z
    .object({
      view: z.boolean().describe('Whether the caller may read it.'),
      edit: z.boolean().describe('Whether the caller may change it.'),
      reply: z.boolean().describe('Whether the caller may reply and react.'),
      delete: z.boolean().describe('Whether the caller may delete it.'),
    })
    .describe('What the caller may do with the object: operations whose flag is false are refused.'),
};

/** The public object of a comment. */
export const CommentObject = z
  .object({
    object: z.literal('comment').describe('The type of the object: always `comment`.'),
    ...authored,
    status: z.enum(COMMENT_STATUSES).describe('Whether the comment is resolved.'),
    resolvedAt: z.string().optional().describe('When the comment was resolved.'),
    resolvedBy: UserObject.optional().describe('Who resolved the comment.'),
    replies: z.number().int().describe('How many replies it has.'),
    repliers: z
      .array(
        z.object({
          user: UserObject.describe('Who replied.'),
          count: z.number().int().describe('How many replies they wrote.'),
          updatedAt: z.string().describe('When they last replied.'),
        }),
      )
      .describe('The users who replied, the last one first; at most 100.'),
    target: z
      .object({
        space: z.string().describe('The id of the space.'),
        changeRequest: z.string().optional().describe('The id of the change request.'),
        review: z.string().optional().describe('The id of the review that it was written with.'),
        page: z
          .object({ id: z.string().describe('The id of the page.') })
          .optional()
          .describe('The page that it is about.'),
        node: z
          .object({ id: z.string().describe('The key of the block.') })
          .optional()
          .describe('The block that it is about.'),
        tableCell: TableCell.optional().describe('The cell of a table that it is about.'),
        revision: z
          .string()
          .describe(
            'The id of a revision that contains the target, even if the target has been deleted since.',
          ),
      })
      .describe('What the comment is about.'),
  })
  .meta({ id: 'Comment', description: 'A comment on a space, a change request, or a place in their pages.' });

/** The public object of a reply to a comment. */
export const CommentReplyObject = z
  .object({
    object: z.literal('comment-reply').describe('The type of the object: always `comment-reply`.'),
    ...authored,
  })
  .meta({ id: 'CommentReply', description: 'A reply to a comment.' });

/** A reaction: the emoji as a character, the time, the id of the user, and the number of reactions with this emoji. */
export type ReactionEntry = [emoji: string, reactedAt: string, user: string, count: number];
/** A user who replied: the number of their replies, the time of the last one, their id, and the number of all replies. */
export type ReplierEntry = [count: number, updatedAt: string, user: string, total: number];

/** A comment or reply with its text in one format, its reactions and its repliers, as selected by `commentColumns`. */
export interface CommentRow extends Omit<Row<Comment>, 'document' | 'markdown'> {
  document?: Row<Comment>['document'];
  markdown?: string;
  reactions: ReactionEntry[] | null;
  repliers: ReplierEntry[] | null;
}

/** The same with all users that its object shows. */
export interface CommentWithUsers extends CommentRow {
  users: VisibleUsers;
}

/** The caller, and their level on the space. */
export interface CommentView {
  viewer: Viewer;
  level: CallerLevel['level'];
}

export function presentComment(row: CommentWithUsers, view: CommentView): z.input<typeof CommentObject> {
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

export const presentReply = (
  row: CommentWithUsers,
  view: CommentView,
): z.input<typeof CommentReplyObject> => ({
  object: 'comment-reply',
  ...presentPosted(row, view),
});

function presentPosted(row: CommentWithUsers, view: CommentView) {
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

/** Makes a function that presents a user by id. Users are never deleted, so that each id has one. */
const presenterOf =
  ({ users }: CommentWithUsers, { viewer }: CommentView) =>
  (id: string) =>
    presentUser(users.get(id) as VisibleUser, viewer);

/** Groups reactions by emoji, in the order of their first use. */
const presentReactions = (reactions: readonly ReactionEntry[], userOf: ReturnType<typeof presenterOf>) =>
  [...Map.groupBy(reactions, ([emoji]) => emoji)].map(([emoji, entries]) => ({
    emoji: emojiCodePoints(emoji),
    count: entries[0]?.[3] ?? 0,
    users: entries.map(([, reactedAt, user]) => ({
      user: userOf(user),
      reactedAt: isoTime(reactedAt),
    })),
  }));
