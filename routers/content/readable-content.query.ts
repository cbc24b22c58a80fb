import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Visitor } from '../base/principal.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { computedPages, type PageReader } from '../engine/templates/computed-pages.ts';
import { downloadPath } from '../response/downloads.ts';
import type { ListContext } from '../sql/pagination.ts';
import type { ContentView } from './files.api.ts';
import type { RevisionRow } from './revisions.api.ts';
import { apiSourcesOf } from './sources.query.ts';
import { visiblePages } from './visible-pages.ts';

/**
 * Content that a caller may view: of a space, of one of its revisions, or of a change request. Visitors of a site see only
 * what their claims let them see.
 */
export interface ReadableContent extends ListContext {
  db: Db;
  space: { id: string; organization: string };
  revision: RevisionRow;
  snapshot: Snapshot;
  services: Services;
  engine: Engine;
  /** For a visitor; undefined for members, who see everything. */
  conditions?: ConditionEvaluator | undefined;
  visitor?: Visitor | undefined;
  /** Whether lists of pages include hidden ones for a visitor, too. */
  listsHidden?: boolean;
  /** The cache tags of what is read. */
  dependencies?: Set<string>;
}

/** What pages are read from. */
type PagedContent = Pick<
  ReadableContent,
  'db' | 'space' | 'snapshot' | 'services' | 'engine' | 'conditions' | 'listsHidden' | 'dependencies'
>;

/** All pages of the content, including those that computed pages generate if `computed` is true. */
export const allPagesOf = (content: PagedContent, { computed }: { computed: boolean }): PageReader =>
  computed ? computedPages(content.snapshot, apiSourcesOf(content)) : content.snapshot;

/** The same, without the pages that the caller may not see. */
export function visiblePagesOf(content: PagedContent, options: { computed: boolean }): PageReader {
  const pages = allPagesOf(content, options);
  const { conditions, snapshot, listsHidden = false } = content;
  return conditions ? visiblePages(snapshot, pages, conditions, { listsHidden }) : pages;
}

/** The view in which the content of a space is presented to this caller. */
export function viewOf(
  { services, space, conditions }: Pick<ReadableContent, 'services' | 'space' | 'conditions'>,
  { metadata }: { metadata: boolean },
): ContentView {
  const { urls, signer } = services;
  const now = Date.now();
  return {
    urls,
    space: space.id,
    downloadURL: (file) => urls.absolute(downloadPath(signer, file, now)),
    metadata,
    // guard: page-condition-untold
    conditions: !conditions,
  };
}
