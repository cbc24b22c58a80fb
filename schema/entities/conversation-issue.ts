import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { id, timestamp } from '../columns.ts';
import { Conversation } from './conversation.ts';
import { IssuesCluster } from './issues-cluster.ts';
import { Organization } from './organization.ts';

/** One problem or topic that a conversation is about. */
export const ConversationIssue = defineEntity({
  name: 'ConversationIssue',
  tableName: 'conversation_issue',
  indexes: [
    { name: 'conversation_issue_newest', properties: ['organization', 'createdAt', 'id'] },
    { name: 'conversation_issue_conversation', properties: ['conversation', 'id'] },
    { name: 'conversation_issue_newest_of_cluster', properties: ['cluster', 'createdAt', 'id'] },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    conversation: () => p.manyToOne(Conversation).mapToPk().deleteRule('cascade'),
    /** Null if it has no keywords to compare it by. */
    cluster: () => p.manyToOne(IssuesCluster).mapToPk().nullable().deleteRule('set null'),
    title: p.text(),
    summary: p.text(),
    /** Its keywords and their weights, 1 or more. */
    terms: p.json<Record<string, number>>(),
    /** The week that it counts towards, as its number since 1970. */
    week: p.integer(),
    /** When its conversation began. */
    createdAt: timestamp(),
    /** When its conversation was ingested. */
    ingestedAt: timestamp(),
  },
});
export type ConversationIssue = InferEntity<typeof ConversationIssue>;
