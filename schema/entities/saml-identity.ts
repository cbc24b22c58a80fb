import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { SamlProvider } from './saml-provider.ts';
import { User } from './user.ts';

/** A user's identity at a SAML provider: after the first sign-in, they are recognized by it alone. */
export const SamlIdentity = defineEntity({
  name: 'SamlIdentity',
  tableName: 'saml_identity',
  primaryKeys: ['provider', 'nameId'],
  uniques: [{ name: 'saml_identity_user', properties: ['user', 'provider'] }],
  properties: {
    provider: () => p.manyToOne(SamlProvider).mapToPk().primary().deleteRule('cascade'),
    /** The NameID, as the provider writes it. */
    nameId: p.text().primary(),
    user: () => p.manyToOne(User).mapToPk().deleteRule('cascade'),
    createdAt: createdAt(),
  },
});
export type SamlIdentity = InferEntity<typeof SamlIdentity>;
