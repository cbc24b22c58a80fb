import { z } from 'zod';
import { UserIdentity } from '../../schema/entities/user-identity.ts';
import { columnsOf } from '../../schema/rows.ts';
import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import { userProcedure } from '../access/procedures.ts';
import { isoTime, Removal } from '../base/common-schemas.ts';
import { publicProcedure, router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { oidcPath } from './oidc.operation.ts';
import { route } from './route.ts';

const ProviderObject = z
  .object({
    name: z.string().describe('The name of the provider in URLs.'),
    label: z.string().describe('The name, as shown to users.'),
    startURL: z
      .string()
      .describe('The URL to send the browser to; add `returnTo` to its query for the path to come back to.'),
  })
  .meta({ id: 'IdentityProvider', description: 'A provider that people can sign in with.' });

const IdentityObject = z
  .object({
    object: z.literal('identity').describe('The type of the object: always `identity`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    issuer: z.string().describe('The issuer that identifies the account.'),
    email: z.string().describe('The verified e-mail address by which it was linked.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    lastUsedAt: z.string().describe('When it was last used to sign in.'),
  })
  .meta({ id: 'Identity', description: "The caller's account at an identity provider." });

/** Identity providers, and the caller's accounts at them. */
export const identitiesRouter = router({
  providers: publicProcedure
    .meta(
      route.get('/auth/providers', 'List the identity providers', 'listIdentityProviders', {
        public: true,
        description: 'Lists the providers of the installation, without the SAML providers of organizations.',
      }),
    )
    .input(z.object({}))
    .output(z.object({ items: z.array(ProviderObject).describe('The objects, in order.') }))
    .query(({ ctx: { services } }) => ({
      items: services.identityProviders.list.map(({ name, label }) => ({
        name,
        label,
        startURL: services.urls.absolute(oidcPath(name, 'start')),
      })),
    })),

  list: userProcedure
    .meta(
      route.get(
        '/user/identities',
        "List the caller's accounts at identity providers",
        'listIdentitiesOfAuthenticatedUser',
        { description: 'Lists the accounts that the caller can sign in with.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(IdentityObject))
    .query(async ({ ctx, input }) => {
      requireUnrestrictedCredential(ctx.actor);
      const mine = ctx.db.selectFrom('user_identity').where('user_id', '=', ctx.actor.user.id);
      return readPage(ctx, input, {
        rows: mine.select(columnsOf(UserIdentity)),
        order: [{ column: 'user_identity.id', direction: 'desc', of: (row) => row.id }],
        present: ({ id, issuer, email, createdAt, lastUsedAt }) => ({
          object: 'identity' as const,
          id,
          issuer,
          email,
          createdAt: isoTime(createdAt),
          lastUsedAt: isoTime(lastUsedAt),
        }),
      });
    }),

  remove: userProcedure
    .meta(
      route.delete(
        '/user/identities/{identityId}',
        "Unlink one of the caller's accounts at identity providers",
        'deleteIdentityOfAuthenticatedUser',
        {
          description:
            "Signing in with it links it again, if its e-mail address is verified and is the user's.",
        },
      ),
    )
    .input(z.object({ identityId: z.string().describe('The id of the linked account.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { identityId } }) => {
      requireUnrestrictedCredential(ctx.actor);
      const removed = await deleteRows(ctx.db, 'user_identity', {
        id: identityId,
        user_id: ctx.actor.user.id,
      });
      if (removed === 0) throw notFound('identity');
      recordAccountAction(ctx.em, ctx.actor.user.id, {
        action: 'identity.unlinked',
        targetType: 'identity',
        target: identityId,
      });
      return { removed: true };
    }),
});
