import { isDeepStrictEqual } from 'node:util';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import { placeOfPage } from '../addresses/places.ts';
import { segmentsOf } from '../addresses/published.ts';
import { readSitePaths } from '../addresses/site-paths.query.ts';
import { SourcePath, sourcePathOf } from '../addresses/source-path.ts';
import { lockSite } from '../audience/lock.operation.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { CONFIG_PATH } from '../engine/import/config.ts';
import type { PlannedRedirect } from '../engine/import/redirects.ts';
import { type ImportNote, quote } from '../engine/import/report.ts';
import { recordEvent } from '../events/record.operation.ts';
import { findSiteSpace } from './destinations.query.ts';

interface RedirectImport {
  site: string;
  space: string;
  /** With paths and pages of the space. */
  redirects: readonly PlannedRedirect[];
}

/**
 * The site space of a space, with the columns that decide where its pages are; `space` is undefined if it is still to be created.
 * @throws DomainError `invalid` if the space is not on the site
 */
export async function requireSiteSpace(db: Db, site: string, space: string | undefined) {
  const siteSpace =
    space !== undefined &&
    (await db
      .selectFrom('site_space')
      .select('id')
      .where('site_id', '=', site)
      .where('space_id', '=', space)
      .executeTakeFirst());
  const found = siteSpace && (await findSiteSpace(db, site, siteSpace.id));
  if (!found) throw new DomainError('invalid', 'This space is not on the site: add it to the site first.');
  return { id: siteSpace.id, columns: found.columns };
}

/**
 * Adds the imported redirects of a space to a site that shows it, replacing those that were imported with it before.
 * Redirects that users created or changed are kept, and reported if they differ.
 * @throws DomainError `invalid` if the space is not on the site
 */
export async function importRedirects(
  em: SqlEntityManager,
  { site, space, redirects }: RedirectImport,
): Promise<ImportNote[]> {
  const db = kyselyOf(em);
  const { organization } = await lockSite(em, site);
  const { id: siteSpaceId, columns } = await requireSiteSpace(db, site, space);
  const paths = await readSitePaths(db, site);
  const notes: ImportNote[] = [];
  const warn = (source: string, message: string) =>
    void notes.push({
      file: CONFIG_PATH,
      severity: 'warning',
      message: `The redirect of ${quote(source)} was not imported: ${message}`,
    });
  const wanted = new Map<string, RedirectDestination>();
  for (const { from, page } of redirects) {
    // The path itself is not split again: a segment may contain a slash.
    const { page: _, ...place } = placeOfPage(columns, from.join('/'), paths);
    const source = sourcePathOf([...segmentsOf(place), ...from]);
    if (!SourcePath.safeParse(source).success) warn(source, 'the path is too long.');
    else wanted.set(source, { kind: 'site-page', siteSpaceId, pageId: page });
  }
  const sources = [...wanted.keys()];
  const taken = await db
    .selectFrom('site_redirect')
    .select(['source', 'destination'])
    .where('site_id', '=', site)
    .where('source', '=', sql<string>`any(${sources}::text[])`)
    .where('imported_with_id', 'is distinct from', space)
    .execute();
  for (const { source, destination } of taken) {
    if (!isDeepStrictEqual(destination, wanted.get(source))) warn(source, 'the site has another one.');
    wanted.delete(source);
  }
  if (await replace(db, site, space, wanted)) recordEvent(em, { type: 'site.updated', site, organization });
  return notes;
}

/** @returns whether this changed anything */
async function replace(
  db: Db,
  site: string,
  space: string,
  wanted: ReadonlyMap<string, RedirectDestination>,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('site_redirect')
    .where('site_id', '=', site)
    .where('imported_with_id', '=', space)
    .where('source', '!=', sql<string>`all(${[...wanted.keys()]}::text[])`)
    .executeTakeFirst();
  if (wanted.size === 0) return numDeletedRows > 0n;
  const columns = [...wanted].map(([source, destination]) => ({
    id: newId(),
    source,
    destination: JSON.stringify(destination),
  }));
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('site_redirect')
    .columns(['id', 'source', 'destination', 'site_id', 'imported_with_id', 'created_at'])
    // As arrays, since a statement has at most 65,535 parameters.
    .expression(
      sql`select redirect.*, ${site}, ${space}, ${new Date()}::timestamptz from unnest(
        ${columns.map(({ id }) => id)}::text[],
        ${columns.map(({ source }) => source)}::text[],
        ${columns.map(({ destination }) => destination)}::jsonb[]
      ) as redirect`,
    )
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'source'])
        .doUpdateSet({ destination: (eb) => eb.ref('excluded.destination') })
        .whereRef('site_redirect.destination', 'is distinct from', 'excluded.destination'),
    )
    .executeTakeFirst();
  return numDeletedRows + numInsertedOrUpdatedRows > 0n;
}
