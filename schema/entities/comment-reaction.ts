import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { Comment } from './comment.ts';
import { User } from './user.ts';

/** A user's reaction to a comment or reply. */
export const CommentReaction = defineEntity({
  name: 'CommentReaction',
  tableName: 'comment_reaction',
  primaryKeys: ['comment', 'emoji', 'user'],
  properties: {
    comment: () => p.manyToOne(Comment).mapToPk().primary().deleteRule('cascade'),
    /** The emoji character itself. */
    emoji: p.text().primary(),
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
export type CommentReaction = InferEntity<typeof CommentReaction>;
