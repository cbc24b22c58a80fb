import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { ROLES } from '../enums.ts';
import { Organization } from './organization.ts';
import { Team } from './team.ts';

/** An organization's SAML identity provider: active once entity id, certificate and SSO URL are set. */
export const SamlProvider = defineEntity({
  name: 'SamlProvider',
  tableName: 'saml_provider',
  indexes: [{ name: 'saml_provider_list', properties: ['organization', 'id'] }],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    label: p.text(),
    /** Empty until they are set. */
    entityId: p.text().default(''),
    ssoUrl: p.text().default(''),
    /** PEM: one certificate, or several while the provider changes its key. */
    certificate: p.text().default(''),
    /** The team and role of members who join by signing in with it; without a role they are guests. */
    defaultTeam: () => p.manyToOne(Team).mapToPk().nullable().deleteRule('set null').index(),
    defaultRole: p.enum(ROLES).nullable(),
    createdAt: createdAt(),
  },
});
export type SamlProvider = InferEntity<typeof SamlProvider>;
