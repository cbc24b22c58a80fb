import { type RawBuilder, sql } from 'kysely';
import type { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import type { Row } from '../../schema/rows.ts';
import { sectionCondition, siteSpaceCondition } from '../access/visibility-conditions.query.ts';
import {
  type PathOption,
  type PathOptions,
  pathOptions,
  type ResolvedSitePath,
  type SiteSpaceOption,
} from '../addresses/resolve-path.ts';
import type { SitePaths } from '../addresses/shortest-place.ts';
import { readSitePaths } from '../addresses/site-paths.query.ts';
import type { Db } from '../base/db.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { readSections, readSiteSpaces } from '../sites/structure/structure.query.ts';
import { type StructureReader, sectionsIn, structureFor } from '../sites/structure/structure.ts';
import type { Operand } from '../sql/batched-statement.ts';

/** A section or site space that a path may refer to, visible to the visitor or not. */
type Candidate<Chosen extends PathOption> = Chosen & { condition: string | null };

/** Site spaces that a path may refer to, and the default one. */
interface SpaceCandidates {
  siteSpaces: Candidate<SiteSpaceOption>[];
  /** The number of all site spaces beside them, counting no further than two. */
  count: number;
}

/** The number of rows, counting no further than two. */
const countUpToTwo = (rows: RawBuilder<unknown>) =>
  sql<number>`(select count(*)::int from (select ${rows} limit 2) as counted)`;

/** Deleted spaces are found by a subquery for each of the few rows that are left: a join may scan all spaces. */
const spaceCondition = sql<string | null>`
  case when (select deleted_at from space where space.id = space_id) is null then ${siteSpaceCondition} else 'false' end`;

const spaceCandidates = (parent: RawBuilder<unknown>, paths: readonly Operand[]) => sql<SpaceCandidates>`
  json_build_object(
    'count', ${countUpToTwo(sql`from site_space where ${parent}`)},
    'siteSpaces', coalesce((
      select json_agg(json_build_object(
        'id', site_space.id, 'path', path, 'isDefault', is_default, 'condition', ${spaceCondition}, 'space', space_id))
      from site_space
      where ${parent} and (is_default or path in (${sql.join(paths)}))), '[]'))`;

/** The conditions of the default section of the site and of its default site space; null if it has none. */
const defaultConditions = sql<Candidates['defaultSection']>`(
  select json_build_array(${sectionCondition('default_section')}, ${spaceCondition})
  from site_section as default_section
    join site_space on site_space.section_id = default_section.id and site_space.is_default
  where default_section.site_id = site.id and default_section.is_default)`;

/** The id of the section whose path is the segment, or else of the default section. */
const sectionAt = (segment: Operand) => sql<string>`coalesce(
  (select id from site_section where site_id = site.id and path = ${segment}),
  (select id from site_section where site_id = site.id and is_default))`;

/** Not by the section that a site space is in, as that may have an earlier path, too. */
const isEarlierPath = (first: Operand, second: Operand) => sql<boolean>`(
  exists (select from site_section
    where site_id = site.id and earlier_paths <> '{}' and earlier_paths && array[${first}, ${second}]::text[])
  or exists (select from site_space
    where site_id = site.id and earlier_paths <> '{}' and earlier_paths && array[${first}, ${second}]::text[]))`;

/** The part of a path after the address of a site. */
export interface PathOperands {
  /** The key of a share link, on a site that is read by share link. */
  key: Operand;
  first: Operand;
  second: Operand;
  /** The whole part, as the source of a redirect. */
  source: Operand;
}

/** What a path may refer to: parts of the structure of the site, a redirect and a share link. */
interface Candidates {
  section: Candidate<PathOption> | null;
  sectionCount: number;
  /** See `defaultConditions`; also null if `section` is the default. */
  defaultSection: (string | null)[] | null;
  within: SpaceCandidates;
  redirect: Row<SiteRedirect>['destination'] | null;
  /** Whether the first or second segment is an earlier path of a section or a site space. */
  isEarlier: boolean;
  link: string | null;
}

/**
 * What the first two segments of a path may refer to on the site of the row, or else the defaults, regardless of conditions. No
 * visitor meets those of drafts and of deleted spaces.
 */
export const candidatesAt = ({ key, first, second, source }: PathOperands) =>
  sql<Candidates>`(
    select json_build_object(
      'section', case when section.id is not null then json_build_object(
        'id', section.id, 'path', section.path, 'isDefault', section.is_default, 'condition', ${sectionCondition('section')})
      end,
      'sectionCount', ${countUpToTwo(sql`from site_section where site_id = site.id`)},
      'defaultSection', case when not section.is_default then ${defaultConditions} end,
      'within', case
        when section.id is null then ${spaceCandidates(sql`site_id = site.id and section_id is null`, [first])}
        else ${spaceCandidates(sql`section_id = section.id`, [first, second])}
      end,
      'redirect', redirect.destination,
      'isEarlier', ${isEarlierPath(first, second)},
      'link', case when site.visibility = 'share-link' then (
        select share_link.id from share_link
        where share_link.key = ${key} and share_link.site_id = site.id and share_link.active) end)
    from (values (1)) as one
      left join site_section as section on section.id = ${sectionAt(first)}
      left join site_redirect as redirect on redirect.site_id = site.id and redirect.source = ${source})`.as(
    'candidates',
  );

/** The candidates that a visitor may see: a hidden section is not replaced by another. */
export function visibleCandidates(
  { section, sectionCount, within }: Candidates,
  conditions: ConditionEvaluator,
): PathOptions {
  const isVisible = ({ condition }: Candidate<PathOption>) => conditions.isShown([condition]);
  const sections = section ? [section].filter(isVisible) : [];
  return {
    sections: sectionCount > 0 ? { items: sections, isChoice: sectionCount > 1 } : undefined,
    siteSpaces: () => ({ items: within.siteSpaces.filter(isVisible), isChoice: within.count > 1 }),
  };
}

/**
 * Whether the address of what a path leads to may depend on something that the visitor does not see: on a default, because the
 * first that they do see replaces it, or on a site space with the name that the path of the page begins with.
 */
export function mayDependOnHidden(
  { section, siteSpace, used }: ResolvedSitePath,
  segments: readonly string[],
  { defaultSection, within }: Candidates,
  conditions: ConditionEvaluator,
): boolean {
  const isShown = ({ condition }: Candidate<PathOption>) => conditions.isShown([condition]);
  const isDefaultSectionShown = defaultSection !== null && conditions.isShown(defaultSection);
  // guard: default-section-replaced
  if (section && !section.chosen.isDefault && !isDefaultSectionShown) return true;
  const isDefaultSpaceShown = within.siteSpaces.some((one) => one.isDefault && isShown(one));
  // guard: default-site-space-replaced
  if (!siteSpace.chosen.isDefault && !isDefaultSpaceShown) return true;
  // guard: hidden-name
  return within.count > 1 && within.siteSpaces.some((one) => one.path === segments[used] && !isShown(one));
}

/** What a path may refer to, as one reader sees it, and the paths of everything. */
export interface ReadPathOptions {
  options: PathOptions;
  paths: SitePaths;
}

/** All sections and site spaces that a visitor may see, in order, in one round trip. */
export const readVisiblePathOptions = (
  db: Db,
  site: string,
  conditions: ConditionEvaluator,
): Promise<ReadPathOptions> =>
  readPathOptions(db, site, { holds: (condition) => conditions.holds(condition), seesDrafts: false });

/** All sections and site spaces, drafts too, regardless of conditions. */
export const readAllPathOptions = (db: Db, site: string): Promise<ReadPathOptions> =>
  readPathOptions(db, site, { holds: () => true, seesDrafts: true });

async function readPathOptions(
  db: Db,
  site: string,
  reader: Pick<StructureReader<unknown>, 'holds' | 'seesDrafts'>,
): Promise<ReadPathOptions> {
  const [items, spaces, paths] = await Promise.all([
    readSections(db, site),
    readSiteSpaces(db, site),
    readSitePaths(db, site),
  ]);
  const structure = structureFor(items, spaces, { ...reader, sees: () => true, showsEmpty: false });
  const sections = sectionsIn(structure.sections);
  const options = pathOptions(
    sections.map(({ item: { id, path, earlierPaths }, isDefault }) => ({
      id,
      path: path ?? '',
      earlierPaths,
      isDefault,
    })),
    (section) => {
      const nodes = section
        ? (sections.find(({ item }) => item.id === section.id)?.siteSpaces ?? [])
        : structure.siteSpaces;
      return nodes.map(({ siteSpace: { id, path, earlierPaths, space }, isDefault }) => ({
        id,
        path,
        earlierPaths,
        space,
        isDefault,
      }));
    },
    paths,
  );
  return { options, paths };
}
