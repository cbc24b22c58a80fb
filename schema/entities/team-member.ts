import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { TEAM_ROLES } from '../enums.ts';
import { Team } from './team.ts';
import { User } from './user.ts';

/** A user's membership of a team; an owner may manage it. */
export const TeamMember = defineEntity({
  name: 'TeamMember',
  tableName: 'team_member',
  primaryKeys: ['team', 'user'],
  indexes: [
    { name: 'team_member_list', properties: ['team', 'createdAt', 'user'] },
    { name: 'team_member_user', properties: ['user', 'team'] },
  ],
  properties: {
    team: () => p.manyToOne(Team).mapToPk().primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).mapToPk().primary().deleteRule('cascade'),
    role: p.enum(TEAM_ROLES),
    createdAt: createdAt(),
  },
});
export type TeamMember = InferEntity<typeof TeamMember>;
