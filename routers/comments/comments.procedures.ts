import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import type { Actor, Db } from '../context.ts';
import { authenticatedProcedure } from '../trpc.ts';
import { CommentFormat } from './body.ts';
import { TableCell } from './comments.api.ts';
import { type Commented, type CommentIds, type Format, readOne } from './comments.query.ts';
import { findTarget } from './target.query.ts';

const target = {
  page: z.string().optional().describe('Id of the page that it is about.'),
  node: text({ min: 1, max: 255 }).optional().describe('Key of the block or other node on the page.'),
  tableCell: TableCell.optional().describe('A cell of the table that `node` names.'),
};

/**
 * The start of a procedure that posts a comment: finds its target before the transaction, which must not hold a database
 * connection while a large page waits to be searched. `ctx.target`, and `ctx.document` with the target.
 * @param load what is commented on, if the caller may comment on it
 */
export const postingProcedure = <Shape extends z.ZodRawShape>(
  shape: Shape,
  load: (db: Db, actor: Actor, input: z.output<z.ZodObject<Shape>>) => Promise<Commented>,
) =>
  authenticatedProcedure.input(z.object({ ...shape, ...target })).use(async ({ ctx, input, next }) => {
    const { page, node, tableCell } = input as z.output<z.ZodObject<typeof target>>;
    const { db, actor, engine } = ctx;
    const given = { page, node, tableCell };
    const needsSearch = node !== undefined || tableCell !== undefined;
    const document = needsSearch
      ? await findTarget(db, engine, await load(db, actor, input as z.output<z.ZodObject<Shape>>), given)
      : undefined;
    return next({ ctx: { target: given, document } });
  });

/**
 * The start of a procedure that reads one comment or reply: sends for it before it is known whether the caller may view it,
 * so that both take one round trip. `ctx.reading`.
 */
const readingProcedure = <Shape extends z.ZodRawShape>(ids: Shape) =>
  authenticatedProcedure
    .input(
      z.object({
        spaceId: z.string(),
        ...ids,
        format: CommentFormat.describe('Format of the text in the response.'),
      }),
    )
    .use(({ ctx, input, next }) => {
      const { spaceId, format, ...named } = input as { spaceId: string; format: Format } & CommentIds;
      const reading = readOne(ctx.db, spaceId, named, format);
      // It may fail after the caller was denied.
      reading.catch(() => undefined);
      return next({ ctx: { reading } });
    });

export const commentReadingProcedure = readingProcedure({ commentId: z.string() });
export const replyReadingProcedure = readingProcedure({ commentId: z.string(), commentReplyId: z.string() });
