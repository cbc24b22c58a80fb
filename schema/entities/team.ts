import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { Organization } from './organization.ts';

/** A named group of members that can be granted access together. */
export const Team = defineEntity({
  name: 'Team',
  tableName: 'team',
  indexes: [{ name: 'team_list', properties: ['organization', 'id'] }],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    title: p.text(),
    createdAt: createdAt(),
  },
});
export type Team = InferEntity<typeof Team>;
