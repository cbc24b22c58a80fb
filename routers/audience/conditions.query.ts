import type { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Db } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import { checkCondition } from '../engine/expressions/conditions.ts';

/** How many conditions an error names in its message; its details have them all. */
const NAMED = 5;

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

/**
 * Makes sure that the conditions on a locked site are valid with a new schema.
 * @throws DomainError `conflict` naming the sections, site spaces and links whose conditions are not
 */
export async function requireConditionsWith(
  db: Db,
  site: { id: string; customization: unknown },
  schema: AdaptiveSchema,
): Promise<void> {
  const broken = (await readConditions(db, site)).flatMap(({ what, id, condition }) => {
    const problem = checkCondition(condition, schema);
    return problem === undefined ? [] : [{ what, path: id, message: problem }];
  });
  if (broken.length === 0) return;
  const named = broken.slice(0, NAMED).map(({ what }) => what);
  const more = broken.length > NAMED ? [`${broken.length - NAMED} more`] : [];
  throw new DomainError(
    'conflict',
    `The schema breaks the conditions of ${[...named, ...more].join(', ')}.`,
    broken.map(({ what, path, message }) => ({ path, message: `${what}: ${message}` })),
  );
}
