import { z } from 'zod';
import { Conversation } from '../../schema/entities/conversation.ts';
import { ConversationIssue } from '../../schema/entities/conversation-issue.ts';
import { partOf, someColumnsOf, someColumnsUnder } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { type ConversationSummary, SUMMARY_COLUMNS } from './conversations.api.ts';
import { ISSUE_COLUMNS, IssueDetail, presentIssue } from './issues.api.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/conversations-issues';

/** The issues of an organization with their conversations. */
const issuesOf = (db: Db, organization: string) =>
  db
    .selectFrom('conversation_issue')
    .innerJoin('conversation', 'conversation.id', 'conversation_issue.conversation_id')
    .where('conversation_issue.organization_id', '=', organization);

const conversationColumns = someColumnsUnder('of', Conversation, SUMMARY_COLUMNS);
type Prefixed = Parameters<typeof partOf<ConversationSummary, 'of'>>[0];

const present = (row: Prefixed & Parameters<typeof presentIssue>[0], viewer: Viewer) =>
  presentIssue(row, partOf<ConversationSummary, 'of'>(row, 'of') as ConversationSummary, viewer);

export const conversationIssuesRouter = router({
  list: organizationProcedure('viewConversations')
    .meta(
      route.get(PATH, 'List the issues of an organization', 'listConversationsIssues', {
        description:
          'Lists the issues that were extracted from conversations, the newest first, by `createdAt`.',
      }),
    )
    .input(
      z.object({
        ...paging,
        cluster: z.string().optional().describe('Only issues of the cluster with this id.'),
        conversation: z.string().optional().describe('Only issues of the conversation with this id.'),
      }),
    )
    .output(listOf(IssueDetail))
    .query(async ({ ctx, input }) => {
      const { db, organization, viewer } = ctx;
      const { cluster, conversation } = input;
      let listed = issuesOf(db, organization.id);
      if (cluster !== undefined) listed = listed.where('conversation_issue.cluster_id', '=', cluster);
      if (conversation !== undefined)
        listed = listed.where('conversation_issue.conversation_id', '=', conversation);
      return readPage(ctx, input, {
        rows: listed.select(someColumnsOf(ConversationIssue, ISSUE_COLUMNS)).select(conversationColumns),
        // guard: newest-issues
        order: [
          { column: 'conversation_issue.created_at', direction: 'desc', of: (row) => String(row.createdAt) },
          { column: 'conversation_issue.id', direction: 'desc', of: (row) => row.id },
        ],
        present: (row) => present(row, viewer),
      });
    }),

  get: organizationProcedure('viewConversations')
    .meta(
      route.get(`${PATH}/{issueId}`, 'Get an issue', 'getConversationIssueById', {
        description: 'Returns the issue with the conversation that it comes from.',
      }),
    )
    .input(z.object({ issueId: z.string().describe('The id of the issue.') }))
    .output(IssueDetail)
    .query(async ({ ctx, input }) => {
      const row = await issuesOf(ctx.db, ctx.organization.id)
        .select(someColumnsOf(ConversationIssue, ISSUE_COLUMNS))
        .select(conversationColumns)
        .where('conversation_issue.id', '=', input.issueId)
        .executeTakeFirst();
      if (!row) throw notFound('issue');
      return present(row, ctx.viewer);
    }),
});
