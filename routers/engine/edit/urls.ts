/** Rejects URLs that run scripts, except those that were there before, as in imported content: content is accepted as it was read. */

import type { ContentRef, Document } from '../document/document.ts';
import { runsScript } from '../document/safe-href.ts';
import { quote } from '../import/report.ts';
import { scriptUrlsIn } from '../links/script-urls.ts';
import { changeError } from './change-error.ts';

/** Rejects a document with new URLs that run scripts. */
export function validateUrls(document: Document, previous: Document | undefined, path: string): void {
  const found = scriptUrlsIn(document);
  if (found.size === 0) return;
  const known = previous ? scriptUrlsIn(previous) : new Set();
  for (const url of found) if (!known.has(url)) throw scriptUrlError(path, url);
}

/** What a page leads to and shows. */
interface PageRefs {
  target?: ContentRef | undefined;
  cover?: { ref?: ContentRef | undefined; refDark?: ContentRef | undefined } | null | undefined;
}

/** Rejects fields of a page with new URLs that run scripts. */
export function validatePageUrls(page: PageRefs, previous: PageRefs | undefined, index: number): void {
  const known = new Set(previous && refsOf(previous).map(([, ref]) => urlOf(ref)));
  for (const [path, ref] of refsOf(page)) {
    const url = urlOf(ref);
    // guard: page-script-urls
    if (url !== undefined && !known.has(url) && runsScript(url))
      throw scriptUrlError(`changes.${index}.${path}`, url);
  }
}

const refsOf = ({ target, cover }: PageRefs) =>
  [
    ['target', target],
    ['cover.ref', cover?.ref],
    ['cover.refDark', cover?.refDark],
  ] as const;

const urlOf = (ref: ContentRef | undefined) => (ref?.kind === 'url' ? ref.url : undefined);

const scriptUrlError = (path: string, url: string) =>
  changeError('invalid', path, `The URL ${quote(url)} runs a script, so nothing may lead to it.`);
