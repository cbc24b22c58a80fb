import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from '../columns.ts';
import { Organization } from './organization.ts';

/** A named set of members, to which access is granted at once. */
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
