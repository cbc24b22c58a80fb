import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp } from '../columns.ts';
import { Organization } from './organization.ts';

/** Issues about the same subject, with their counts. Written under the lock of the organization's issue index. */
export const IssuesCluster = defineEntity({
  name: 'IssuesCluster',
  tableName: 'issues_cluster',
  indexes: [
    { name: 'issues_cluster_created', properties: ['organization', 'id'] },
    { name: 'issues_cluster_updated', properties: ['organization', 'updatedAt', 'id'] },
    { name: 'issues_cluster_issues', properties: ['organization', 'issues', 'id'] },
    { name: 'issues_cluster_conversations', properties: ['organization', 'conversations', 'id'] },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** The id of the issue that it is named after. */
    representative: bytewise().fieldName('representative_id'),
    label: p.text(),
    summary: p.text(),
    icon: p.text(),
    issues: p.integer(),
    conversations: p.integer(),
    /** The number of issues for each source of conversations. */
    sources: p.json<Record<string, number>>(),
    /** The number of issues by the number of the week since 1970; weeks too old to be shown are left out. */
    weeks: p.json<Record<string, number>>(),
    /** How many issues it had when an engine described it; 0 if it is named after one of them. */
    describedIssues: p.integer().default(0),
    /** Why the last attempt to describe it failed. */
    describeError: p.text().nullable(),
    createdAt: createdAt(),
    /** When its issues last changed. */
    updatedAt: timestamp().onCreate(() => new Date()),
  },
});
export type IssuesCluster = InferEntity<typeof IssuesCluster>;
