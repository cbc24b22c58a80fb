import type { ContentRef } from '../document/document.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';

/** What a reference in a book leads to. */
export interface Target {
  /** What it is called, if that is known. */
  title?: string;
  /** The page of the content that it leads to, or into. */
  page?: string;
  /** The anchor on that page. */
  anchor?: string;
  /** Where readers of the file find it, if it is not in the book. */
  href?: string;
  /** The file that is shown, or listed: its hash. */
  file?: string;
  /** The OpenAPI document that it is: its hash. */
  spec?: string;
  /** Why a picture could not be fetched, as a sentence. */
  problem?: string;
  /** In bytes. */
  size?: number;
}

/** The targets of all references in a book, by the canonical JSON of the reference. */
export type Targets = ReadonlyMap<string, Target>;

export const refKey = (ref: ContentRef): string => canonicalJson(ref as Json);
