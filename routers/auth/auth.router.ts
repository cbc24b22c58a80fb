import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { AccountEmail, EmailAddress, normalizeEmail } from '../base/email-addresses.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { lockCaller } from '../people/lock-caller.operation.ts';
import { transact } from '../sql/transact.ts';
import { mailAttempt } from './attempts.operation.ts';
import { browserProcedure } from './browser.procedures.ts';
import { acceptInviteBySecret, createInvitedUser, findInviteBySecret } from './invites.operation.ts';
import { expiredLink, findPasswordLink, setPasswordByLink, verifyEmailByLink } from './links.operation.ts';
import {
  authenticateByPassword,
  hashNewPassword,
  requirePassword,
  setPassword,
  wrongPassword,
} from './password.operation.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './passwords.ts';
import { route } from './route.ts';
import { presentSignIn, SignInObject } from './sessions.api.ts';
import { completeSignIn, signOut } from './sign-in.operation.ts';
import { isPasswordUnchanged, passwordOf, type VerifiedPassword } from './verified-password.operation.ts';

/** Longer passwords are refused without being processed. */
const Password = z.string().max(MAX_PASSWORD * 4, `must have at most ${MAX_PASSWORD} characters`);
const NewPassword = Password.describe(
  `${MIN_PASSWORD} to ${MAX_PASSWORD} characters; the most common passwords are refused.`,
);
const Secret = z.string().min(1).max(100);
const ReturnTo = z
  .string()
  .max(2000)
  .optional()
  .describe('A path of this service to go to; anything else is ignored.');

const requireMailer = ({ services }: Pick<Context, 'services'>) => {
  if (!services.mailer.isConfigured)
    throw new DomainError('conflict', 'This installation sends no mail: ask its operator for a link.');
};

/** The e-mail address and the name of a user, which must not be used as the password. */
const personalWordsOf = async (db: Db, id: string): Promise<string[]> => {
  const user = await db
    .selectFrom('user')
    .select(['email', 'display_name as name'])
    .where('id', '=', id)
    .executeTakeFirst();
  return user ? [user.email, user.name] : [];
};

