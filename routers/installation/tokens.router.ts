import { z } from 'zod';
import { ApiToken } from '../../schema/entities/api-token.ts';
import { TOKEN_SCOPES } from '../../schema/enums.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { Removal, Time } from '../base/common-schemas.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { presentToken } from '../people/tokens.api.ts';
import { issueToken, revokeToken } from '../people/tokens.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { NewOwnedTokenObject, OwnedTokenObject } from './installation.api.ts';
import { idOfUser, lookUpUser } from './lookup.operation.ts';

export const installationTokensRouter = router({
  list: operatorProcedure
    .input(
      z.object({
        ...paging,
        user: z.string().optional().describe('The id or e-mail address of the owner; all users by default.'),
      }),
    )
    .output(listOf(OwnedTokenObject))
    .query(async ({ ctx, input }) => {
      let tokens = ctx.db.selectFrom('api_token').innerJoin('user', 'user.id', 'api_token.user_id');
      const { user } = input;
      if (user !== undefined) tokens = tokens.where('api_token.user_id', '=', idOfUser(ctx.db, user));
      return readPage(ctx, input, {
        rows: tokens.select(columnsOf(ApiToken)).select('user.email as userEmail'),
        order: [{ column: 'api_token.id', direction: 'desc', of: (row) => row.id }],
        present: ({ userEmail, ...token }) => ({
          ...presentToken(token),
          user: { id: token.user, email: userEmail },
        }),
      });
    }),

  create: operatorProcedure
    .input(
      z.object({
        user: z.string().describe('The id or e-mail address of the owner.'),
        name: text({ min: 1, max: 100 }).default('API token'),
        scope: z.enum(TOKEN_SCOPES).default('write'),
        expiresAt: Time.optional(),
      }),
    )
    .output(NewOwnedTokenObject)
    .mutation(async ({ ctx, input }) => {
      const user = await lookUpUser(ctx.em, input.user);
      const { token, secret } = issueToken(ctx.em, { ...input, user: user.id });
      await ctx.em.flush();
      return { ...presentToken(token), token: secret, user: { id: user.id, email: user.email } };
    }),

  revoke: operatorProcedure
    .input(z.object({ tokenId: z.string() }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      if (!(await revokeToken(ctx.em, input.tokenId))) throw notFound('token');
      return { removed: true };
    }),
});
