import type { Site } from '../../schema/entities/site.ts';
import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Db } from '../base/db.ts';
import { findPagesNaming, type SomeClaims } from '../conditions/page-conditions.query.ts';
import { DomainError } from '../engine/errors.ts';
import { checkCondition, declaredNames, unknownClaim } from '../engine/expressions/conditions.ts';

/** How many conditions an error names in its message. */
const NAMED = 5;
/** How many pages it names in its details; those have all the others. */
const NAMED_PAGES = 100;

/** A condition on a site, and what it is on. */
interface Conditioned {
  what: string;
  id: string;
  condition: string;
}

/** The part of settings that has conditions. */
interface Header {
  header?: { links?: { title: string; condition?: string }[] };
}

const linksIn = (customization: Header | null, id: string): Conditioned[] =>
  (customization?.header?.links ?? []).flatMap(({ title, condition }) =>
    condition === undefined ? [] : [{ what: `the link "${title}"`, id, condition }],
  );

/** Every condition on a site: of its sections, of its site spaces, and of the links in its headers. */
async function readConditions(
  db: Db,
  { id: site, customization }: { id: string; customization: unknown },
): Promise<Conditioned[]> {
  const sections = await db
    .selectFrom('site_section')
    .select(['id', 'title', 'condition'])
    .where('site_id', '=', site)
    .where('condition', 'is not', null)
    .orderBy('id')
    .execute();
  const siteSpaces = await db
    .selectFrom('site_space')
    .select(['id', 'path', 'condition', 'customization'])
    .where('site_id', '=', site)
    .where((eb) => eb.or([eb('condition', 'is not', null), eb('customization', 'is not', null)]))
    .orderBy('id')
    .execute();
  return [
    ...sections.map(({ id, title, condition }) => ({ what: `the section "${title}"`, id, condition })),
    ...siteSpaces.map(({ id, path, condition }) => ({ what: `the site space "${path}"`, id, condition })),
    ...linksIn(customization as Header | null, site),
    ...siteSpaces.flatMap(({ id, customization }) => linksIn(customization as Header | null, id)),
  ].filter((on): on is Conditioned => on.condition !== null);
}

/** What of a locked site decides about the conditions on it. */
type Conditioning = Pick<Site, 'id' | 'customization' | 'adaptiveContent' | 'adaptiveSchema'>;

/**
 * The claims that visitors of a site lose with a new schema. Without one, a site takes any claim, but none at all if
 * adaptive content is off.
 */
function lostClaims({ adaptiveContent, adaptiveSchema }: Conditioning, schema: AdaptiveSchema): SomeClaims {
  const kept = declaredNames(schema);
  if (!adaptiveSchema) return adaptiveContent ? { allBut: kept } : { of: [] };
  return { of: declaredNames(AdaptiveSchema.parse(adaptiveSchema)).filter((name) => !kept.includes(name)) };
}

/** A condition that a schema breaks, as the details of an error name it. */
interface Broken {
  what: string;
  path: string;
  message: string;
}

/** Those of the site itself that are not valid with a schema. */
async function findBroken(db: Db, site: Conditioning, schema: AdaptiveSchema): Promise<Broken[]> {
  return (await readConditions(db, site)).flatMap(({ what, id, condition }) => {
    const message = checkCondition(condition, schema);
    return message === undefined ? [] : [{ what, path: id, message }];
  });
}

/**
 * Those of pages that name a claim which is lost with a schema. One that was not known before does not count: pages come
 * with imports, and with spaces that other sites show. Whoever sets the schema may also sign any claim of a visitor, so
 * they may know of these pages.
 */
async function findBrokenPages(
  db: Db,
  site: Conditioning,
  schema: AdaptiveSchema,
): Promise<{ broken: Broken[]; total: number }> {
  const { pages, total } = await findPagesNaming(db, site.id, lostClaims(site, schema), NAMED_PAGES);
  const broken = pages.map(({ page, title, space, claim }) => ({
    what: `the page "${title}" of the space "${space}"`,
    path: page,
    message: unknownClaim(claim),
  }));
  return { broken, total };
}

/**
 * Makes sure that a new schema breaks no condition on a locked site.
 * @throws DomainError `conflict` naming the sections, site spaces, links and pages whose conditions it breaks
 */
export async function requireConditionsWith(
  db: Db,
  site: Conditioning,
  schema: AdaptiveSchema,
): Promise<void> {
  const onSite = await findBroken(db, site, schema);
  const onPages = await findBrokenPages(db, site, schema);
  const broken = [...onSite, ...onPages.broken];
  if (broken.length === 0) return;
  const named = broken.slice(0, NAMED).map(({ what }) => what);
  const others = onSite.length + onPages.total - named.length;
  throw new DomainError(
    'conflict',
    `The schema breaks the conditions of ${[...named, ...(others > 0 ? [`${others} more`] : [])].join(', ')}.`,
    broken.map(({ what, path, message }) => ({ path, message: `${what}: ${message}` })),
  );
}
