/** A message of a conversation in a JSON column. */
export interface ConversationPart {
  type: 'message';
  role: 'user' | 'assistant' | 'team-member';
  /** Markdown or HTML. */
  body: string;
}
