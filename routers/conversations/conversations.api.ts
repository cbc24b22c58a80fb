import { z } from 'zod';
import type { Conversation } from '../../schema/entities/conversation.ts';
import { PROCESSING_STATES } from '../../schema/enums.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { text } from '../../schema/json/text.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime, optionalTime, Time } from '../base/common-schemas.ts';

/** The most conversations in one request. */
const MAX_CONVERSATIONS = 1000;

const Part = z
  .object({
    type: z.literal('message').describe('Always `message`.'),
    role: z.enum(['user', 'assistant', 'team-member']).describe('Who wrote the message.'),
    body: z.string().describe('The text of the message, as Markdown or HTML.'),
  })
  .meta({ id: 'ConversationPart', description: 'A message of a conversation.' });

const Metadata = z.object({
  url: HttpUrl.optional().describe('The URL at which the conversation can be read.'),
  attributes: z.record(z.string(), z.string()).optional().describe('Custom attributes, by name.'),
  createdAt: Time.optional().describe('When the conversation began; now by default.'),
});

const ConversationInput = z
  .object({
    id: text({ min: 1, max: 255 }).describe(
      'Unique within the source. Sending the same id again replaces the conversation; sending the same conversation again changes nothing, unless no issues could be extracted.',
    ),
    subject: text({ max: 512 }).optional().describe('What the conversation is about, in a line.'),
    parts: z.array(Part).describe('The messages, in order.'),
    metadata: Metadata.optional().describe('Where the conversation comes from.'),
  })
  .meta({ id: 'ConversationInput', description: 'A conversation to ingest.' });
export type ConversationInput = z.output<typeof ConversationInput>;

export const ConversationsInput = z
  .union([ConversationInput, z.array(ConversationInput).max(MAX_CONVERSATIONS)])
  .describe('A conversation, or several with different ids.');

/** The public object of a conversation. */
export const ConversationObject = z
  .object({
    object: z.literal('conversation').describe('The type of the object: always `conversation`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    subject: z.string().optional().describe('What the conversation is about, in a line.'),
    createdAt: z
      .string()
      .describe(
        'When it began: the `metadata.createdAt` that was sent, or else when it was first ingested; in ISO 8601 UTC.',
      ),
    source: z.string().describe('`integration:api:` and the id of the user whose token sent it.'),
    processingState: z
      .enum(PROCESSING_STATES)
      .describe('How far processing is; once it is `complete`, its issues are those of its current content.'),
    processedAt: z
      .string()
      .optional()
      .describe('When issues were last extracted from it; absent until then.'),
    processAttempts: z
      .number()
      .int()
      .describe(
        'How often extracting its issues has failed since it last changed; while it is `pending`, this is tried again.',
      ),
    processError: z
      .string()
      .optional()
      .describe('Why no issues could be extracted at the last attempt; earlier issues stay.'),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        source: z.string().optional().describe('The URL at which the conversation took place.'),
      })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'Conversation', description: 'An ingested conversation with users.' });

export const ConversationDetail = z.object({
  conversation: ConversationObject.describe('The conversation.'),
  parts: z.array(Part).describe('The messages, in order.'),
  metadata: z
    .object({
      url: z.string().optional().describe('The URL at which the conversation took place.'),
      attributes: z.record(z.string(), z.string()).optional().describe('Custom attributes, by name.'),
      createdAt: z.string().optional().describe('When the conversation began, in ISO 8601 UTC.'),
    })
    .describe('Where the conversation comes from.'),
});

/** The columns of a conversation in lists. */
export const SUMMARY_COLUMNS = [
  'id',
  'organization',
  'source',
  'subject',
  'url',
  'startedAt',
  'createdAt',
  'processingState',
  'processedAt',
  'attempts',
  'processError',
] as const satisfies (keyof Conversation)[];
export type ConversationSummary = Pick<Presentable<Conversation>, (typeof SUMMARY_COLUMNS)[number]>;

/** When a conversation began: when the client says, or else when it was first ingested. */
export const startOf = ({ startedAt, createdAt }: Pick<ConversationSummary, 'startedAt' | 'createdAt'>) =>
  startedAt ?? createdAt;

export const presentConversation = (
  conversation: ConversationSummary,
  { urls }: Pick<Viewer, 'urls'>,
): z.infer<typeof ConversationObject> => ({
  object: 'conversation',
  id: conversation.id,
  subject: conversation.subject ?? undefined,
  createdAt: isoTime(startOf(conversation)),
  source: conversation.source,
  processingState: conversation.processingState,
  processedAt: optionalTime(conversation.processedAt),
  processAttempts: conversation.attempts,
  processError: conversation.processError ?? undefined,
  urls: {
    location: urls.location('orgs', conversation.organization, 'conversations', conversation.id),
    source: conversation.url ?? undefined,
  },
});

export const presentConversationDetail = (
  conversation: Presentable<Conversation>,
  viewer: Pick<Viewer, 'urls'>,
): z.infer<typeof ConversationDetail> => ({
  conversation: presentConversation(conversation, viewer),
  parts: conversation.parts,
  metadata: {
    url: conversation.url ?? undefined,
    attributes: conversation.attributes ?? undefined,
    createdAt: optionalTime(conversation.startedAt),
  },
});
