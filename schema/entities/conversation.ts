import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp } from '../columns.ts';
import { PROCESSING_STATES } from '../enums.ts';
import type { ConversationPart } from '../json/conversation-part.ts';
import { Organization } from './organization.ts';

/** A conversation with users of a product, such as a support request, from which issues are extracted. */
export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversation',
  uniques: [{ name: 'conversation_external_id', properties: ['organization', 'source', 'externalId'] }],
  indexes: [
    {
      name: 'conversation_newest',
      expression:
        'create index conversation_newest on conversation (organization_id, coalesce(started_at, created_at), id)',
    },
    {
      name: 'conversation_newest_of_source',
      expression:
        'create index conversation_newest_of_source on conversation (organization_id, source, coalesce(started_at, created_at), id)',
    },
    {
      name: 'conversation_pending',
      properties: ['batch', 'externalId'],
      where: `"processing_state" <> 'complete'`,
    },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    source: bytewise(),
    /** The client's id, unique within the source. */
    externalId: bytewise(),
    subject: p.text().nullable(),
    url: p.text().nullable(),
    attributes: p.json<Record<string, string>>().nullable(),
    parts: p.json<ConversationPart[]>(),
    /** When it began, if the client sent that; otherwise it began when it was ingested. */
    startedAt: timestamp().nullable(),
    /** SHA-256 of what the client sent: sending the same again changes nothing. */
    hash: bytewise(),
    /** Identifies the request that last wrote it: conversations of one request are processed together. */
    batch: bytewise(),
    processingState: p.enum(PROCESSING_STATES).default('pending'),
    processedAt: timestamp().nullable(),
    /** How often processing has failed since it last changed. */
    attempts: p.integer().default(0),
    /** Why the last extraction of issues failed; earlier issues are kept. */
    processError: p.text().nullable(),
    /** When it was first ingested. */
    createdAt: createdAt(),
  },
});
export type Conversation = InferEntity<typeof Conversation>;
