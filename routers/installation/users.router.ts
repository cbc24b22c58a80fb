import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { User } from '../../schema/entities/user.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { issuePasswordLink, LINK_LIFETIME, linkPath } from '../auth/links.operation.ts';
import { removePasskeys } from '../auth/passkeys.operation.ts';
import { hashNewPassword, setPassword } from '../auth/password.operation.ts';
import { removeSecondFactor } from '../auth/second-factor.operation.ts';
import { endSessionsOf, setUserDisabled } from '../auth/sessions.operation.ts';
import { isoTime, NullableRole, Removal } from '../base/common-schemas.ts';
import { EmailAddress, normalizeAccountEmail } from '../base/email-addresses.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockUser } from '../people/lock-caller.operation.ts';
import { addMember } from '../people/members.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { eraseUser } from './erase-user.operation.ts';
import { InstalledUserObject, LinkObject, presentInstalledUser } from './installation.api.ts';
import { lookUpOrganization, lookUpUser } from './lookup.operation.ts';

const UserName = z.string().describe('The id or e-mail address of the user.');

export const installationUsersRouter = router({
  list: operatorProcedure
    .input(z.object(paging))
    .output(listOf(InstalledUserObject))
    .query(async ({ ctx, input }) => {
      return readPage(ctx, input, {
        rows: ctx.db.selectFrom('user').select(columnsOf(User)),
        order: [{ column: 'user.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentInstalledUser(row, ctx.services.urls),
      });
    }),

  create: operatorProcedure
    .input(
      z.object({
        email: EmailAddress,
        displayName: text({ min: 1, max: 255 }),
        member: z
          .object({
            organization: z.string().describe('The id or title of the organization.'),
            role: NullableRole,
          })
          .optional()
          .describe('The organization to add the user to, and the role there.'),
      }),
    )
    .output(InstalledUserObject)
    .mutation(async ({ ctx, input: { email, displayName, member } }) => {
      // The operator vouches for the address.
      const user = ctx.em.create(User, { email, displayName, emailVerifiedAt: new Date() });
      if (member) {
        const organization = await lookUpOrganization(ctx.em, member.organization);
        addMember(ctx.em, { organization: organization.id, user: user.id }, member.role);
      }
      try {
        await ctx.em.flush();
      } catch (error) {
        if (!(error instanceof UniqueConstraintViolationException)) throw error;
        throw new DomainError('conflict', 'A user with this e-mail address already exists.');
      }
      recordAccountAction(ctx.em, user.id, { action: 'user.created', targetType: 'user', target: user.id });
      return presentInstalledUser(user, ctx.services.urls);
    }),

  /** Removes a user from all organizations, and erases their personal data. */
  erase: operatorProcedure
    .input(
      z.object({
        user: UserName,
        confirm: z
          .string()
          .describe('The e-mail address again, to confirm: an erased user cannot be restored.'),
      }),
    )
    .output(z.object({ user: z.string(), auditEvents: z.number().int() }))
    .mutation(async ({ ctx, input: { user: named, confirm } }) => {
      const user = await lookUpUser(ctx.em, named);
      // guard: erase-confirmed
      if (normalizeAccountEmail(confirm) !== user.email)
        throw new DomainError('invalid', 'The confirmation is not the e-mail address of the user.');
      return { user: user.id, auditEvents: await eraseUser(ctx.em, user.id) };
    }),

  /** Disables or enables a user. A disabled user has no access, and their sessions end for good. */
  setDisabled: operatorProcedure
    .input(z.object({ user: UserName, disabled: z.boolean() }))
    .output(InstalledUserObject)
    .mutation(async ({ ctx, input: { user, disabled } }) => {
      const { id } = await lookUpUser(ctx.em, user);
      return presentInstalledUser(await setUserDisabled(ctx.em, id, disabled), ctx.services.urls);
    }),

  /** Creates a link by which the user chooses a password, and is signed in. */
  createPasswordLink: operatorProcedure
    .input(z.object({ user: UserName }))
    .output(LinkObject)
    .mutation(async ({ ctx, input }) => {
      const { id } = await lookUpUser(ctx.em, input.user);
      const link = await issuePasswordLink(ctx.db, id, { lifetime: LINK_LIFETIME.operator });
      const url = ctx.services.urls.absolute(linkPath('password', link.secret));
      return { url, expiresAt: isoTime(link.expiresAt) };
    }),

  setPassword: operatorProcedure
    .input(z.object({ user: UserName, password: z.string() }))
    .output(z.void())
    .mutation(async ({ ctx, input: { user, password } }) => {
      const { id, email, displayName } = await lookUpUser(ctx.em, user);
      const about = [email, displayName];
      const hash = await hashNewPassword(ctx.services, password, { address: 'operator', about });
      await setPassword(ctx.em, id, hash);
    }),

  /** Removes the app, the recovery codes and the passkeys of a user who has lost them, and ends their sessions. */
  removeSecondFactor: operatorProcedure
    .input(z.object({ user: UserName }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const { id } = await lookUpUser(ctx.em, input.user);
      await lockUser(ctx.db, id);
      const hadApp = await removeSecondFactor(ctx.em, id);
      const removed = (await removePasskeys(ctx.em, id)) > 0 || hadApp;
      if (removed) await endSessionsOf(ctx.em, id);
      return { removed };
    }),
});
