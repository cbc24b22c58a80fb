import { z } from 'zod';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { organizationProcedure, userProcedure } from '../access/procedures.ts';
import { kyselyOf } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { hashSecret } from '../base/secrets.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { lockCaller } from '../people/lock-caller.operation.ts';
import { endWeakSessions, lockSignIns } from '../people/weak-sessions.operation.ts';
import { browserProcedure } from './browser.procedures.ts';
import { recordSignIn } from './record.operation.ts';
import { route } from './route.ts';
import {
  presentSecondFactor,
  RecoveryCodes,
  SecondFactorObject,
  SecondFactorPolicyObject,
  SecondFactorSignInObject,
  TotpSecretObject,
} from './second-factor.api.ts';
import {
  confirmTotp,
  readSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  requireNoFactor,
  startTotp,
  verifySecondFactor,
} from './second-factor.operation.ts';
import { requireSession } from './session-caller.ts';
import { presentSignIn } from './sessions.api.ts';
import {
  completeSignIn,
  consumePendingSignIn,
  findPendingSignIn,
  type SignInContext,
} from './sign-in.operation.ts';

/** A code of an app, or a recovery code. */
const Code = z.string().min(1).max(100);

const POLICY = '/orgs/{organizationId}/second-factor';

const noSignIn = () =>
  new DomainError(
    'not-found',
    'No sign-in is under way in this browser, or it has taken too long: sign in again.',
  );

/** The pending sign-in of a browser. @throws DomainError `not-found` */
async function requirePending({ db, browser }: SignInContext) {
  const pending = await findPendingSignIn(db, browser);
  if (!pending) throw noSignIn();
  return pending;
}

/** Identifies the pending sign-in in which an app is set up. */
const pendingPlace = ({ browser }: SignInContext): string => hashSecret(browser.token('sign_in') ?? '');

const emailOf = async ({ db }: SignInContext, user: string): Promise<string> =>
  (await db.selectFrom('user').select('email').where('id', '=', user).executeTakeFirstOrThrow()).email;

/** The second factor of somebody who is signing in. */
export const pendingSecondFactorRouter = router({
  get: browserProcedure
    .meta(
      route.get(
        '/auth/second-factor',
        'Get the second factor that a sign-in needs',
        'getPendingSecondFactor',
        {
          public: true,
          denials: [404],
          description:
            'For the pending sign-in of the browser. Without an authenticator app, the person signs in with their passkey, or if they have none, sets up an app. 404 if no sign-in is pending.',
        },
      ),
    )
    .input(z.object({}))
    .output(
      z.object({
        totp: z.boolean().describe('Whether an authenticator app is set up.'),
        passkey: z.boolean().describe('Whether the person has a passkey.'),
      }),
    )
    .query(async ({ ctx }) => {
      const { user } = await requirePending(ctx);
      const { isEnrolled, hasPasskey } = await readSecondFactor(ctx.db, user);
      return { totp: isEnrolled, passkey: hasPasskey };
    }),

  setUp: browserProcedure
    .meta(
      route.post('/auth/second-factor/totp', 'Set up an authenticator app to sign in', 'setUpPendingTotp', {
        public: true,
        denials: [404],
        description:
          'For users who need a second factor to sign in and have none. 409 if they have an app or a passkey.',
      }),
    )
    .input(z.object({}))
    .output(TotpSecretObject)
    .mutation(async ({ ctx }) => {
      const { user } = await requirePending(ctx);
      requireNoFactor(await readSecondFactor(ctx.db, user));
      const email = await emailOf(ctx, user);
      return startTotp(ctx.db, ctx.services, { user, place: pendingPlace(ctx), email });
    }),

  signIn: browserProcedure
    .meta(
      route.post('/auth/second-factor', 'Sign in with a second factor', 'signInWithSecondFactor', {
        public: true,
        denials: [404],
        description:
          'Takes a code of the authenticator app, or a recovery code, and opens the session. The first code of an app that was just set up turns it on, and recovery codes are returned. 401 for a wrong code.',
      }),
    )
    .input(z.object({ code: Code.describe('The code of the authenticator app, or a recovery code.') }))
    .output(SecondFactorSignInObject)
    .mutation(async ({ ctx, input: { code } }) => {
      const { db, services, browser } = ctx;
      const { user, method } = await requirePending(ctx);
      const factor = await readSecondFactor(db, user);
      let recoveryCodes: string[] | undefined;
      try {
        if (factor.isEnrolled) await verifySecondFactor(db, services, { user, code }, 'unauthenticated');
        else {
          // The app may have been shown before the passkey was added.
          requireNoFactor(factor);
          recoveryCodes = await confirmTotp(ctx, { user, place: pendingPlace(ctx), code });
        }
      } catch (error) {
        if (error instanceof DomainError) {
          const event = { kind: 'refused', method, user, address: browser.address } as const;
          await ctx.transaction((em) => recordSignIn(em, services, event));
        }
        throw error;
      }
      const signIn = await consumePendingSignIn(db, browser);
      if (!signIn) throw noSignIn();
      const done = presentSignIn(await completeSignIn(ctx, { ...signIn, secondFactor: true }));
      return { ...done, ...(recoveryCodes && { recoveryCodes }) };
    }),
});

