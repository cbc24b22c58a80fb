import { type ConversationText, type ExtractedIssue, extractIssue } from '../engine/conversations/extract.ts';

/** Finds the issues of a conversation. */
export interface IssueEngine {
  extract(conversation: ConversationText): Promise<ExtractedIssue[]>;
}

/** Finds one issue at most, in the words of the conversation, by its keywords; sends nothing anywhere. */
export const keywordEngine: IssueEngine = {
  async extract(conversation) {
    const issue = extractIssue(conversation);
    return issue ? [issue] : [];
  },
};
