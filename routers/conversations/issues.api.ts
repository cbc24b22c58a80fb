import { z } from 'zod';
import type { ConversationIssue } from '../../schema/entities/conversation-issue.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { ConversationObject, type ConversationSummary, presentConversation } from './conversations.api.ts';

const ConversationIssueObject = z
  .object({
    object: z.literal('conversation-issue').describe('The type of the object: always `conversation-issue`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('What it is about, in a line.'),
    summary: z.string().describe('What it is about, in a few sentences.'),
    createdAt: z.string().describe('When its conversation began, in ISO 8601 UTC.'),
    ingestedAt: z.string().describe('When its conversation was ingested, in ISO 8601 UTC.'),
    conversation: z.string().describe('The id of the conversation that it comes from.'),
    cluster: z.string().optional().describe('The id of its cluster.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'ConversationIssue', description: 'A problem that was found in a conversation.' });

/** An issue with its conversation. */
export const IssueDetail = z.object({
  issue: ConversationIssueObject.describe('The issue.'),
  conversation: ConversationObject.describe('The conversation that it comes from.'),
});

/** The columns of an issue that are presented. */
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
type IssueSummary = Pick<Presentable<ConversationIssue>, (typeof ISSUE_COLUMNS)[number]>;

export const presentIssue = (
  issue: IssueSummary,
  conversation: ConversationSummary,
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
