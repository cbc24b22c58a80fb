import { sql } from 'kysely';
import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import { isShown } from '../access/visited.query.ts';
import type { Choice, Choices, SiteSpaceChoice } from '../addresses/walk.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import type { Db } from '../context.ts';
import type { Claims } from '../engine/expressions/claims.ts';
import { readSections, readSiteSpaces } from '../sites/structure.query.ts';
import { sectionsIn, structureFor } from '../sites/structure.ts';

interface SectionCandidate extends Choice {
  condition: string | null;
}

interface SpaceCandidate extends SiteSpaceChoice {
  condition: string | null;
  /** Id of its section. */
  section: string | null;
  /** Whether it is not the only one of its section or site. */
  isChoice: boolean;
}

const readCandidates = batchedStatement(
  (db, site: Operand, first: Operand, second: Operand, source: Operand) =>
    db
      .selectFrom('site')
      .select([
        sql<SectionCandidate[]>`coalesce((
          select json_agg(json_build_object(
            'id', id, 'path', path, 'isDefault', is_default, 'condition', condition))
          from site_section
          where site_id = site.id and (is_default or path = ${first})), '[]')`.as('sections'),
        sql<number>`(
          select count(*)::int from (select from site_section where site_id = site.id limit 2) as counted)`.as(
          'sectionCount',
        ),
        sql<SpaceCandidate[]>`coalesce((
          select json_agg(json_build_object(
            'id', one.id, 'path', one.path, 'isDefault', one.is_default, 'condition', one.condition,
            'section', one.section_id, 'space', one.space_id,
            'isChoice', exists (
              select from site_space as other
              where other.site_id = one.site_id and other.id <> one.id and (
                other.section_id = one.section_id or (other.section_id is null and one.section_id is null)))))
          from site_space as one
          join space on space.id = one.space_id and space.deleted_at is null
          left join site_section on site_section.id = one.section_id
          where one.site_id = site.id
            and (one.section_id is null or site_section.is_default or site_section.path = ${first})
            and (one.is_default or one.path = ${first} or one.path = ${second})), '[]')`.as('siteSpaces'),
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
export function shownCandidates(candidates: Candidates, claims: Claims): Choices {
  const { sections, sectionCount, siteSpaces } = candidates;
  const isSeen = ({ condition }: { condition: string | null }) => isShown([condition], claims);
  return {
    sections: sectionCount > 0 ? { items: sections.filter(isSeen), isChoice: sectionCount > 1 } : undefined,
    siteSpaces: (section) => {
      const here = siteSpaces.filter((one) => one.section === (section?.id ?? null));
      return { items: here.filter(isSeen), isChoice: here.some(({ isChoice }) => isChoice) };
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
