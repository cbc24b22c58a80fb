import { z } from 'zod';
import { authenticatedProcedure } from '../base/trpc.ts';
import { CommentFormat } from './body.ts';
import { type CommentIds, type Format, findComment } from './comments.query.ts';

/**
 * The base of procedures that read one comment or reply: starts to read it, as `ctx.reading`, before it is known whether the
 * caller may view it, so that both take one round trip.
 */
const readingProcedure = <Shape extends z.ZodRawShape>(ids: Shape) =>
  authenticatedProcedure
    .input(
      z.object({
        spaceId: z.string().describe('The id of the space.'),
        ...ids,
        format: CommentFormat.describe('The format of the text in the response.'),
      }),
    )
    .use(({ ctx, input, next }) => {
      const { spaceId, format, ...named } = input as { spaceId: string; format: Format } & CommentIds;
      const reading = findComment(ctx.db, spaceId, named, format);
      // It may fail after the caller has been denied.
      reading.catch(() => undefined);
      return next({ ctx: { reading } });
    });

export const commentReadingProcedure = readingProcedure({
  commentId: z.string().describe('The id of the comment.'),
});
export const replyReadingProcedure = readingProcedure({
  commentId: z.string().describe('The id of the comment.'),
  commentReplyId: z.string().describe('The id of the reply.'),
});
