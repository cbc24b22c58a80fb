import { type RawBuilder, sql } from 'kysely';
import { sectionCondition, siteSpaceCondition } from '../access/shown-conditions.query.ts';
import type { Choice, Choices, SiteSpaceChoice } from '../addresses/walk.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import type { Db } from '../context.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { readSections, readSiteSpaces } from '../sites/structure.query.ts';
import { type Reader, sectionsIn, structureFor } from '../sites/structure.ts';

/** A section, or a site space, that a path may name, whoever may see it. */
type Candidate<Chosen extends Choice> = Chosen & { condition: string | null };

/** Site spaces that a path may name, with the default. */
interface SpaceCandidates {
  siteSpaces: Candidate<SiteSpaceChoice>[];
  /** How many there are of which these are some; no more than two are counted. */
  count: number;
}

/** How many there are, counting no more than two. */
const upToTwo = (rows: RawBuilder<unknown>) =>
  sql<number>`(select count(*)::int from (select ${rows} limit 2) as counted)`;

/**
 * Whether the space of a site space is deleted is read with each of the few that are left: a join may go through all
 * spaces.
 */
const spaceCandidates = (parent: RawBuilder<unknown>, paths: readonly Operand[]) => sql<SpaceCandidates>`
  json_build_object(
    'count', ${upToTwo(sql`from site_space where ${parent}`)},
    'siteSpaces', coalesce((
      select json_agg(json_build_object(
        'id', site_space.id, 'path', path, 'isDefault', is_default, 'condition', ${siteSpaceCondition}, 'space', space_id))
      from site_space
      where ${parent} and (is_default or path in (${sql.join(paths)}))
        and (select deleted_at from space where space.id = space_id) is null), '[]'))`;

/** The id of the section that a segment names, or else of the default. */
const sectionAt = (segment: Operand) => sql<string>`coalesce(
  (select id from site_section where site_id = site.id and path = ${segment}),
  (select id from site_section where site_id = site.id and is_default))`;

const readCandidates = batchedStatement(
  (db, site: Operand, first: Operand, second: Operand, source: Operand) =>
    db
      .selectFrom('site')
      .leftJoin('site_section as section', (join) => join.on('section.id', '=', sectionAt(first)))
      .leftJoin('site_redirect as redirect', (join) =>
        join.onRef('redirect.site_id', '=', 'site.id').on('redirect.source', '=', source),
      )
      .select([
        sql<Candidate<Choice> | null>`case when section.id is not null then json_build_object(
          'id', section.id, 'path', section.path, 'isDefault', section.is_default, 'condition', ${sectionCondition('section')})
        end`.as('section'),
        upToTwo(sql`from site_section where site_id = site.id`).as('sectionCount'),
        sql<SpaceCandidates>`case
          when section.id is null then ${spaceCandidates(sql`site_id = site.id and section_id is null`, [first])}
          else ${spaceCandidates(sql`section_id = section.id`, [first, second])}
        end`.as('within'),
        'redirect.destination as redirect',
      ])
      .where('site.id', '=', site),
);

/** A part of the structure of a site, with the redirect of a path. */
type Candidates = NonNullable<Awaited<ReturnType<typeof readCandidates>>>;

/**
 * What the first two segments of a path may name, or else the defaults, in one statement; without deleted spaces,
 * whatever the conditions.
 */
export const readCandidatesFor = (
  db: Db,
  site: string,
  [first = '', second = '']: readonly string[],
  source: string,
) => readCandidates(db, site, first, second, source);

/** The candidates that are shown to a visitor: nothing stands in for a section that is not. */
export function shownCandidates(
  { section, sectionCount, within }: Candidates,
  conditions: ConditionEvaluator,
): Choices {
  const isSeen = ({ condition }: Candidate<Choice>) => conditions.isShown([condition]);
  const sections = section ? [section].filter(isSeen) : [];
  return {
    sections: sectionCount > 0 ? { items: sections, isChoice: sectionCount > 1 } : undefined,
    siteSpaces: () => ({ items: within.siteSpaces.filter(isSeen), isChoice: within.count > 1 }),
  };
}

/** The whole structure that is shown to a visitor, in its order, in one round trip. */
export const readStructureFor = (db: Db, site: string, conditions: ConditionEvaluator): Promise<Choices> =>
  readStructure(db, site, { holds: (condition) => conditions.holds(condition), seesDrafts: false });

/** The same with drafts, whatever the conditions. */
export const readWholeStructure = (db: Db, site: string): Promise<Choices> =>
  readStructure(db, site, { holds: () => true, seesDrafts: true });

async function readStructure(
  db: Db,
  site: string,
  reader: Pick<Reader<unknown>, 'holds' | 'seesDrafts'>,
): Promise<Choices> {
  const [items, spaces] = await Promise.all([readSections(db, site), readSiteSpaces(db, site)]);
  const structure = structureFor(items, spaces, { ...reader, sees: () => true, showsEmpty: false });
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
