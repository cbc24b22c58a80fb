import { z } from 'zod';
import { ApiToken } from '../../schema/entities/api-token.ts';
import { User } from '../../schema/entities/user.ts';
import { TOKEN_SCOPES } from '../../schema/enums.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { coveredByCredential, requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import { FutureTime, Removal } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockRow } from '../sql/lock-row.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { lockCaller } from './lock-caller.operation.ts';
import { usersRoute } from './route.ts';
import { NewTokenObject, presentToken, TokenObject } from './tokens.api.ts';
import { issueToken, revokeToken } from './tokens.operation.ts';
import { presentUser, UserObject } from './users.api.ts';

/**
 * A user whom the caller may view: one who shares an organization with the caller, or the caller.
 * @returns also the caller as a viewer, with their highest role in a shared organization
 */
async function findUser(
  { db, actor, viewer }: { db: Db; actor: Actor; viewer: Viewer },
  userId: string,
): Promise<[Row<User>, Viewer]> {
  const row = await db
    .selectFrom('user')
    .leftJoin('member', 'member.user_id', 'user.id')
    .leftJoin('member as caller', (join) =>
      join
        .onRef('caller.organization_id', '=', 'member.organization_id')
        .on('caller.user_id', '=', viewer.userId)
        .on('caller.disabled', '=', false)
        .on(coveredByCredential(actor, 'caller')),
    )
    .select(columnsOf(User))
    .select('caller.role as callerRole')
    .where('user.id', '=', userId)
    // guard: visible-users
    .where((eb) => eb.or([eb('user.id', '=', viewer.userId), eb('caller.user_id', 'is not', null)]))
    .orderBy((eb) => eb('caller.role', 'is', null))
    .limit(1)
    .executeTakeFirst();
  if (!row) throw notFound('user');
  const { callerRole, ...user } = row;
  return [user, { ...viewer, role: callerRole }];
}

/** The tokens of a caller; only those of one organization if their credential is limited to it. */
function tokensOf(db: Db, { user, credential: { organization } }: Actor) {
  const mine = db.selectFrom('api_token').where('user_id', '=', user.id);
  return organization === null ? mine : mine.where('organization_id', '=', organization);
}

export const usersRouter = router({
  me: userProcedure
    .meta(
      usersRoute.get('/user', 'Get the caller', 'getAuthenticatedUser', {
        description: 'Returns the user that the request is authenticated as.',
      }),
    )
    .output(UserObject)
    .query(({ ctx }) => presentUser(ctx.actor.user, ctx.viewer)),

  get: userProcedure
    .meta(
      usersRoute.get('/users/{userId}', 'Get a user', 'getUserById', {
        description: 'Returns the public profile of a user who shares an organization with the caller.',
      }),
    )
    .input(z.object({ userId: z.string().describe('The id of the user.') }))
    .output(UserObject)
    .query(async ({ ctx, input }) => {
      const [user, viewer] = await findUser(ctx, input.userId);
      return presentUser(user, viewer);
    }),

  update: userProcedure
    .meta(
      usersRoute.patch('/users/{userId}', 'Update the caller', 'updateUserById', {
        description: 'Users can only update themselves.',
      }),
    )
    .input(
      z.object({
        userId: z.string().describe('The id of the user.'),
        displayName: text({ min: 1, max: 64 }).optional().describe('The name that is shown to others.'),
        photoURL: HttpUrl.nullable().optional().describe('The URL of a photo of the user.'),
      }),
    )
    .output(UserObject)
    .mutation(async ({ ctx, input: { userId, ...changes } }) => {
      // guard: own-user
      if (userId !== ctx.actor.user.id) {
        await findUser(ctx, userId);
        throw new DomainError('forbidden', 'You can only update your own user.');
      }
      requireUnrestrictedCredential(ctx.actor);
      const user = await lockRow(ctx.em, User, userId, 'user');
      ctx.em.assign(user, changes);
      await ctx.em.flush();
      recordAccountAction(ctx.em, userId, { action: 'user.updated', targetType: 'user', target: userId });
      return presentUser(user, ctx.viewer);
    }),

  tokens: router({
    list: userProcedure
      .meta(
        usersRoute.get('/user/tokens', "List the caller's API tokens", 'listTokensOfAuthenticatedUser', {
          description: 'Lists names, scopes and times, but never the tokens themselves.',
        }),
      )
      .input(z.object(paging))
      .output(listOf(TokenObject))
      .query(async ({ ctx, input }) => {
        const mine = tokensOf(ctx.db, ctx.actor);
        return readPage(ctx, input, {
          rows: mine.select(columnsOf(ApiToken)),
          order: [{ column: 'api_token.id', direction: 'desc', of: (row) => row.id }],
          present: presentToken,
        });
      }),

    create: userProcedure
      .meta(
        usersRoute.post(
          '/user/tokens',
          'Create an API token for the caller',
          'createTokenOfAuthenticatedUser',
          {
            description:
              'The response contains the token itself, which is shown only once. A token that is created in an SSO session, or with such a token, is limited to that organization.',
            success: 201,
          },
        ),
      )
      .input(
        z.object({
          name: text({ min: 1, max: 100 }).default('API token').describe('A name to recognize it by.'),
          scope: z
            .enum(TOKEN_SCOPES)
            .default('write')
            .describe('Whether the token can be used to write, or only to read.'),
          expiresAt: FutureTime.optional().describe('When it stops being valid, in ISO 8601 UTC.'),
        }),
      )
      .output(NewTokenObject)
      .mutation(async ({ ctx, input }) => {
        await lockCaller(ctx.db, ctx.actor);
        const { token, secret } = issueToken(ctx.em, {
          ...input,
          user: ctx.actor.user.id,
          // guard: token-organization
          organization: ctx.actor.credential.organization,
        });
        await ctx.em.flush();
        return { ...presentToken(token), token: secret };
      }),

    revoke: userProcedure
      .meta(
        usersRoute.delete(
          '/user/tokens/{tokenId}',
          "Revoke one of the caller's API tokens",
          'deleteTokenOfAuthenticatedUser',
          { description: 'The token stops working with the next request.' },
        ),
      )
      .input(z.object({ tokenId: z.string().describe('The id of the token.') }))
      .output(Removal)
      .mutation(async ({ ctx, input }) => {
        const { user, credential } = ctx.actor;
        const { organization } = credential;
        const owned = { user: user.id, ...(organization !== null && { organization }) };
        // guard: owner-of-token
        if (!(await revokeToken(ctx.em, input.tokenId, owned))) throw notFound('token');
        return { removed: true };
      }),
  }),
});
