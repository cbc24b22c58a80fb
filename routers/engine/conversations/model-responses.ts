import { z } from 'zod';
import { type ExtractedIssue, MAX_SUMMARY, MAX_TITLE, truncate } from './extract.ts';
import { CLUSTER_ICONS, iconFor } from './icons.ts';
import { computeKeywordWeights } from './keywords.ts';

/** Issues that one conversation may have. */
const MAX_ISSUES = 5;

/** Keywords that a model gives one issue, and characters of one. */
const MAX_KEYWORDS = 20;
const MAX_KEYWORD = 100;

/** How much of a text is read to make it one line. */
const READ_FACTOR = 10;

/** How much more than a summary the title and the keywords say of what an issue is about. */
const TITLE_WEIGHT = 2;
const KEYWORDS_WEIGHT = 3;

/** What a cluster is called, and what is said of it. */
export interface ClusterDescription {
  label: string;
  summary: string;
  icon: string;
}

/** A text that a model has written, as one line. */
const singleLine = (length: number) =>
  z
    .string()
    .transform((text) => {
      const start = text.slice(0, length * READ_FACTOR).toWellFormed();
      return truncate(start.replace(/[\s\p{Cc}]+/gu, ' ').trim(), length);
    })
    .pipe(z.string().min(1));

/** The first of what a model lists. */
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

/** The issues that a model has found; undefined if its answer is none, or has none to compare by. */
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

/** How a model describes a cluster; undefined if its answer does not. */
export function parseDescription(response: unknown): ClusterDescription | undefined {
  const { data } = Description.safeParse(response);
  if (!data) return undefined;
  const { label, summary, icon } = data;
  const known = CLUSTER_ICONS.find((name) => name === icon);
  return { label, summary, icon: known ?? iconFor(computeKeywordWeights([{ text: label, weight: 1 }])) };
}
