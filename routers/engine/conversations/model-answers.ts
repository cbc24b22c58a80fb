import { z } from 'zod';
import { cut, type ExtractedIssue, MAX_SUMMARY, MAX_TITLE } from './extract.ts';
import { CLUSTER_ICONS, iconFor } from './icons.ts';
import { weighKeywords } from './keywords.ts';

/** Issues that one conversation may have. */
const MAX_ISSUES = 5;

/** Characters of one keyword that a model gives. */
const MAX_KEYWORD = 100;

/** How much more than a summary the title and the keywords say of what an issue is about. */
const TITLE_TIMES = 2;
const KEYWORDS_TIMES = 3;

/** What a cluster is called, and what is said of it. */
export interface ClusterDescription {
  label: string;
  summary: string;
  icon: string;
}

/** A text that a model has written, as one line. */
const line = (length: number) =>
  z
    .string()
    .transform((text) =>
      cut(
        text
          .toWellFormed()
          .replace(/[\s\p{Cc}]+/gu, ' ')
          .trim(),
        length,
      ),
    )
    .pipe(z.string().min(1));

const Issues = z.object({
  issues: z.array(
    z.object({
      title: line(MAX_TITLE),
      summary: line(MAX_SUMMARY),
      keywords: z.array(line(MAX_KEYWORD)).default([]),
    }),
  ),
});

const Description = z.object({
  label: line(MAX_TITLE),
  summary: line(MAX_SUMMARY),
  icon: z.unknown(),
});

/** The issues that a model has found; undefined if its answer is none, or has none to compare by. */
export function issuesIn(answer: unknown): ExtractedIssue[] | undefined {
  const { data } = Issues.safeParse(answer);
  const issues = data?.issues.slice(0, MAX_ISSUES).map(({ title, summary, keywords }) => ({
    title,
    summary,
    keywords: weighKeywords([
      { text: title, times: TITLE_TIMES },
      { text: keywords.join('\n'), times: KEYWORDS_TIMES },
      { text: summary, times: 1 },
    ]),
  }));
  return issues?.every(({ keywords }) => keywords.size > 0) ? issues : undefined;
}

/** How a model describes a cluster; undefined if its answer does not. */
export function descriptionIn(answer: unknown): ClusterDescription | undefined {
  const { data } = Description.safeParse(answer);
  if (!data) return undefined;
  const { label, summary, icon } = data;
  const known = CLUSTER_ICONS.find((name) => name === icon);
  return { label, summary, icon: known ?? iconFor(weighKeywords([{ text: label, times: 1 }])) };
}
