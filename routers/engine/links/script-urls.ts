import type { Document } from '../document/document.ts';
import { findUrls } from '../document/readers.ts';
import { runsScript } from '../document/safe-href.ts';
import { shownBlocksIn } from '../markdown/published/published-raw.ts';

/** The URLs in a document that run scripts, also in HTML that is shown as what it means, without duplicates. */
export const scriptUrlsIn = (document: Document): Set<string> =>
  new Set(findUrls(document, shownBlocksIn).filter(runsScript));
