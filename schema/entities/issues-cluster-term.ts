import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { IssuesCluster } from './issues-cluster.ts';
import { Organization } from './organization.ts';

/** The weight of a keyword in a cluster, summed over its issues: an inverted index to find similar clusters by. */
export const IssuesClusterTerm = defineEntity({
  name: 'IssuesClusterTerm',
  tableName: 'issues_cluster_term',
  primaryKeys: ['cluster', 'term'],
  indexes: [
    { name: 'issues_cluster_term_postings', properties: ['organization', 'term', 'weight', 'cluster'] },
    { name: 'issues_cluster_term_weight', properties: ['cluster', 'weight'] },
  ],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    cluster: () => p.manyToOne(IssuesCluster).mapToPk().primary().deleteRule('cascade'),
    term: bytewise().primary(),
    weight: p.integer(),
  },
});
export type IssuesClusterTerm = InferEntity<typeof IssuesClusterTerm>;