/** The second factor of the caller. */
export const secondFactorRouter = router({
  get: userProcedure
    .meta(
      route.get(
        '/user/second-factor',
        "Get the caller's second factor",
        'getSecondFactorOfAuthenticatedUser',
        {
          description:
            'Returns whether an authenticator app is turned on, and how many recovery codes are left.',
        },
      ),
    )
    .input(z.object({}))
    .output(SecondFactorObject)
    .query(async ({ ctx }) => {
      requireUnrestrictedCredential(ctx.actor);
      return presentSecondFactor(await readSecondFactor(ctx.db, ctx.actor.user.id));
    }),

  setUp: authenticatedProcedure
    .meta(
      route.post('/user/second-factor/totp', 'Set up an authenticator app', 'setUpTotpOfAuthenticatedUser', {
        description:
          'Requires a session. Returns the secret of the app, which is turned on by its first code. 409 if there is an app.',
      }),
    )
    .input(z.object({}))
    .output(TotpSecretObject)
    .mutation(({ ctx }) => {
      const { id: place } = requireSession(ctx);
      const { id: user, email } = ctx.actor.user;
      return startTotp(ctx.db, ctx.services, { user, place, email });
    }),

  confirm: authenticatedProcedure
    .meta(
      route.post(
        '/user/second-factor/totp/confirm',
        'Turn an authenticator app on',
        'confirmTotpOfAuthenticatedUser',
        {
          description: 'Requires a session. Takes the first code of the app. 400 for a wrong one.',
        },
      ),
    )
    .input(z.object({ code: Code.describe('The code that the authenticator app shows.') }))
    .output(
      z.object({
        recoveryCodes: RecoveryCodes.describe(
          'Codes that can each be used once instead of a code of the app. They are not shown again.',
        ),
      }),
    )
    .mutation(async ({ ctx, input: { code } }) => {
      const { id: place } = requireSession(ctx);
      const { actor } = ctx;
      return { recoveryCodes: await confirmTotp(ctx, { user: actor.user.id, place, code, caller: actor }) };
    }),

  renewRecoveryCodes: authenticatedProcedure
    .meta(
      route.post(
        '/user/second-factor/recovery-codes',
        'Create new recovery codes',
        'createRecoveryCodesOfAuthenticatedUser',
        {
          description:
            'Requires a session. Takes a code of the app, or a recovery code. Earlier recovery codes no longer work.',
        },
      ),
    )
    .input(z.object({ code: Code.describe('The code of the authenticator app, or a recovery code.') }))
    .output(
      z.object({
        recoveryCodes: RecoveryCodes.describe(
          'The new codes, which are not shown again; the old ones no longer work.',
        ),
      }),
    )
    .mutation(async ({ ctx, input: { code } }) => {
      await reauthenticate(ctx, code);
      const recoveryCodes = await ctx.transaction(async (em) => {
        await lockCaller(kyselyOf(em), ctx.actor);
        return renewRecoveryCodes(em, ctx.actor.user.id);
      });
      return { recoveryCodes };
    }),

  remove: authenticatedProcedure
    .meta(
      route.post(
        '/user/second-factor/remove',
        'Turn the authenticator app off',
        'removeSecondFactorOfAuthenticatedUser',
        {
          success: 204,
          description:
            'Requires a session. Takes a code of the app, or a recovery code. If an organization of the user requires a second factor, it has to be set up again at the next sign-in.',
        },
      ),
    )
    .input(z.object({ code: Code.describe('The code of the authenticator app, or a recovery code.') }))
    .output(z.void())
    .mutation(async ({ ctx, input: { code } }) => {
      await reauthenticate(ctx, code);
      await ctx.transaction((em) => removeSecondFactor(em, ctx.actor.user.id));
    }),
});

