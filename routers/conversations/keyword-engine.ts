import type { IssueEngine } from '../base/language-ports.ts';
import { extractIssue } from '../engine/conversations/extract.ts';

/** An engine that extracts at most one issue, in the words of the conversation, by its keywords. Sends no data anywhere. */
export const keywordEngine: IssueEngine = {
  name: 'keywords',
  limits: { conversations: 100, requests: 1 },
  async extract(conversation) {
    const issue = extractIssue(conversation);
    return issue ? [issue] : [];
  },
};
