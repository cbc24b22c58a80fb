import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { Organization } from './organization.ts';

/** The similarity index of an organization's issues. Its row is locked by whoever changes issues or clusters. */
export const IssueIndex = defineEntity({
  name: 'IssueIndex',
  tableName: 'issue_index',
  primaryKeys: ['organization'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    /** The number of issues that have keywords. */
    issues: p.integer(),
  },
});
export type IssueIndex = InferEntity<typeof IssueIndex>;
