import { z } from 'zod';
import { Passkey } from '../../schema/entities/passkey.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { browserProcedure } from './browser.procedures.ts';
import {
  AuthenticationCredential,
  CreationOptions,
  PasskeyObject,
  presentPasskey,
  RegistrationCredential,
  RequestOptions,
} from './passkeys.api.ts';
import {
  addPasskey,
  authenticateByPasskey,
  passkeyCreationOptions,
  passkeyRequestOptions,
  verifyNewPasskey,
} from './passkeys.operation.ts';
import { route } from './route.ts';
import { requireSession } from './session-caller.ts';
import { presentSignIn, SignInObject } from './sessions.api.ts';
import { completeSignIn } from './sign-in.operation.ts';

const PASSKEYS = '/user/passkeys';
const PASSKEY = `${PASSKEYS}/{passkeyId}` as const;

const Name = text({ min: 1, max: 64 });

/** Signing in with a passkey. */
export const passkeySignInRouter = router({
  options: browserProcedure
    .meta(
      route.post(
        '/auth/passkeys/options',
        'Get the options to sign in with a passkey',
        'getPasskeySignInOptions',
        {
          public: true,
          description:
            'Returns the options for `PublicKeyCredential.parseRequestOptionsFromJSON()`. They can be used once, within five minutes.',
        },
      ),
    )
    .input(z.object({}))
    .output(RequestOptions)
    .mutation(({ ctx }) => passkeyRequestOptions(ctx)),

  signIn: browserProcedure
    .meta(
      route.post('/auth/passkeys/sign-in', 'Sign in with a passkey', 'signInWithPasskey', {
        public: true,
        denials: [401],
        description:
          'Takes the result of `PublicKeyCredential.toJSON()` and opens a session. The device has verified its user, which counts as a second factor. 401 if the passkey is not valid.',
      }),
    )
    .input(
      z.object({
        credential: AuthenticationCredential.describe(
          'The credential that the browser returned for the options.',
        ),
        returnTo: z
          .string()
          .max(2000)
          .optional()
          .describe('The path on this service that the browser is sent to afterwards.'),
      }),
    )
    .output(SignInObject)
    .mutation(async ({ ctx, input: { credential, returnTo } }) => {
      const authenticated = await authenticateByPasskey(ctx, credential);
      return presentSignIn(
        await completeSignIn(ctx, { ...authenticated, method: 'passkey', secondFactor: true, returnTo }),
      );
    }),
});

/** The passkeys of the caller. */
export const passkeysRouter = router({
  list: userProcedure
    .meta(
      route.get(PASSKEYS, "List the caller's passkeys", 'listPasskeysOfAuthenticatedUser', {
        description: 'Lists the keys that the caller can sign in with.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(PasskeyObject))
    .query(async ({ ctx, input }) => {
      requireUnrestrictedCredential(ctx.actor);
      const mine = ctx.db.selectFrom('passkey').where('user_id', '=', ctx.actor.user.id);
      return readPage(ctx, input, {
        rows: mine.select(columnsOf(Passkey)),
        order: [{ column: 'passkey.id', direction: 'desc', of: (row) => row.id }],
        present: presentPasskey,
      });
    }),

  options: authenticatedProcedure
    .meta(
      route.post(`${PASSKEYS}/options`, 'Get the options to create a passkey', 'getPasskeyCreationOptions', {
        description:
          'Requires a session. Returns the options for `PublicKeyCredential.parseCreationOptionsFromJSON()`. They can be used once, within five minutes.',
      }),
    )
    .input(z.object({}))
    .output(CreationOptions)
    .mutation(({ ctx }) => {
      requireSession(ctx);
      return passkeyCreationOptions(ctx.db, ctx.services.urls, ctx.actor.user);
    }),

  create: authenticatedProcedure
    .meta(
      route.post(PASSKEYS, 'Add a passkey', 'createPasskeyOfAuthenticatedUser', {
        success: 201,
        description:
          'Requires a session. Takes the result of `PublicKeyCredential.toJSON()`. 400 if the passkey is not valid.',
      }),
    )
    .input(
      z.object({
        name: Name.describe('A name to recognize it by.'),
        credential: RegistrationCredential.describe(
          'The credential that the browser returned for the options.',
        ),
      }),
    )
    .output(PasskeyObject)
    .mutation(async ({ ctx, input: { name, credential } }) => {
      requireSession(ctx);
      const { db, services, actor } = ctx;
      const verified = await verifyNewPasskey(db, services.urls, actor.user.id, credential);
      return presentPasskey(await transact(ctx, (em) => addPasskey(em, actor, name, verified)));
    }),

  update: userProcedure
    .meta(
      route.patch(PASSKEY, 'Rename a passkey', 'updatePasskeyOfAuthenticatedUser', {
        description: 'Only its owner sees the name.',
      }),
    )
    .input(
      z.object({
        passkeyId: z.string().describe('The id of the passkey.'),
        name: Name.describe('A name to recognize it by.'),
      }),
    )
    .output(PasskeyObject)
    .mutation(async ({ ctx, input: { passkeyId, name } }) => {
      requireUnrestrictedCredential(ctx.actor);
      const row = await ctx.db
        .updateTable('passkey')
        .set({ name })
        .where('id', '=', passkeyId)
        .where('user_id', '=', ctx.actor.user.id)
        .returning(columnsOf(Passkey))
        .executeTakeFirst();
      if (!row) throw notFound('passkey');
      return presentPasskey(row);
    }),

  remove: userProcedure
    .meta(
      route.delete(PASSKEY, 'Remove a passkey', 'deletePasskeyOfAuthenticatedUser', {
        description: 'The key can no longer be used to sign in.',
      }),
    )
    .input(z.object({ passkeyId: z.string().describe('The id of the passkey.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { passkeyId } }) => {
      requireUnrestrictedCredential(ctx.actor);
      const removed = await deleteRows(ctx.db, 'passkey', { id: passkeyId, user_id: ctx.actor.user.id });
      if (removed === 0) throw notFound('passkey');
      recordAccountAction(ctx.em, ctx.actor.user.id, {
        action: 'passkey.deleted',
        targetType: 'passkey',
        target: passkeyId,
      });
      return { removed: true };
    }),
});
