/** The folder in which one book is made: what its steps read and write. */

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

/** What is to be made. */
export interface Source {
  title: string;
  subtitle: string;
  author: string;
  description: string;
  /** Written out for readers, and as a time in milliseconds. */
  date: string;
  time: number;
  language: string | null;
  accent: string;
  words: { contents: string };
  /** Whether it is one page alone, without a cover. */
  isSingle: boolean;
  pages: (SourcePage & {
    /** The name of the file of its document, in this folder. */
    file?: string;
  })[];
  targets: [string, Target][];
  /** The hashes of pictures and OpenAPI documents, which are the names of their files in this folder. */
  files: string[];
}

/** A chapter that has been laid out. */
export interface PlannedChapter {
  id: string;
  level: number;
  name: string;
  isPart: boolean;
  /** Its place among the pages. */
  index: number;
  /** Characters of its layout. */
  size: number;
  /** Its headings, for the outline. */
  headings: { place: string; name: string; level: number }[];
}

/** How a chapter is set: all of it, as plain text, or as a note that it is left out. */
export const VERSIONS = ['layout', 'plain', 'note'] as const;
export type Version = (typeof VERSIONS)[number];

export const chapterFile = ({ index }: Pick<PlannedChapter, 'index'>, version: Version | 'draft'): string =>
  `${index}-${version}.json`;

export interface Plan {
  chapters: PlannedChapter[];
  fonts: FontChoice;
  /** What could not be shown. */
  notes: string[];
}

/** What the template is given besides the chapters. */
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
  words: { contents: string };
  fonts: { body: readonly string[]; code: readonly string[] };
  /** Whether links lead to places of this file, or are put in when its parts are put together. */
  links: 'places' | 'marks';
  headings: boolean;
  cover: boolean;
  contents: boolean;
  entries?: { to: string; level: number; name: string; page: string }[];
  /** The number of the first page of the text. */
  start: number;
  /** Levels of headings above the first of a part. */
  lead: number;
  /** The files of the chapters that begin on a new page, with those that follow on it. */
  sheets: string[][];
}

/** Where a place came to be on the pages of a part. */
export interface Mark {
  place: string;
  /** From 1. */
  page: number;
  /** Points from the top. */
  y: number;
}

/** PDF/UA-1 where the content allows it; marked up for assistive technology all the same where not. */
export type Standard = 'ua-1' | 'tagged';

/** A part that has been set. */
export interface Setting {
  pages: number;
  marks: Mark[];
  standard: Standard;
}

/** What a step says when it has failed for a reason that its input has. */
export interface Failure {
  problem: string;
}
