import { z } from 'zod';
import type { SamlProvider } from '../../schema/entities/saml-provider.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, NullableRole } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { presentTeam, TeamObject, type TeamRow } from '../people/teams.api.ts';
import { certificateInfoOf } from './certificates.ts';

/** The public object of an identity provider; fields that are not set yet are empty. */
export const SamlProviderObject = z
  .object({
    object: z.literal('saml-provider').describe('The type of the object: always `saml-provider`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    label: z.string().describe('The name, as shown to users.'),
    ssoURL: z
      .string()
      .describe('The SSO URL of the identity provider, which receives authentication requests.'),
    entityID: z.string().describe('The entity id of the identity provider.'),
    certificate: z.string().describe('The certificates that the provider signs with, as PEM.'),
    certificates: z
      .array(
        z.object({
          subject: z.string().describe('The subject of the certificate.'),
          fingerprint: z.string().describe('The SHA-256 fingerprint.'),
          expiresAt: z.string().describe('When it stops being valid, in ISO 8601 UTC.'),
        }),
      )
      .describe('The certificates in `certificate`: several while the provider changes its key.'),
    defaultTeam: TeamObject.optional().describe('The team that new members join.'),
    defaultRole: NullableRole.describe('The role that new members get; null makes them guests.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    status: z
      .enum(['pending', 'active'])
      .describe('Active once entity id, certificate and SSO URL are all set.'),
    service: z
      .object({
        acsURL: z
          .string()
          .describe('The assertion consumer service URL, which receives the responses of the provider.'),
        startURL: z.string().describe('The URL at which users start to sign in.'),
        entityID: z.string().describe('The entity id of this service.'),
      })
      .describe('The values to configure at the identity provider.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'OrganizationSAMLProvider', description: 'A SAML identity provider of an organization.' });

/** What anyone can read of an active provider, in order to sign in with it. */
export const SsoLoginObject = z
  .object({
    id: z.string().describe('An opaque identifier that never changes.'),
    label: z.string().describe('The name, as shown to users.'),
    startURL: z.string().describe('The URL at which users start to sign in.'),
  })
  .meta({ id: 'OrganizationSSOProviderLogin', description: 'A way to sign in to an organization.' });

/** A provider with its team, as `presentTeam` needs it. */
export type SamlProviderRow = Presentable<SamlProvider> & { team: TeamRow | null };

/** The URLs of this service for one provider. */
export interface SamlService {
  acsURL: string;
  startURL: string;
  entityID: string;
}

export const serviceOf = (urls: Urls, id: string): SamlService => {
  const at = (path: string) => urls.absolute(`/auth/saml/${id}/${path}`);
  return { acsURL: at('acs'), startURL: at('start'), entityID: at('metadata') };
};

export const presentSamlProvider = (
  provider: SamlProviderRow,
  viewer: Viewer,
): z.infer<typeof SamlProviderObject> => {
  const { id, ssoUrl: ssoURL, entityId: entityID, certificate } = provider;
  return {
    object: 'saml-provider',
    id,
    label: provider.label,
    ssoURL,
    entityID,
    certificate,
    certificates: certificateInfoOf(certificate),
    defaultTeam: provider.team ? presentTeam(provider.team, viewer) : undefined,
    defaultRole: provider.defaultRole ?? null,
    createdAt: isoTime(provider.createdAt),
    status: ssoURL && entityID && certificate ? 'active' : 'pending',
    service: serviceOf(viewer.urls, id),
    urls: { location: viewer.urls.location('orgs', provider.organization, 'saml', id) },
  };
};

export const presentSsoLogin = (
  { id, label }: Pick<Presentable<SamlProvider>, 'id' | 'label'>,
  urls: Urls,
): z.infer<typeof SsoLoginObject> => ({ id, label, startURL: serviceOf(urls, id).startURL });
