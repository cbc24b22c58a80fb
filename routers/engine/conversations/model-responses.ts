import { z } from 'zod';
import { type ExtractedIssue, MAX_SUMMARY, MAX_TITLE, truncateAtSpace } from './extract.ts';
import { CLUSTER_ICONS, iconFor } from './icons.ts';
import { computeKeywordWeights } from './keywords.ts';

/** Maximum number of issues in one conversation. */
const MAX_ISSUES = 5;

/** Maximum number of keywords that a model may give an issue, and maximum length of a keyword in characters. */
const MAX_KEYWORDS = 20;
const MAX_KEYWORD = 100;

/** How many times the maximum length of a text is read before white space is collapsed. */
const READ_FACTOR = 10;

/** The weights of the title and the keywords of an issue relative to its summary. */
const TITLE_WEIGHT = 2;
const KEYWORDS_WEIGHT = 3;

/** The label, summary and icon of a cluster. */
export interface ClusterDescription {
  label: string;
  summary: string;
  icon: string;
}

/** A text from a model, reduced to a single line. */
const singleLine = (length: number) =>
  z
    .string()
    .transform((text) => {
      const start = text.slice(0, length * READ_FACTOR).toWellFormed();
      return truncateAtSpace(start.replace(/[\s\p{Cc}]+/gu, ' ').trim(), length);
    })
    .pipe(z.string().min(1));

/** The first items of a list from a model. */
const firstItems = <Item extends z.ZodType>(length: number, item: Item) =>
  z
    .array(z.unknown())
    .transform((items) => items.slice(0, length))
    .pipe(z.array(item));

const Issues = z.object({
  issues: firstItems(
    MAX_ISSUES,
    z.object({
      title: singleLine(MAX_TITLE),
      summary: singleLine(MAX_SUMMARY),
      keywords: firstItems(MAX_KEYWORDS, singleLine(MAX_KEYWORD)).default([]),
    }),
  ),
});

const Description = z.object({
  label: singleLine(MAX_TITLE),
  summary: singleLine(MAX_SUMMARY),
  icon: z.unknown(),
});

/** Parses the issues in the response of a model; undefined if it is invalid, or an issue has no keywords. */
export function parseIssues(response: unknown): ExtractedIssue[] | undefined {
  const { data } = Issues.safeParse(response);
  const issues = data?.issues.map(({ title, summary, keywords }) => ({
    title,
    summary,
    keywords: computeKeywordWeights([
      { text: title, weight: TITLE_WEIGHT },
      { text: keywords.join('\n'), weight: KEYWORDS_WEIGHT },
      { text: summary, weight: 1 },
    ]),
  }));
  // guard: issue-keywords
  return issues?.every(({ keywords }) => keywords.size > 0) ? issues : undefined;
}

/** Parses the description of a cluster in the response of a model; undefined if it is invalid. */
export function parseDescription(response: unknown): ClusterDescription | undefined {
  const { data } = Description.safeParse(response);
  if (!data) return undefined;
  const { label, summary, icon } = data;
  const known = CLUSTER_ICONS.find((name) => name === icon);
  return { label, summary, icon: known ?? iconFor(computeKeywordWeights([{ text: label, weight: 1 }])) };
}
