import type { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Db } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import { checkCondition } from '../engine/expressions/conditions.ts';

/** How many conditions an error names in its message; its details have them all. */
const NAMED = 5;

/**
 * Makes sure that the conditions on a locked site are valid with a new schema.
 * @throws DomainError `conflict` naming the sections and site spaces whose conditions are not
 */
export async function requireConditionsWith(db: Db, site: string, schema: AdaptiveSchema): Promise<void> {
  const sections = db
    .selectFrom('site_section')
    .select((eb) => [eb.val('section').as('kind'), 'id', 'path', 'condition'])
    .where('site_id', '=', site)
    .where('condition', 'is not', null);
  const siteSpaces = db
    .selectFrom('site_space')
    .select((eb) => [eb.val('site space').as('kind'), 'id', 'path', 'condition'])
    .where('site_id', '=', site)
    .where('condition', 'is not', null);
  const rows = await sections.unionAll(siteSpaces).orderBy('kind').orderBy('id').execute();
  const broken = rows.flatMap(({ kind, id, path, condition }) => {
    const problem = checkCondition(condition as string, schema);
    return problem === undefined ? [] : [{ what: `the ${kind} "${path}"`, path: id, message: problem }];
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
