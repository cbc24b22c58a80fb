import { hash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import { recordEvent } from '../events/record.operation.ts';
import type { ConversationInput } from './conversations.api.ts';

/**
 * Stores conversations of one source, and enqueues the extraction of issues from those that are new or have changed.
 * @throws DomainError `invalid` if two have the same id
 */
export async function ingestConversations(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  given: { organization: string; source: string; conversations: readonly ConversationInput[] },
): Promise<void> {
  const { organization, source, conversations } = given;
  requireDifferentIds(conversations);
  if (conversations.length === 0) return;
  const db = kyselyOf(em);
  const batch = newId();
  const now = new Date();
  // Always in the same order, so that concurrent requests with the same conversations cannot deadlock.
  const rows = conversations
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, subject, parts, metadata = {} }) => ({
      id: newId(),
      organization_id: organization,
      source,
      external_id: id,
      subject: subject ?? null,
      url: metadata.url ?? null,
      attributes: jsonb(metadata.attributes ?? null),
      parts: jsonb(parts),
      started_at: metadata.createdAt === undefined ? null : new Date(metadata.createdAt),
      hash: hash('sha256', canonicalJson({ subject, parts, metadata } as unknown as Json)),
      batch,
      processing_state: 'pending' as const,
      created_at: now,
    }));
  const changed = await db
    .insertInto('conversation')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'source', 'external_id'])
        .doUpdateSet((eb) => ({
          subject: eb.ref('excluded.subject'),
          url: eb.ref('excluded.url'),
          attributes: eb.ref('excluded.attributes'),
          parts: eb.ref('excluded.parts'),
          started_at: eb.ref('excluded.started_at'),
          hash: eb.ref('excluded.hash'),
          batch: eb.ref('excluded.batch'),
          processing_state: 'pending' as const,
          attempts: 0,
          process_error: null,
        }))
        // An unchanged conversation is tried again if it was given up.
        .where((eb) =>
          eb.or([
            // guard: conversation-unchanged
            eb('conversation.hash', '<>', eb.ref('excluded.hash')),
            eb.and([
              eb('conversation.processing_state', '=', 'complete'),
              // guard: conversation-retry
              eb('conversation.process_error', 'is not', null),
            ]),
          ]),
        ),
    )
    .returning('id')
    .execute();
  if (changed.length === 0) return;
  await jobs.enqueue(db, 'extract-issues', { data: { organization, batch }, group: organization });
  recordEvent(em, { type: 'conversations.ingested', organization, count: changed.length });
}

/** A JSON value; null becomes SQL's null. */
const jsonb = (value: unknown) => sql<never>`${value === null ? null : JSON.stringify(value)}::jsonb`;

function requireDifferentIds(conversations: readonly ConversationInput[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of conversations.entries()) {
    if (seen.has(id))
      throw new DomainError('invalid', 'The conversations of one request must have different ids.', [
        { path: `conversations.${index}.id`, message: 'is that of another conversation of the request' },
      ]);
    seen.add(id);
  }
}
