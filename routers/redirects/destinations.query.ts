import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import type { ContentAncestry } from '../access/levels.ts';
import { sectionCondition, siteSpaceCondition } from '../access/visibility-conditions.query.ts';
import { placeColumns } from '../addresses/places.query.ts';
import { placeOf, placeOfPage, sectionPlaceOf } from '../addresses/places.ts';
import type { Place } from '../addresses/published.ts';
import { readSitePaths } from '../addresses/site-paths.query.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import type { VisibilityFilter } from '../sites/published/visible-structure.query.ts';

/** A space at a destination. */
interface DestinationSpace extends ContentAncestry {
  condition: string | null;
}

/** Where a destination is on its site, and what decides who may see it. */
export interface FoundDestination {
  place: Place;
  /** Whether it is a link in the table of contents, which leads elsewhere and has no address. */
  isLink?: boolean;
  /** The conditions of its section, and of its page with those above it. */
  conditions: readonly (string | null)[];
  /** For a section all of its spaces, of which at least one must be visible. */
  spaces: readonly DestinationSpace[];
}

/** What destinations are read with; OpenAPI specs for pages that are generated from them. */
export interface DestinationReader {
  db: Db;
  services: Pick<Services, 'storage'>;
  engine: Engine;
}

/** Whether a reader may see a destination. Nobody is sent to a page that has become a link. */
export function isVisibleDestination(
  { conditions, spaces, isLink }: FoundDestination,
  { sees, holds }: VisibilityFilter,
): boolean {
  const isMet = (condition: string | null) => condition === null || holds(condition);
  // guard: redirect-to-link
  return !isLink && conditions.every(isMet) && spaces.some((space) => sees(space) && isMet(space.condition));
}

/**
 * Finds the destination of a redirect, in one round trip, plus reading content for a page.
 * @returns undefined if it is no longer on the site, or its space is deleted
 */
export async function findDestination(
  reading: DestinationReader,
  site: string,
  destination: RedirectDestination,
): Promise<FoundDestination | undefined> {
  const { db } = reading;
  if (destination.kind === 'site-section') return findSection(db, site, destination.siteSectionId);
  if (destination.kind === 'site-space') return findSiteSpace(db, site, destination.siteSpaceId);
  const [found, paths] = await Promise.all([
    findSiteSpace(db, site, destination.siteSpaceId),
    readSitePaths(db, site),
  ]);
  if (!found) return undefined;
  const snapshot = await openSnapshot(objectReader(db), found.root);
  const { organization } = found.columns;
  const page = await findPage({ ...reading, space: { organization }, snapshot }, destination.pageId);
  if (!page) return undefined;
  const conditions = [...found.conditions, ...page.conditions];
  const place = placeOfPage(found.columns, page.path, paths);
  return { place, isLink: page.isLink, conditions, spaces: found.spaces };
}

interface FoundPage {
  path: string;
  isLink: boolean;
  /** Its own, and those of the pages above it. */
  conditions: (string | null)[];
}

/** A page, stored or generated. */
async function findPage(
  content: DestinationReader & { space: { organization: string }; snapshot: Snapshot },
  id: string,
): Promise<FoundPage | undefined> {
  const { snapshot } = content;
  const path = (await snapshot.paths([id])).get(id);
  if (path !== undefined) {
    const line = (await snapshot.withAncestors([id])).get(id) ?? [];
    const conditions = line.map(({ condition }) => condition ?? null);
    return { path, isLink: line.at(-1)?.type === 'link', conditions };
  }
  const pages = computedPages(snapshot, apiSourcesOf(content));
  const node = (await pages.generatedPages([id])).get(id);
  if (!node) return undefined;
  // Generated pages have no conditions of their own.
  let above = node.page.parent;
  while (above !== null && !(await snapshot.page(above)))
    above = (await pages.subtree(above))?.page.parent ?? null;
  const computed = above === null ? undefined : await findPage(content, above);
  return computed && { ...computed, path: node.path };
}

/** Site spaces with what decides where they are and who may see them, without those whose space is deleted. */
const selectSiteSpaces = (db: Db, site: string) =>
  db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select(placeColumns)
    .select([siteSpaceCondition.as('condition'), sectionCondition().as('sectionCondition')])
    .select('revision.root')
    .select(['space.id', 'space.ancestors', 'space.effective_default as effectiveDefault'])
    .select('space.organization_id as organization')
    // guard: redirect-same-site
    .where('site_space.site_id', '=', site)
    .where('space.deleted_at', 'is', null);

async function findSection(db: Db, site: string, id: string): Promise<FoundDestination | undefined> {
  const spaces = await selectSiteSpaces(db, site).where('site_section.id', '=', id).execute();
  const [first] = spaces;
  if (!first) return undefined;
  return { place: sectionPlaceOf(first), conditions: [first.sectionCondition], spaces };
}

export async function findSiteSpace(db: Db, site: string, id: string) {
  const found = await selectSiteSpaces(db, site).where('site_space.id', '=', id).executeTakeFirst();
  return (
    found && {
      root: found.root,
      columns: found,
      place: placeOf(found),
      conditions: [found.sectionCondition],
      spaces: [found],
    }
  );
}
