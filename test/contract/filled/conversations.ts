import { type FilledTable, id, literal, type Values } from './values.ts';

/** The tables of conversations and their issues. */
export const conversationTables = ({ ids, inOrganization, at, created, changed }: Values): FilledTable[] => [
  [
    'conversation',
    {
      id: id('z'),
      organization_id: inOrganization,
      source: "case when i % 1000 = 0 then 'some' else 'email' end",
      external_id: 'i::text',
      parts: "'[]'",
      hash: "''",
      batch: "''",
      processing_state: "'complete'",
      ...created,
    },
  ],
  [
    'issues_cluster',
    {
      id: id('q'),
      organization_id: inOrganization,
      representative_id: id('b'),
      label: "'Cluster'",
      summary: "''",
      icon: "'bug'",
      issues: 'i % 50',
      conversations: 'i % 50',
      sources: "'{}'",
      weeks: "'{}'",
      ...changed,
    },
  ],
  [
    'conversation_issue',
    {
      id: id('b'),
      organization_id: inOrganization,
      conversation_id: `case when i % 1000 = 0 then ${literal(ids.conversationId)} else ${id('z')} end`,
      cluster_id: `case when i % 1000 = 0 then ${literal(ids.clusterId)} else ${id('q')} end`,
      title: "'Issue'",
      summary: "''",
      terms: "'{}'",
      week: '0',
      created_at: at,
      ingested_at: at,
    },
  ],
];
