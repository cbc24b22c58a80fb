import { sql } from 'kysely';
import { z } from 'zod';
import { Conversation } from '../../schema/entities/conversation.ts';
import { columnsOf, someColumnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import {
  ConversationDetail,
  ConversationObject,
  ConversationsInput,
  presentConversation,
  presentConversationDetail,
  SUMMARY_COLUMNS,
  startOf,
} from './conversations.api.ts';
import { ingestConversations } from './ingest.operation.ts';
import { removeConversation } from './removal.operation.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/conversations';

/** The same as `startOf`, as the indexes have it. */
const START = sql`coalesce(conversation.started_at, conversation.created_at)`;

export const conversationsRouter = router({
  list: organizationProcedure('viewConversations')
    .meta(
      route.get(PATH, 'List the conversations of an organization', 'listConversations', {
        description: 'Lists the newest conversation first, by `createdAt`.',
      }),
    )
    .input(z.object({ ...paging, source: z.string().optional().describe('Only those of this source.') }))
    .output(listOf(ConversationObject))
    .query(async ({ ctx, input }) => {
      const { db, organization, viewer } = ctx;
      let listed = db.selectFrom('conversation').where('organization_id', '=', organization.id);
      if (input.source !== undefined) listed = listed.where('source', '=', input.source);
      return readPage(ctx, input, {
        rows: listed.select(someColumnsOf(Conversation, SUMMARY_COLUMNS)),
        // guard: newest-conversations
        order: [
          { column: START, direction: 'desc', of: (row) => String(startOf(row)) },
          { column: 'conversation.id', direction: 'desc', of: (row) => row.id },
        ],
        present: (row) => presentConversation(row, viewer),
      });
    }),

  ingest: organizationProcedure('ingestConversations')
    .meta(
      route.post(PATH, 'Ingest conversations', 'ingestConversation', {
        success: 204,
        body: 'conversations',
        description:
          'Their issues are extracted and assigned to clusters shortly afterwards; the `processingState` of a conversation is then `complete`.',
      }),
    )
    .input(
      z.object({ conversations: ConversationsInput.describe('A conversation, or an array of several.') }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { conversations } }) => {
      const { em, services, organization, actor } = ctx;
      await ingestConversations(em, services, {
        organization: organization.id,
        source: `integration:api:${actor.user.id}`,
        conversations: Array.isArray(conversations) ? conversations : [conversations],
      });
    }),

  get: organizationProcedure('viewConversations')
    .meta(
      route.get(`${PATH}/{conversationId}`, 'Get a conversation', 'getConversationById', {
        description: 'Returns the conversation with its messages.',
      }),
    )
    .input(
      z.object({
        conversationId: z.string().describe('The id of the conversation in this API.'),
      }),
    )
    .output(ConversationDetail)
    .query(async ({ ctx, input }) => {
      const conversation = await ctx.db
        .selectFrom('conversation')
        .select(columnsOf(Conversation))
        .where('id', '=', input.conversationId)
        .where('organization_id', '=', ctx.organization.id)
        .executeTakeFirst();
      if (!conversation) throw notFound('conversation');
      return presentConversationDetail(conversation, ctx.viewer);
    }),

  delete: organizationProcedure('ingestConversations')
    .meta(
      route.delete(`${PATH}/{conversationId}`, 'Delete a conversation', 'deleteConversationById', {
        description: 'Deletes it with its issues, and any cluster that has no issues left.',
      }),
    )
    .input(
      z.object({
        conversationId: z.string().describe('The id of the conversation in this API.'),
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx: { em, services, organization }, input: { conversationId } }) => ({
      removed: await removeConversation(em, services, organization.id, conversationId),
    })),
});