/** Authenticates the caller again: somebody who finds an open browser must not be able to turn anything off. */
async function reauthenticate(
  { db, services, actor }: Pick<SignInContext, 'db' | 'services'> & { actor: Actor },
  code: string,
): Promise<void> {
  requireSession({ actor });
  await verifySecondFactor(db, services, { user: actor.user.id, code }, 'invalid');
}

/** Whether an organization requires a second factor of its members. */
export const secondFactorPolicyRouter = router({
  get: organizationProcedure('view')
    .meta(
      route.get(
        POLICY,
        'Get the second-factor policy of an organization',
        'getSecondFactorPolicyInOrganizationById',
        {
          description: 'If it is required, members without one have to set it up when they sign in.',
        },
      ),
    )
    .output(SecondFactorPolicyObject)
    .query(({ ctx }) => ({
      object: 'second-factor-policy' as const,
      required: ctx.organization.requireSecondFactor,
    })),

  set: organizationProcedure('admin')
    .meta(
      route.put(
        POLICY,
        'Set the second-factor policy of an organization',
        'setSecondFactorPolicyInOrganizationById',
        {
          description:
            "If it is required, members without one have to set up an authenticator app when they sign in; a passkey counts as one. It is also required after OpenID Connect, but not after SAML, where the provider decides. Members' sessions without one end; API tokens keep working. 409 for an admin who has none themselves.",
        },
      ),
    )
    .input(z.object({ required: z.boolean().describe('Whether members must use a second factor.') }))
    .output(SecondFactorPolicyObject)
    .mutation(async ({ ctx, input: { organizationId, required } }) => {
      const { db, em, actor } = ctx;
      // guard: factor-required-sign-ins
      if (required) await lockSignIns(db, organizationId);
      await lockOrganizations(db, organizationId);
      if (required && !(await hasSecondFactor(ctx, actor)))
        throw new DomainError('conflict', 'Set up a second factor or a passkey for yourself first.');
      await db
        .updateTable('organization')
        .set({ require_second_factor: required })
        .where('id', '=', organizationId)
        .execute();
      // guard: factor-required-sessions
      if (required) await endWeakSessions(db, { organization: organizationId });
      recordEvent(em, { type: 'organization.updated', organization: organizationId });
      return { object: 'second-factor-policy' as const, required };
    }),
});

/** Whether a user can sign in with a second factor, or with a passkey, which counts as one. */
async function hasSecondFactor({ db }: Pick<SignInContext, 'db'>, { user }: Actor): Promise<boolean> {
  const { isEnrolled, hasPasskey } = await readSecondFactor(db, user.id);
  return isEnrolled || hasPasskey;
}
