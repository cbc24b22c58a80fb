/** Writes the entries of a table of contents, and compares existing entries with pages. */

import type { ContentRef } from '../document/document.ts';
import { sourceFileOf, withSourceFile } from '../import/computed-source.ts';
import { createLinkResolver } from '../import/links.ts';
import type { SummaryEntry } from '../import/summary.ts';
import { singleLine } from '../import/text.ts';
import { type Json, sameJson } from '../store/canonical.ts';
import type { PageRecord } from '../store/records.ts';
import { isSlugOf } from '../store/slug.ts';
import { escapeLabel, escapeTitle } from './escape-title.ts';
import { createHrefWriter, relativePath } from './hrefs.ts';
import type { Layout } from './layout.ts';
import { targetsOf } from './page-file.ts';
import { writeMapping } from './yaml-edit.ts';

/** The label of a page in the table of contents. */
export const entryLabel = (page: PageRecord): string => singleLine(page.summaryTitle ?? page.title);

export interface EntryWriter {
  /** Returns the lines of a page's entry in a list. */
  item(page: PageRecord, indent: number, bullet: string): string[];
  /** Returns the heading of a group. */
  heading(page: PageRecord): string;
  matches(entry: SummaryEntry, page: PageRecord): boolean;
  /** The target of an entry, or the source of a computed page, in a form that can be compared. */
  target(entry: Pick<SummaryEntry, 'kind'> & { href?: string; computed?: object }): Json | undefined;
}

export function createEntryWriter(layout: Layout): EntryWriter {
  const hrefOf = createHrefWriter(layout, layout.summary);
  const resolve = createLinkResolver(targetsOf(layout), layout.summary, () => undefined);

  const writeLink = (label: string, ref: ContentRef, linkTitle: string | undefined): string => {
    const href = hrefOf(ref);
    const target = /[\s()<>]/.test(href) ? `<${href.replace(/[<>\n]/g, encodeURIComponent)}>` : href;
    const title = linkTitle === undefined ? '' : ` "${singleLine(linkTitle).replace(/["\\]/g, '\\$&')}"`;
    return `[${escapeLabel(label)}](${target}${title})`;
  };
  const writeComputed = (computed: Record<string, unknown>): string[] => {
    const file = layout.files.get(sourceFileOf(computed) ?? '');
    const shown =
      file === undefined ? computed : withSourceFile(computed, relativePath(layout.summary, file));
    return ['```yaml', ...writeMapping(shown).trimEnd().split('\n'), '```'];
  };
  const readComputed = (computed: Record<string, unknown>): Json => {
    const path = sourceFileOf(computed);
    const ref = path === undefined ? undefined : resolve(path);
    return (ref?.kind === 'file' ? withSourceFile(computed, ref.file) : computed) as Json;
  };
  const contentOf = (page: PageRecord): string[] => {
    if (page.type === 'computed' && page.computed) return writeComputed(page.computed);
    if (page.type === 'link' && page.target) return [writeLink(entryLabel(page), page.target, undefined)];
    return layout.pages.has(page.id)
      ? [writeLink(entryLabel(page), { kind: 'page', page: page.id }, page.linkTitle)]
      : [escapeTitle(entryLabel(page))];
  };
  return {
    item(page, indent, bullet) {
      const [first, ...more] = contentOf(page);
      const margin = ' '.repeat(indent);
      return [`${margin}${bullet} ${first}`, ...more.map((line) => `${margin}  ${line}`)];
    },
    heading: (page) => `## ${escapeTitle(page.title)} <a href="#${page.slug}" id="${page.slug}"></a>`,
    matches(entry, page) {
      switch (entry.kind) {
        case 'computed':
          return sameJson(readComputed(entry.computed), page.computed);
        case 'group':
          return entry.title === entryLabel(page) && isSlugOf(page.slug, entry.slug ?? entry.title);
        case 'text':
          return entry.title === entryLabel(page) && !layout.pages.has(page.id);
        case 'link': {
          const ref = resolve(entry.href);
          if (page.type === 'link')
            return (entry.title || entry.href) === entryLabel(page) && sameJson(ref, page.target);
          // With an empty label, the title comes from the file.
          const isLabel =
            entry.title === entryLabel(page) || (entry.title === '' && page.summaryTitle === undefined);
          const path = layout.pages.get(page.id);
          const leadsThere = ref !== undefined && 'page' in ref ? ref.page === page.id : path === undefined;
          return isLabel && leadsThere && entry.linkTitle === page.linkTitle;
        }
      }
    },
    target(entry) {
      if (entry.computed) return readComputed(entry.computed as Record<string, unknown>);
      return entry.href === undefined ? undefined : (resolve(entry.href) as Json | undefined);
    },
  };
}
