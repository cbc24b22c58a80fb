import { type RawBuilder, sql } from 'kysely';
import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import { isShown } from '../access/visited.query.ts';
import type { Choice, Choices, SiteSpaceChoice } from '../addresses/walk.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import type { Db } from '../context.ts';
import type { Claims } from '../engine/expressions/claims.ts';
import { readSections, readSiteSpaces } from '../sites/structure.query.ts';
import { sectionsIn, structureFor } from '../sites/structure.ts';

interface SpaceCandidate extends SiteSpaceChoice {
  condition: string | null;
}

/** Site spaces that a path may name, with the default, and how many there are of which these are some. */
interface SpaceCandidates {
  siteSpaces: SpaceCandidate[];
  count: number;
}

interface SectionCandidate extends Choice {
  condition: string | null;
  within: SpaceCandidates;
}

/** The columns of a section in a path. */
const SECTION = sql`id, path, is_default, condition`;

const spaceCandidates = (parent: RawBuilder<unknown>, paths: readonly Operand[]) => sql<SpaceCandidates>`
  json_build_object(
    'count', (select count(*) from site_space where ${parent}),
    'siteSpaces', coalesce((
      select json_agg(json_build_object(
        'id', site_space.id, 'path', path, 'isDefault', is_default, 'condition', condition, 'space', space_id))
      from site_space join space on space.id = space_id and space.deleted_at is null
      where ${parent} and (is_default or path in (${sql.join(paths)}))), '[]'))`;

const readCandidates = batchedStatement(
  (db, site: Operand, first: Operand, second: Operand, source: Operand) =>
    db
      .selectFrom('site')
      .select([
        sql<SectionCandidate[]>`coalesce((
          select json_agg(json_build_object(
            'id', id, 'path', path, 'isDefault', is_default, 'condition', condition,
            'within', ${spaceCandidates(sql`section_id = section.id`, [first, second])}))
          from (
            select ${SECTION} from site_section where site_id = site.id and is_default
            union select ${SECTION} from site_section where site_id = site.id and path = ${first}
          ) as section), '[]')`.as('sections'),
        sql<number>`(
          select count(*)::int from (select from site_section where site_id = site.id limit 2) as counted)`.as(
          'sectionCount',
        ),
        spaceCandidates(sql`site_id = site.id and section_id is null`, [first]).as('within'),
        sql<RedirectDestination | null>`(
          select destination from site_redirect where site_id = site.id and source = ${source})`.as(
          'redirect',
        ),
      ])
      .where('site.id', '=', site),
);

/** A part of the structure of a site, with the redirect of a path. */
type Candidates = NonNullable<Awaited<ReturnType<typeof readCandidates>>>;

/**
 * What the first two segments of a path may name, and the defaults, in one statement; without deleted spaces, whatever
 * the conditions.
 */
export const readCandidatesFor = (
  db: Db,
  site: string,
  [first = '', second = '']: readonly string[],
  source: string,
) => readCandidates(db, site, first, second, source);

/** The candidates that are shown to a visitor. */
export function shownCandidates({ sections, sectionCount, within }: Candidates, claims: Claims): Choices {
  const isSeen = ({ condition }: { condition: string | null }) => isShown([condition], claims);
  const spaces = new Map(sections.map((section) => [section.id, section.within]));
  return {
    sections: sectionCount > 0 ? { items: sections.filter(isSeen), isChoice: sectionCount > 1 } : undefined,
    siteSpaces: (section) => {
      const { siteSpaces, count } = (section && spaces.get(section.id)) ?? within;
      return { items: siteSpaces.filter(isSeen), isChoice: count > 1 };
    },
  };
}

/** The whole structure that is shown to a visitor, in its order, in one round trip. */
export const readStructureFor = (db: Db, site: string, claims: Claims): Promise<Choices> =>
  readStructure(db, site, (condition) => isShown([condition], claims));

/** The same whatever the conditions. */
export const readWholeStructure = (db: Db, site: string): Promise<Choices> =>
  readStructure(db, site, () => true);

async function readStructure(db: Db, site: string, holds: (condition: string) => boolean): Promise<Choices> {
  const [items, spaces] = await Promise.all([readSections(db, site), readSiteSpaces(db, site)]);
  const structure = structureFor(items, spaces, { sees: () => true, holds, showsEmpty: false });
  const sections = sectionsIn(structure.sections);
  const hasSections = items.some(({ type }) => type === 'site-section');
  return {
    sections: hasSections
      ? {
          items: sections.map(({ item, isDefault }) => ({ id: item.id, path: item.path ?? '', isDefault })),
          isChoice: items.filter(({ type }) => type === 'site-section').length > 1,
        }
      : undefined,
    siteSpaces: (section) => {
      const nodes = section
        ? (sections.find(({ item }) => item.id === section.id)?.siteSpaces ?? [])
        : structure.siteSpaces;
      const inSection = spaces.filter((one) => one.section === (section?.id ?? null));
      return {
        items: nodes.map(({ siteSpace: { id, path, space }, isDefault }) => ({ id, path, space, isDefault })),
        isChoice: inSection.length > 1,
      };
    },
  };
}
