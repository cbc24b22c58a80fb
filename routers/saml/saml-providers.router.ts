import { z } from 'zod';
import { SamlProvider } from '../../schema/entities/saml-provider.ts';
import { newId } from '../../schema/ids.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { isId } from '../../schema/json/id.ts';
import { text } from '../../schema/json/text.ts';
import { organizationProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import { endSessionsOfProvider } from '../auth/sessions.operation.ts';
import { NullableRole, Removal } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { publicProcedure, router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { requireSsoAdmin } from '../organizations/sso.operation.ts';
import { requireTeam } from '../people/teams.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { CertificateError, normalizeCertificates } from './certificates.ts';
import { route } from './route.ts';
import {
  presentSamlProvider,
  presentSsoLogin,
  SamlProviderObject,
  SsoLoginObject,
} from './saml-providers.api.ts';
import { isActive, providersWithTeams, samlProvidersOf, withTeam } from './saml-providers.query.ts';

/** The maximum of identity providers of one organization. */
const MAX_PROVIDERS = 20;

const PROVIDERS = '/orgs/{organizationId}/saml';
const PROVIDER = `${PROVIDERS}/{samlProviderId}` as const;

const Label = text({ min: 1, max: 30 });

const MAX_CERTIFICATE = 10_000;

/** As PEM; empty for none. */
const Certificate = text({ max: MAX_CERTIFICATE }).transform((given, context) => {
  if (given.trim() === '') return '';
  try {
    const pem = normalizeCertificates(given);
    if (pem.length > MAX_CERTIFICATE)
      throw new CertificateError(`is longer than ${MAX_CERTIFICATE} characters as PEM`);
    return pem;
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

const fields = {
  entityID: text({ max: 1024 }).optional().describe('The entity id of the identity provider.'),
  certificate: Certificate.optional().describe(
    'The certificate that the provider signs with, as PEM or base64; several, concatenated as PEM, while it changes its key.',
  ),
  ssoURL: z
    .union([HttpUrl, z.literal('')])
    .optional()
    .describe('The SSO URL of the identity provider.'),
  defaultTeam: z.string().optional().describe('The id of the team that new members join.'),
  defaultRole: NullableRole.optional().describe('The role that new members get; null makes them guests.'),
};

const aboutOne = z.object({ samlProviderId: z.string().describe('The id of the SAML provider.') });

async function readProvider(db: Db, viewer: Viewer, organization: string, id: string) {
  const row = await providersWithTeams(db, organization, viewer)
    .where('saml_provider.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('SAML provider');
  return presentSamlProvider(withTeam(row), viewer);
}

export const samlProvidersRouter = router({
  list: organizationProcedure('viewSamlProviders')
    .meta(
      route.get(PROVIDERS, 'List the SAML providers', 'listSAMLProvidersInOrganizationById', {
        description: 'Lists the SAML identity providers of the organization.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(SamlProviderObject))
    .query(async ({ ctx, input }) => {
      const { organizationId: organization } = input;
      return readPage(ctx, input, {
        rows: providersWithTeams(ctx.db, organization, ctx.viewer),
        count: samlProvidersOf(ctx.db, organization),
        order: [{ column: 'saml_provider.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentSamlProvider(withTeam(row), ctx.viewer),
      });
    }),

  create: organizationProcedure('admin')
    .meta(
      route.post(PROVIDERS, 'Create a SAML provider', 'createOrganizationSAMLProvider', {
        success: 201,
        description: 'The provider is pending until its entity id, certificate and SSO URL are all set.',
      }),
    )
    .input(z.object({ label: Label.describe('The name, as shown to users.'), ...fields }))
    .output(SamlProviderObject)
    .mutation(async ({ ctx, input }) => {
      const { em, db, viewer } = ctx;
      const { organizationId: organization, label, entityID, certificate, ssoURL, ...members } = input;
      await lockOrganizations(db, organization);
      const { count } = await samlProvidersOf(db, organization)
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow();
      // guard: saml-provider-limit
      if (Number(count) >= MAX_PROVIDERS)
        throw new DomainError(
          'conflict',
          `An organization can have at most ${MAX_PROVIDERS} SAML providers.`,
        );
      await requireTeam(db, organization, members.defaultTeam);
      const provider = em.create(SamlProvider, {
        id: newId(),
        organization,
        label,
        entityId: entityID ?? '',
        certificate: certificate ?? '',
        ssoUrl: ssoURL ?? '',
        defaultTeam: members.defaultTeam ?? null,
        defaultRole: members.defaultRole ?? null,
      });
      await em.flush();
      recordEvent(em, { type: 'saml_provider.created', organization, samlProvider: provider.id });
      return readProvider(db, viewer, organization, provider.id);
    }),

  get: organizationProcedure('viewSamlProviders')
    .meta(
      route.get(PROVIDER, 'Get a SAML provider', 'getOrganizationSAMLProviderById', {
        description:
          'Returns the settings of the provider, and the values to configure at the identity provider.',
      }),
    )
    .input(aboutOne)
    .output(SamlProviderObject)
    .query(({ ctx, input }) => readProvider(ctx.db, ctx.viewer, input.organizationId, input.samlProviderId)),

  update: organizationProcedure('admin')
    .meta(
      route.patch(PROVIDER, 'Update a SAML provider', 'updateOrganizationSAMLProvider', {
        description:
          'If the entity id, certificate or SSO URL is emptied, the provider becomes pending, and sessions that were started with it end.',
      }),
    )
    .input(
      aboutOne.extend({
        label: Label.optional().describe('The name, as shown to users.'),
        ...fields,
        defaultTeam: z
          .string()
          .nullable()
          .optional()
          .describe('The id of the team that new members join; null for none.'),
      }),
    )
    .output(SamlProviderObject)
    .mutation(async ({ ctx, input }) => {
      const { em, db, viewer } = ctx;
      const { organizationId: organization, samlProviderId: id, entityID, ssoURL, ...changes } = input;
      await lockOrganizations(db, organization);
      await requireTeam(db, organization, changes.defaultTeam);
      const provider = await em.findOne(SamlProvider, { id, organization });
      if (!provider) throw notFound('SAML provider');
      em.assign(provider, {
        ...changes,
        ...(entityID !== undefined && { entityId: entityID }),
        ...(ssoURL !== undefined && { ssoUrl: ssoURL }),
      });
      await em.flush();
      await requireSsoAdmin(db, organization);
      if (!provider.entityId || !provider.certificate || !provider.ssoUrl)
        await endSessionsOfProvider(em, provider);
      recordEvent(em, { type: 'saml_provider.updated', organization, samlProvider: id });
      return readProvider(db, viewer, organization, id);
    }),

  delete: organizationProcedure('admin')
    .meta(
      route.delete(PROVIDER, 'Delete a SAML provider', 'deleteOrganizationSAMLProvider', {
        description: 'Members who joined with it stay members; sessions that were started with it end.',
      }),
    )
    .input(aboutOne)
    .output(Removal)
    .mutation(async ({ ctx, input: { organizationId: organization, samlProviderId: id } }) => {
      await lockOrganizations(ctx.db, organization);
      const removed = await deleteRows(ctx.db, 'saml_provider', { id, organization_id: organization });
      if (removed === 0) throw notFound('SAML provider');
      await requireSsoAdmin(ctx.db, organization);
      // guard: sso-provider-sessions
      await endSessionsOfProvider(ctx.em, { id, organization });
      recordEvent(ctx.em, { type: 'saml_provider.deleted', organization, samlProvider: id });
      return { removed: true };
    }),

  listLogins: publicProcedure
    .meta(
      route.get('/orgs/{organizationId}/sso', 'List the SSO logins', 'listSSOProviderLoginsInOrganization', {
        public: true,
        description: 'Lists the active SAML providers, for users who are about to sign in.',
      }),
    )
    .input(z.object({ organizationId: z.string().describe('The id of the organization.') }))
    .output(z.object({ items: z.array(SsoLoginObject).describe('The objects, in order.') }))
    .query(async ({ ctx: { db, services }, input: { organizationId: id } }) => {
      if (!isId(id)) throw notFound('organization');
      const rows = await db
        .selectFrom('organization')
        .leftJoin('saml_provider', (join) =>
          join.onRef('saml_provider.organization_id', '=', 'organization.id').on(isActive),
        )
        .select(['saml_provider.id', 'saml_provider.label'])
        .where('organization.id', '=', id)
        .orderBy('saml_provider.id', 'desc')
        .execute();
      if (rows.length === 0) throw notFound('organization');
      const items = rows.flatMap(({ id, label }) =>
        id !== null && label !== null ? [presentSsoLogin({ id, label }, services.urls)] : [],
      );
      return { items };
    }),
});
