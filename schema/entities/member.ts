import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, timestamp } from '../columns.ts';
import { ROLES } from '../enums.ts';
import { Organization } from './organization.ts';
import { User } from './user.ts';

/** A user's membership of an organization. */
export const Member = defineEntity({
  name: 'Member',
  tableName: 'member',
  primaryKeys: ['organization', 'user'],
  indexes: [
    { name: 'member_of', properties: ['user', 'organization'] },
    { name: 'member_joined', properties: ['organization', 'joinedAt', 'user'] },
    { name: 'member_role', properties: ['organization', 'role', 'joinedAt', 'user'] },
    {
      name: 'member_seen',
      properties: ['organization', 'lastSeenAt', 'user'],
      where: '"last_seen_at" is not null',
    },
  ],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    /** Null for guests, who have no default access, only what is granted to them. */
    role: p.enum(ROLES).nullable(),
    disabled: p.boolean().default(false),
    sso: p.boolean().default(false),
    joinedAt: createdAt(),
    lastSeenAt: timestamp().nullable(),
  },
});
export type Member = InferEntity<typeof Member>;
