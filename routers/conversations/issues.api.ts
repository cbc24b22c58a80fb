import { z } from 'zod';
import type { ConversationIssue } from '../../schema/entities/conversation-issue.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { ConversationObject, presentConversation, type ShownConversation } from './conversations.api.ts';

const ConversationIssueObject = z
  .object({
    object: z.literal('conversation-issue'),
    id: z.string(),
    title: z.string(),
    summary: z.string(),
    createdAt: z.string().describe('When its conversation began.'),
    ingestedAt: z.string(),
    conversation: z.string(),
    cluster: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'ConversationIssue' });

/** An issue with its conversation. */
export const IssueDetail = z.object({ issue: ConversationIssueObject, conversation: ConversationObject });

/** What is shown of an issue. */
export const ISSUE_COLUMNS = [
  'id',
  'organization',
  'conversation',
  'cluster',
  'title',
  'summary',
  'createdAt',
  'ingestedAt',
] as const satisfies (keyof ConversationIssue)[];
type ShownIssue = Pick<Presentable<ConversationIssue>, (typeof ISSUE_COLUMNS)[number]>;

export const presentIssue = (
  issue: ShownIssue,
  conversation: ShownConversation,
  viewer: Pick<Viewer, 'urls'>,
): z.infer<typeof IssueDetail> => ({
  issue: {
    object: 'conversation-issue',
    id: issue.id,
    title: issue.title,
    summary: issue.summary,
    createdAt: isoTime(issue.createdAt),
    ingestedAt: isoTime(issue.ingestedAt),
    conversation: issue.conversation,
    cluster: issue.cluster ?? undefined,
    urls: { location: viewer.urls.location('orgs', issue.organization, 'conversations-issues', issue.id) },
  },
  conversation: presentConversation(conversation, viewer),
});