/** Signing in and out, passwords, e-mail verification and invites. */
export const authRouter = router({
  signIn: browserProcedure
    .meta(
      route.post('/auth/sign-in', 'Sign in with a password', 'signIn', {
        public: true,
        denials: [401, 403],
        description:
          'Opens a session, which the browser keeps as a cookie; only pages of this service may do so. 401 if the e-mail address or the password is wrong, 429 after too many attempts.',
      }),
    )
    .input(
      z.object({
        email: z.string().max(1000).describe('The e-mail address of the account.'),
        password: Password.describe('The password of the account.'),
        returnTo: ReturnTo.describe('The path on this service that the browser is sent to afterwards.'),
      }),
    )
    .output(SignInObject)
    .mutation(async ({ ctx, input: { returnTo, ...given } }) => {
      const verified = await authenticateByPassword(ctx, given);
      return presentSignIn(
        await completeSignIn(ctx, { ...verified, method: 'password', secondFactor: false, returnTo }),
      );
    }),

  signOut: browserProcedure
    .meta(
      route.post('/auth/sign-out', 'Sign out', 'signOut', {
        public: true,
        denials: [403],
        success: 204,
        description: 'Ends the session of the browser, if it has one.',
      }),
    )
    .input(z.object({}))
    .output(z.void())
    .mutation(({ ctx }) => signOut(ctx)),

  requestPasswordLink: browserProcedure
    .meta(
      route.post('/auth/password-links', 'Request a link to choose a new password', 'requestPasswordLink', {
        public: true,
        denials: [403],
        success: 204,
        description:
          'Sent by mail if there is a user with this address; the response does not reveal whether there is. Nothing is sent to an address without a public domain, such as admin@localhost. 409 if the installation sends no mail.',
      }),
    )
    .input(
      z.object({
        email: AccountEmail.describe('The e-mail address that the link is sent to, if it has an account.'),
        language: z.string().max(35).optional().describe('The language of the mail.'),
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { email, language } }) => {
      requireMailer(ctx);
      const { db, services, browser } = ctx;
      await services.attempts.count(db, mailAttempt(email, browser.address));
      // A mail server would deliver mail for admin@localhost to a mailbox of its own, which may be somebody else's.
      // guard: password-link-local-address
      if (normalizeEmail(email) === undefined) return;
      // Whether there is such a user is looked up when it is sent.
      await services.jobs.enqueue(db, 'send-mail', { data: { kind: 'password-reset', email, language } });
    }),

  setPassword: browserProcedure
    .meta(
      route.post('/auth/password', 'Choose a password with a link', 'setPasswordWithLink', {
        public: true,
        denials: [403, 404],
        description:
          'Takes the secret of a link, which works only once, ends all sessions of the user, and signs them in. 404 for a link that has expired or has been used.',
      }),
    )
    .input(
      z.object({
        secret: Secret.describe('The secret of the link in the mail.'),
        password: NewPassword.describe('The new password.'),
        returnTo: ReturnTo.describe('The path on this service that the browser is sent to afterwards.'),
      }),
    )
    .output(SignInObject)
    .mutation(async ({ ctx, input: { secret, password, returnTo } }) => {
      const { db, services, browser } = ctx;
      const link = await findPasswordLink(db, secret);
      if (!link?.user) throw expiredLink();
      const about = await personalWordsOf(db, link.user);
      const hash = await hashNewPassword(services, password, { address: browser.address, about });
      const user = await transact(ctx, (em) => setPasswordByLink(em, secret, hash));
      return presentSignIn(
        await completeSignIn(ctx, { user, method: 'link', secondFactor: false, returnTo }),
      );
    }),

  changePassword: authenticatedProcedure
    .meta(
      route.put('/user/password', "Change the caller's password", 'changePasswordOfAuthenticatedUser', {
        success: 204,
        description:
          'Ends all other sessions. `current` is required if the user has a password; a first password can be set only in a session, or with a link.',
      }),
    )
    .input(
      z.object({
        current: Password.optional().describe('The current password.'),
        password: NewPassword.describe('The new password.'),
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { current, password } }) => {
      requireUnrestrictedCredential(ctx.actor);
      const { db, services, actor } = ctx;
      const { user, credential } = actor;
      const address = ctx.origin?.().address ?? '';
      let verified: VerifiedPassword | undefined;
      if ((await passwordOf(db, user.id)) === undefined) {
        if (credential.kind !== 'session')
          throw new DomainError(
            'forbidden',
            'A first password can be set only in a session, or with a link.',
          );
      } else {
        if (current === undefined)
          throw new DomainError('invalid', 'The current password is required.', [
            { path: 'current', message: 'is required' },
          ]);
        verified = await requirePassword(db, services, { user: user.id, password: current, address });
      }
      const about = [user.email, user.displayName];
      const hash = await hashNewPassword(services, password, { address, about });
      const kept = credential.kind === 'session' ? credential.id : undefined;
      await transact(ctx, async (em) => {
        const db = kyselyOf(em);
        await lockCaller(db, actor);
        // guard: password-change-meanwhile
        if (verified && !(await isPasswordUnchanged(db, verified))) throw wrongPassword();
        // guard: first-password-meanwhile
        if (!verified && (await passwordOf(db, user.id)))
          throw new DomainError('conflict', 'A password has been set meanwhile.');
        await setPassword(em, user.id, hash, kept);
      });
    }),

  requestVerification: userProcedure
    .meta(
      route.post(
        '/user/email-verification',
        "Request a mail that verifies the caller's e-mail address",
        'requestEmailVerification',
        {
          success: 204,
          description:
            '409 if the installation sends no mail, or for an address without a public domain, such as admin@localhost.',
        },
      ),
    )
    .input(z.object({ language: z.string().max(35).optional().describe('The language of the mail.') }))
    .output(z.void())
    .mutation(async ({ ctx, input: { language } }) => {
      requireUnrestrictedCredential(ctx.actor);
      requireMailer(ctx);
      const { db, services, actor } = ctx;
      // guard: verification-local-address
      if (normalizeEmail(actor.user.email) === undefined)
        throw new DomainError('conflict', 'No mail is sent to an address without a public domain.');
      await services.attempts.count(db, mailAttempt(actor.user.email, ctx.origin?.().address ?? ''));
      const data = { kind: 'email-verification' as const, user: actor.user.id, language };
      await services.jobs.enqueue(db, 'send-mail', { data });
    }),

  verifyEmail: userProcedure
    .meta(
      route.post('/auth/email-verification', "Verify the caller's e-mail address", 'verifyEmail', {
        success: 204,
        denials: [403, 404],
        description:
          "Takes the secret of a link, which works only once. 403 for a link of another user's account.",
      }),
    )
    .input(z.object({ secret: Secret.describe('The secret of the link in the mail.') }))
    .output(z.void())
    .mutation(async ({ ctx, input: { secret } }) => {
      requireUnrestrictedCredential(ctx.actor);
      await verifyEmailByLink(ctx.em, ctx.actor.user.id, secret);
    }),

  getInvite: browserProcedure
    .meta(
      route.get('/auth/invites/{secret}', 'Get an invite', 'getInvite', {
        public: true,
        denials: [403, 404],
        description: 'Takes the secret of an invite link, or of the link in a mail.',
      }),
    )
    .input(
      z.object({ secret: Secret.describe('The secret of the invite link, or of the link in the mail.') }),
    )
    .output(
      z.object({
        organization: z
          .object({
            id: z.string().describe('An opaque identifier that never changes.'),
            title: z.string().describe('The title, as shown to users.'),
          })
          .describe('The organization that the invite is for.'),
        email: z
          .string()
          .optional()
          .describe('The e-mail address that it was sent to; absent for an invite link.'),
      }),
    )
    .query(async ({ ctx, input: { secret } }) => {
      const { organization, email } = await findInviteBySecret(ctx.db, secret);
      return { organization, ...(email !== null && { email }) };
    }),

  acceptInvite: userProcedure
    .meta(
      route.post('/auth/invites/{secret}', 'Accept an invite', 'acceptInvite', {
        success: 204,
        description:
          "Accepts it for the caller. An invite that was sent to the caller's own address verifies it.",
      }),
    )
    .input(
      z.object({ secret: Secret.describe('The secret of the invite link, or of the link in the mail.') }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { secret } }) => {
      requireUnrestrictedCredential(ctx.actor);
      await acceptInviteBySecret(ctx.em, ctx.actor.user, secret);
    }),

  createAccount: browserProcedure
    .meta(
      route.post('/auth/accounts', 'Create an account with an invite', 'createAccount', {
        public: true,
        denials: [403, 404],
        description:
          'Creates a user who accepts the invite, and signs them in. 409 if a user has the e-mail address: they have to sign in and accept it.',
      }),
    )
    .input(
      z.object({
        invite: Secret.describe('The secret of the invite.'),
        displayName: text({ min: 1, max: 64 }).describe('The name that others see.'),
        email: EmailAddress.optional().describe(
          'The e-mail address of the new account; required with an invite link.',
        ),
        password: NewPassword.describe('The password of the new account.'),
      }),
    )
    .output(SignInObject)
    .mutation(async ({ ctx, input }) => {
      const { db, services, browser } = ctx;
      const { invite: secret, displayName, password } = input;
      const invite = await findInviteBySecret(db, secret);
      const email = invite.email ?? input.email;
      if (email === undefined)
        throw new DomainError('invalid', 'The e-mail address is required.', [
          { path: 'email', message: 'is required' },
        ]);
      const about = [email, displayName];
      const hash = await hashNewPassword(services, password, { address: browser.address, about });
      const user = await transact(ctx, (em) =>
        createInvitedUser(em, services, { invite, secret }, { displayName, email, hash }),
      );
      return presentSignIn(await completeSignIn(ctx, { user, method: 'password', secondFactor: false }));
    }),
});
