import { decodeEntities } from '../markdown/html/html.ts';
import { truncate } from '../text.ts';
import { computeKeywordWeights, extractKeywords, type Keywords } from './keywords.ts';

/** The text of a conversation. */
export interface ConversationText {
  subject: string | null;
  /** Messages in order, in Markdown or HTML. */
  messages: readonly { role: string; body: string }[];
}

/** An issue that a conversation is about. */
export interface ExtractedIssue {
  title: string;
  summary: string;
  /** The keywords by which issues are compared. */
  keywords: Keywords;
}

/** Maximum length of user messages that is read, in characters: the issue is usually described at the beginning. */
const MAX_TEXT = 10_000;
export const MAX_TITLE = 100;
export const MAX_SUMMARY = 300;
const SUMMARY_SENTENCES = 2;

/** The weight of the subject relative to the messages. */
const SUBJECT_WEIGHT = 2;

/**
 * Extracts the issue of a conversation, without a language model: its title is the subject or the most representative
 * sentence, and its summary consists of the most representative sentences, in order. Undefined if no user wrote anything.
 */
export function extractIssue(conversation: ConversationText): ExtractedIssue | undefined {
  const { topic, text } = readConversation(conversation);
  const keywords = computeKeywordWeights([
    { text: topic, weight: SUBJECT_WEIGHT },
    { text, weight: 1 },
  ]);
  const sentences = sentencesOf(text);
  const [first = topic] = sentences;
  if (first === '') return undefined;
  const ranked = sentences
    .map((sentence, place) => ({ sentence, place, score: scoreOf(sentence, keywords) }))
    .sort((a, b) => b.score - a.score || a.place - b.place);
  const best = ranked.slice(0, SUMMARY_SENTENCES).sort((a, b) => a.place - b.place);
  const summary = best.map(({ sentence }) => sentence).join(' ');
  return {
    title: truncateAtSpace(topic || (ranked[0]?.sentence ?? first), MAX_TITLE),
    summary: truncateAtSpace(summary || topic, MAX_SUMMARY),
    keywords,
  };
}

/** Reads a conversation as plain text: its subject, and the beginning of what users wrote. */
export function readConversation({ subject, messages }: ConversationText): { topic: string; text: string } {
  // guard: conversation-user-messages
  const written = messages.filter(({ role }) => role === 'user').map(({ body }) => body);
  const text = plainText(written.join('\n\n').slice(0, MAX_TEXT).toWellFormed());
  return { topic: topicOf(subject), text };
}

/** Scores how representative a sentence is, normalized so that a long sentence does not win by its length alone. */
function scoreOf(sentence: string, weights: Keywords): number {
  let score = 0;
  let count = 0;
  for (const keyword of new Set(extractKeywords(sentence))) {
    score += weights.get(keyword) ?? 0;
    count++;
  }
  return count === 0 ? 0 : score / Math.sqrt(count + 2);
}

/** The subject without prefixes such as "Re:". */
function topicOf(subject: string | null): string {
  let rest = plainText(subject ?? '');
  for (;;) {
    const shorter = rest.replace(/^(?:re|fwd?|aw|wg|tr|sv)\s?:\s?/i, '');
    if (shorter === rest) return rest;
    rest = shorter;
  }
}

/** The text of Markdown or HTML, line by line, without code, quotes, URLs and tags. */
function plainText(source: string): string {
  let isCode = false;
  const lines: string[] = [];
  for (const line of source.replace(/<\/(?:p|div|li|h[1-6])>|<br\b[^<>]*>/gi, '\n').split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('```') || trimmed.startsWith('~~~')) isCode = !isCode;
    else if (!isCode && !trimmed.startsWith('>')) lines.push(lineText(trimmed));
  }
  return lines.filter((line) => line !== '').join('\n');
}

const lineText = (line: string): string =>
  decodeEntities(line.replace(/<[^<>]*>/g, ' '))
    .replace(/\bhttps?:\/\/\S{1,2000}/g, ' ')
    .replace(/[*_`#[\]|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Matches the end of a sentence: punctuation followed by white space, full-width punctuation, or a line end. */
const SENTENCE_END = /(?<=[.!?])\s|(?<=[。！？])|\n/;

const sentencesOf = (text: string): string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));

/** A text of at most `length`, with an ellipsis at its end if it was longer, preferably after a whole word. */
export function truncateAtSpace(text: string, length: number): string {
  if (text.length <= length) return text;
  const space = text.lastIndexOf(' ', length - 2);
  return space > length / 2 ? `${text.slice(0, space)}…` : truncate(text, length);
}
