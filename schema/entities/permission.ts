import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { ROLES } from '../enums.ts';
import { Collection } from './collection.ts';
import { Organization } from './organization.ts';
import { Site } from './site.ts';
import { Space } from './space.ts';
import { Team } from './team.ts';
import { User } from './user.ts';

/** A level granted to one user or one team on one collection (and everything below it), one space or one site. */
export const Permission = defineEntity({
  name: 'Permission',
  tableName: 'permission',
  checks: [
    { name: 'permission_subject', expression: 'num_nonnulls(user_id, team_id) = 1' },
    { name: 'permission_content', expression: 'num_nonnulls(collection_id, space_id, site_id) = 1' },
  ],
  uniques: [
    { name: 'permission_collection_user', properties: ['collection', 'user'] },
    { name: 'permission_collection_team', properties: ['collection', 'team'] },
    { name: 'permission_space_user', properties: ['space', 'user'] },
    { name: 'permission_space_team', properties: ['space', 'team'] },
    { name: 'permission_site_user', properties: ['site', 'user'] },
    { name: 'permission_site_team', properties: ['site', 'team'] },
  ],
  indexes: [
    { name: 'permission_of_user', properties: ['organization', 'user'], where: '"user_id" is not null' },
    { name: 'permission_of_team', properties: ['team'], where: '"team_id" is not null' },
    {
      name: 'permission_on_collection',
      properties: ['collection', 'id'],
      where: '"collection_id" is not null',
    },
    { name: 'permission_on_space', properties: ['space', 'id'], where: '"space_id" is not null' },
    { name: 'permission_on_site', properties: ['site', 'id'], where: '"site_id" is not null' },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    user: () => p.manyToOne(User).mapToPk().nullable().deleteRule('cascade'),
    team: () => p.manyToOne(Team).mapToPk().nullable().deleteRule('cascade'),
    collection: () => p.manyToOne(Collection).mapToPk().nullable().deleteRule('cascade'),
    space: () => p.manyToOne(Space).mapToPk().nullable().deleteRule('cascade'),
    site: () => p.manyToOne(Site).mapToPk().nullable().deleteRule('cascade'),
    role: p.enum(ROLES),
    createdAt: createdAt(),
  },
});
export type Permission = InferEntity<typeof Permission>;
