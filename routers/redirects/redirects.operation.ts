import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import type { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import { segmentsOf } from '../addresses/published.ts';
import { sourcePathOf } from '../addresses/source-path.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import type { VisibilityFilter } from '../sites/published/visible-structure.query.ts';
import { type DestinationReader, findDestination } from './destinations.query.ts';

interface Redirect {
  source: string;
  destination: RedirectDestination;
}

/**
 * Saves a new or changed redirect of a locked site.
 * @param sees whether the caller may view a space
 * @throws DomainError `not-found` for a destination that does not exist or that they may not view, `invalid` for one that
 *   is its own source or a link, `conflict` if another redirect has the source
 */
export async function saveRedirect(
  { em, ...reading }: { em: SqlEntityManager } & Omit<DestinationReader, 'db'>,
  redirect: SiteRedirect,
  to: Redirect,
  sees: VisibilityFilter['sees'],
): Promise<void> {
  const db = kyselyOf(em);
  await requireDestination({ ...reading, db }, redirect.site, to, sees);
  const other = await db
    .selectFrom('site_redirect')
    .select('id')
    .where('site_id', '=', redirect.site)
    .where('source', '=', to.source)
    .where('id', '!=', redirect.id)
    .executeTakeFirst();
  if (other) throw new DomainError('conflict', 'Another redirect of this site has this source.');
  em.assign(redirect, { ...to, importedWith: null });
  await em.flush();
}

const NOUNS = { 'site-section': 'section', 'site-space': 'site space', 'site-page': 'page' } as const;

async function requireDestination(
  reading: DestinationReader,
  site: string,
  { source, destination }: Redirect,
  sees: VisibilityFilter['sees'],
): Promise<void> {
  const found = await findDestination(reading, site, destination);
  // Those who may change a site see all of its sections, but not all spaces.
  const isVisible = destination.kind === 'site-section' || found?.spaces.some(sees);
  // guard: redirect-target-visible
  if (!found || !isVisible) throw notFound(NOUNS[destination.kind]);
  const refusal = found.isLink
    ? 'The page is a link, which has no address.'
    : sourcePathOf(segmentsOf(found.place)) === source && 'The redirect would lead to its own source.';
  if (refusal) throw new DomainError('invalid', refusal, [{ path: 'destination', message: refusal }]);
}
