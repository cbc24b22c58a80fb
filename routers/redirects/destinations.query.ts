import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import type { Place } from '../addresses/published.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Db } from '../context.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';

/** Where a destination is on its site, and the conditions under which it is shown. */
export interface FoundDestination {
  place: Place;
  conditions: readonly (string | null)[];
}

/**
 * Finds the destination of a redirect, in at most one statement, plus reading content for a page.
 * @returns undefined if the site does not have it any more, or its space is deleted
 */
export async function findDestination(
  db: Db,
  site: string,
  destination: RedirectDestination,
): Promise<FoundDestination | undefined> {
  if (destination.kind === 'site-section') return findSection(db, site, destination.siteSectionId);
  const found = await findSiteSpace(db, site, destination.siteSpaceId);
  if (!found || destination.kind === 'site-space') return found;
  const snapshot = await openSnapshot(objectReader(db), found.root);
  const page = (await snapshot.paths([destination.pageId])).get(destination.pageId);
  if (page === undefined) return undefined;
  const line = [...(await snapshot.ancestors(destination.pageId)), await snapshot.page(destination.pageId)];
  const conditions = [...found.conditions, ...line.map((one) => one?.condition ?? null)];
  return { place: { ...found.place, page }, conditions };
}

async function findSection(db: Db, site: string, id: string): Promise<FoundDestination | undefined> {
  const section = await db
    .selectFrom('site_section')
    .select(['path', 'is_default as isDefault', 'condition'])
    .where('id', '=', id)
    .where('site_id', '=', site)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('site_space')
          .innerJoin('space', 'space.id', 'site_space.space_id')
          .whereRef('site_space.section_id', '=', 'site_section.id')
          .where('space.deleted_at', 'is', null)
          .select('site_space.id'),
      ),
    )
    .executeTakeFirst();
  return section && { place: { section: pathUnlessDefault(section) }, conditions: [section.condition] };
}

export async function findSiteSpace(db: Db, site: string, id: string) {
  const found = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select([
      'site_space.path',
      'site_space.is_default as isDefault',
      'site_space.condition',
      'revision.root',
    ])
    .select([
      'site_section.path as sectionPath',
      'site_section.is_default as isDefaultSection',
      'site_section.condition as sectionCondition',
    ])
    .where('site_space.id', '=', id)
    .where('site_space.site_id', '=', site)
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { root, condition, sectionPath, isDefaultSection, sectionCondition } = found;
  const section =
    sectionPath === null ? undefined : pathUnlessDefault({ path: sectionPath, isDefault: isDefaultSection });
  return {
    root,
    place: { section, siteSpace: pathUnlessDefault(found) } as Place,
    conditions: [condition, sectionCondition],
  };
}

const pathUnlessDefault = ({ path, isDefault }: { path: string; isDefault: boolean | null }) =>
  isDefault ? undefined : path;
