/** The files in the folder of one book: what its steps read and write. */

import type { SourcePage } from '../../routers/engine/pdf/chapter.ts';
import type { Target } from '../../routers/engine/pdf/targets.ts';
import type { FontChoice } from './fonts.ts';

export const FILES = {
  source: 'source.json',
  plan: 'plan.json',
  template: 'main.typ',
  book: 'book.json',
  result: 'result.json',
  output: 'book.pdf',
} as const;

/** The source of a book. */
export interface BookSource {
  title: string;
  subtitle: string;
  author: string;
  description: string;
  /** The date as readers see it; `time` is the same in milliseconds since 1970. */
  date: string;
  time: number;
  language: string | null;
  accent: string;
  texts: { contents: string };
  /** Whether it is a single page without a cover. */
  isSingle: boolean;
  pages: (SourcePage & {
    /** The name of the file with its document, in this folder. */
    file?: string;
  })[];
  targets: [string, Target][];
  /** The hashes of pictures and OpenAPI specs, which are the names of their files in this folder. */
  files: string[];
}

/** A chapter that has been laid out. */
export interface PlannedChapter {
  id: string;
  level: number;
  name: string;
  isPart: boolean;
  /** Its index among the pages of the source. */
  index: number;
  /** The length of its layout as JSON, in characters. */
  size: number;
  /** Its headings, for the outline. */
  headings: { place: string; name: string; level: number }[];
}

/** How a chapter is typeset: in full, as plain text, or as a note that it is left out. */
export const VERSIONS = ['layout', 'plain', 'note'] as const;
export type Version = (typeof VERSIONS)[number];

export const chapterFile = ({ index }: Pick<PlannedChapter, 'index'>, version: Version | 'draft'): string =>
  `${index}-${version}.json`;

export interface Plan {
  chapters: PlannedChapter[];
  fonts: FontChoice;
  /** Notes about content that cannot be shown. */
  notes: string[];
}

/** The input of the template, besides the chapters. */
export interface BookData {
  title: string;
  'cover-title': string;
  subtitle: string;
  author: string;
  description: string;
  date: string;
  language: string;
  region: string | null;
  accent: string;
  texts: { contents: string };
  fonts: { body: readonly string[]; code: readonly string[] };
  /** Whether links lead to places in this file, or are added when parts are merged (`marks`). */
  links: 'places' | 'marks';
  headings: boolean;
  cover: boolean;
  contents: boolean;
  entries?: { to: string; level: number; name: string; page: string }[];
  /** The number of the first page of text. */
  start: number;
  /** The number of heading levels above the first heading of a part. */
  lead: number;
  /** The files of the chapters, grouped by the page break that precedes each group. */
  sheets: string[][];
}

/** The position of a place on the pages of a part. */
export interface Mark {
  place: string;
  /** From 1. */
  page: number;
  /** Points from the top. */
  y: number;
}

/** PDF/UA-1 where the content allows it; otherwise a tagged PDF, for assistive technology all the same. */
export type Standard = 'ua-1' | 'tagged';

/** The result of typesetting a part. */
export interface TypesetPart {
  pages: number;
  marks: Mark[];
  standard: Standard;
}

/** The result of a step that failed because of its input. */
export interface Failure {
  problem: string;
}
