import type { ContentRef } from '../document/document.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';

/** The target of a reference in a book. */
export interface Target {
  /** The title, if it is known. */
  title?: string;
  /** The id of the target page, or of the page with the target anchor. */
  page?: string;
  /** The anchor on that page. */
  anchor?: string;
  /** The URL of the target, if it is not in the book. */
  href?: string;
  /** The hash of the file that is shown or listed. */
  file?: string;
  /** The hash of the OpenAPI document. */
  spec?: string;
  /** Why a picture could not be fetched, as a sentence, if so. */
  problem?: string;
  /** In bytes. */
  size?: number;
}

/** The targets of all references in a book, by the canonical JSON of the reference. */
export type Targets = ReadonlyMap<string, Target>;

export const refKey = (ref: ContentRef): string => canonicalJson(ref as Json);
