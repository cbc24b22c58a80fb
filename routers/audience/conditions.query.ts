import type { Site } from '../../schema/entities/site.ts';
import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Db } from '../base/db.ts';
import { type ClaimSelection, findPagesUsingClaims } from '../conditions/page-conditions.query.ts';
import { DomainError } from '../engine/errors.ts';
import { checkCondition, declaredClaimNames, unknownClaim } from '../engine/expressions/conditions.ts';

/** How many conditions the message of an error names. */
const NAMED = 5;
/** How many pages its details name; they name all other conditions. */
const NAMED_PAGES = 100;

/** A condition on a part of a site. */
interface SiteCondition {
  what: string;
  id: string;
  condition: string;
}

/** The part of a customization that has conditions. */
interface WithHeaderLinks {
  header?: { links?: { title: string; condition?: string }[] };
}

const linksIn = (customization: WithHeaderLinks | null, id: string): SiteCondition[] =>
  (customization?.header?.links ?? []).flatMap(({ title, condition }) =>
    condition === undefined ? [] : [{ what: `the link "${title}"`, id, condition }],
  );

/** Reads all conditions on a site: those of its sections, its site spaces, and the links in its headers. */
async function readConditions(
  db: Db,
  { id: site, customization }: { id: string; customization: unknown },
): Promise<SiteCondition[]> {
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
    ...linksIn(customization as WithHeaderLinks | null, site),
    ...siteSpaces.flatMap(({ id, customization }) => linksIn(customization as WithHeaderLinks | null, id)),
  ].filter((on): on is SiteCondition => on.condition !== null);
}

/** A locked site with what decides about the conditions on it. */
type SiteWithConditions = Pick<Site, 'id' | 'customization' | 'adaptiveContent' | 'adaptiveSchema'>;

/**
 * The claims that visitors of a site can no longer have with a new schema. A site without a schema accepts any claim, or
 * none if adaptive content is off.
 */
function removedClaims(
  { adaptiveContent, adaptiveSchema }: SiteWithConditions,
  schema: AdaptiveSchema,
): ClaimSelection {
  const kept = declaredClaimNames(schema);
  if (!adaptiveSchema) return adaptiveContent ? { except: kept } : { only: [] };
  return {
    only: declaredClaimNames(AdaptiveSchema.parse(adaptiveSchema)).filter((name) => !kept.includes(name)),
  };
}

/** A condition that is not valid with a schema, as the details of an error name it. */
interface BrokenCondition {
  what: string;
  path: string;
  message: string;
}

/** Finds the conditions on the site itself that are not valid with a schema. */
async function findBrokenConditions(
  db: Db,
  site: SiteWithConditions,
  schema: AdaptiveSchema,
): Promise<BrokenCondition[]> {
  return (await readConditions(db, site)).flatMap(({ what, id, condition }) => {
    const message = checkCondition(condition, schema);
    return message === undefined ? [] : [{ what, path: id, message }];
  });
}

/**
 * Finds the conditions of pages that name a claim which a schema removes. Claims that the site did not accept before do not
 * count: such pages come with imports, and with spaces that other sites show. The titles may be revealed: whoever sets the
 * schema can also sign any claim, and so see these pages.
 */
async function findBrokenPages(
  db: Db,
  site: SiteWithConditions,
  schema: AdaptiveSchema,
): Promise<{ broken: BrokenCondition[]; total: number }> {
  const { pages, total } = await findPagesUsingClaims(db, site.id, removedClaims(site, schema), NAMED_PAGES);
  const broken = pages.map(({ page, title, space, claim }) => ({
    what: `the page "${title}" of the space "${space}"`,
    path: page,
    message: unknownClaim(claim),
  }));
  return { broken, total };
}

/**
 * Requires that a new schema breaks no condition on a locked site.
 * @throws DomainError `conflict` naming the sections, site spaces, links and pages whose conditions it breaks
 */
export async function requireValidConditions(
  db: Db,
  site: SiteWithConditions,
  schema: AdaptiveSchema,
): Promise<void> {
  const onSite = await findBrokenConditions(db, site, schema);
  const onPages = await findBrokenPages(db, site, schema);
  // guard: schema-page-conditions
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
