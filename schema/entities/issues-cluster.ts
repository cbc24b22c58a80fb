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
    /** Id of the issue that it is named after. */
    representative: bytewise().fieldName('representative_id'),
    label: p.text(),
    summary: p.text(),
    icon: p.text(),
    issues: p.integer(),
    conversations: p.integer(),
    /** Issues by the source of their conversation. */
    sources: p.json<Record<string, number>>(),
    /** Issues by week, counted from 1970; older ones than are shown are left out. */
    weeks: p.json<Record<string, number>>(),
    /** Issues that it had when an engine described it; 0 if it is named after one of them. */
    describedIssues: p.integer().default(0),
    /** Why it could not be described, last time. */
    describeError: p.text().nullable(),
    createdAt: createdAt(),
    /** When its issues last changed. */
    updatedAt: timestamp().onCreate(() => new Date()),
  },
});
export type IssuesCluster = InferEntity<typeof IssuesCluster>;
