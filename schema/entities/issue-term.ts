import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Organization } from './organization.ts';

/** A keyword, and how many issues of an organization have it. */
export const IssueTerm = defineEntity({
  name: 'IssueTerm',
  tableName: 'issue_term',
  primaryKeys: ['organization', 'term'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    term: bytewise().primary(),
    issues: p.integer(),
  },
});
export type IssueTerm = InferEntity<typeof IssueTerm>;
