import { z } from 'zod';
import { ApiToken } from '../../schema/entities/api-token.ts';
import { User } from '../../schema/entities/user.ts';
import { TOKEN_SCOPES } from '../../schema/enums.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { userProcedure } from '../access/procedures.ts';
import type { Db } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import { text } from '../inputs.ts';
import { listOf, paging, readPage } from '../pagination.ts';
import { Removal } from '../removal.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import { NewTokenObject, presentToken, TokenObject } from './tokens.api.ts';
import { issueToken } from './tokens.operation.ts';
import { presentUser, UserObject } from './users.api.ts';

/** A user as far as the caller knows them: who shares an organization with them, and themselves. */
async function findUser(db: Db, callerId: string, userId: string): Promise<Row<User>> {
  const user = await db
    .selectFrom('user')
    .select(columnsOf(User))
    .where('user.id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('user.id', '=', callerId),
        eb.exists(
          eb
            .selectFrom('member')
            .innerJoin('member as caller', 'caller.organization_id', 'member.organization_id')
            .whereRef('member.user_id', '=', 'user.id')
            .where('caller.user_id', '=', callerId)
            .where('caller.disabled', '=', false),
        ),
      ]),
    )
    .executeTakeFirst();
  if (!user) throw notFound('user');
  return user;
}

export const usersRouter = router({
  me: userProcedure
    .meta(route('GET /user', 'Users', 'Get the caller', { operationId: 'getAuthenticatedUser' }))
    .output(UserObject)
    .query(({ ctx }) => presentUser(ctx.actor.user, ctx.services.urls)),

  get: userProcedure
    .meta(route('GET /users/{userId}', 'Users', 'Get a user', { operationId: 'getUserById' }))
    .input(z.object({ userId: z.string() }))
    .output(UserObject)
    .query(async ({ ctx, input }) => {
      const user = await findUser(ctx.db, ctx.actor.user.id, input.userId);
      return presentUser(user, ctx.services.urls);
    }),

  update: userProcedure
    .meta(
      route('PATCH /users/{userId}', 'Users', 'Update the caller', {
        operationId: 'updateUserById',
        description: 'Everyone may change themselves, and nobody else.',
      }),
    )
    .input(
      z.object({
        userId: z.string(),
        displayName: text({ min: 1, max: 64 }).optional(),
        photoURL: z
          .url({ protocol: /^https?$/ })
          .max(2048)
          .nullable()
          .optional(),
      }),
    )
    .output(UserObject)
    .mutation(async ({ ctx, input: { userId, ...changes } }) => {
      if (userId !== ctx.actor.user.id) {
        await findUser(ctx.db, ctx.actor.user.id, userId);
        throw new DomainError('forbidden', 'Only they themselves may change a user.');
      }
      const user = await ctx.em.findOneOrFail(User, userId);
      ctx.em.assign(user, changes);
      await ctx.em.flush();
      return presentUser(user, ctx.services.urls);
    }),

  tokens: router({
    list: userProcedure
      .meta(
        route('GET /user/tokens', 'Users', "List the caller's API tokens", {
          operationId: 'listTokensOfAuthenticatedUser',
        }),
      )
      .input(z.object(paging))
      .output(listOf(TokenObject))
      .query(async ({ ctx, input }) => {
        const mine = ctx.db.selectFrom('api_token').where('user_id', '=', ctx.actor.user.id);
        const page = await readPage({
          signer: ctx.services.signer,
          list: ['tokens', ctx.actor.user.id],
          input,
          rows: mine.select(columnsOf(ApiToken)),
          count: mine.select((eb) => eb.fn.countAll().as('count')),
          order: [{ column: 'api_token.id', direction: 'desc', of: (row) => row.id }],
        });
        return { ...page, items: page.items.map(presentToken) };
      }),

    create: userProcedure
      .meta(
        route('POST /user/tokens', 'Users', 'Create an API token of the caller', {
          operationId: 'createTokenOfAuthenticatedUser',
          description: 'The answer holds the secret, which is shown this once.',
          success: 201,
        }),
      )
      .input(
        z.object({
          name: text({ min: 1, max: 100 }).default('API token'),
          scope: z.enum(TOKEN_SCOPES).default('write'),
          expiresAt: z.iso
            .datetime({ offset: true })
            .refine((time) => Date.parse(time) > Date.now(), 'must lie in the future')
            .optional(),
        }),
      )
      .output(NewTokenObject)
      .mutation(async ({ ctx, input }) => {
        const { token, secret } = issueToken(ctx.em, { ...input, user: ctx.actor.user.id });
        await ctx.em.flush();
        return { ...presentToken(token), token: secret };
      }),

    revoke: userProcedure
      .meta(
        route('DELETE /user/tokens/{tokenId}', 'Users', "Revoke one of the caller's API tokens", {
          operationId: 'deleteTokenOfAuthenticatedUser',
        }),
      )
      .input(z.object({ tokenId: z.string() }))
      .output(Removal)
      .mutation(async ({ ctx, input }) => {
        const removed = await ctx.em.nativeDelete(ApiToken, { id: input.tokenId, user: ctx.actor.user.id });
        if (removed === 0) throw notFound('token');
        return { removed: true };
      }),
  }),
});
