import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, timestamp } from '../columns.ts';
import { ROLES } from '../enums.ts';
import { Collection } from './collection.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';
import { Team } from './team.ts';

/**
 * An invite to an organization: for the user with a verified e-mail address, or a link for whoever has its secret. It is
 * removed once it is used up or revoked.
 */
export const Invite = defineEntity({
  name: 'Invite',
  tableName: 'invite',
  checks: [
    { name: 'invite_holder', expression: 'num_nonnulls(email, hash) = 1' },
    {
      name: 'invite_level',
      expression: 'num_nonnulls(collection_id, space_id) = num_nonnulls(level)',
    },
  ],
  uniques: [{ name: 'invite_email', properties: ['organization', 'email'] }],
  indexes: [
    { name: 'invite_address', properties: ['email'], where: '"email" is not null' },
    { name: 'invite_email_list', properties: ['organization', 'id'], where: '"email" is not null' },
    { name: 'invite_link_list', properties: ['organization', 'id'], where: '"hash" is not null' },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** In lower case, as in `User`. */
    email: p.text().nullable(),
    /** SHA-256 of the secret of a link. */
    hash: p.text().nullable().unique(),
    /** The role in the organization; null for guests. */
    role: p.enum(ROLES).nullable(),
    /** A team that new members are added to. */
    team: () => p.manyToOne(Team).mapToPk().nullable().deleteRule('set null').index(),
    /** The collection or space that a link grants a level on. */
    collection: () => p.manyToOne(Collection).mapToPk().nullable().deleteRule('cascade').index(),
    space: () => p.manyToOne(Space).mapToPk().nullable().deleteRule('cascade').index(),
    level: p.enum(ROLES).nullable(),
    /** Whether those who accept it become members who sign in with SSO. */
    sso: p.boolean().default(false),
    /** Whether it can be accepted only once. */
    singleUse: p.boolean().default(false),
    expiresAt: timestamp().nullable(),
    createdAt: createdAt(),
  },
});
export type Invite = InferEntity<typeof Invite>;
