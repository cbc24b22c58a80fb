import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { requireForeign } from '../addresses/hostnames.ts';
import { type Context, type Db, kyselyOf, type Services } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { readCustomHostname } from './custom-hostnames.query.ts';
import { checkDns, expectedRecords } from './dns-check.ts';

interface Target {
  organization: string;
  /** Null for the organization itself. */
  site: string | null;
}

/**
 * Gives a hostname to a site, or to an organization for all of its sites, and enqueues its check. A target has one
 * hostname. One that was never proven to be another's is taken over, so that naming it keeps nobody from using it.
 * @throws DomainError `invalid` for a hostname of the service, `not-found` for a site of another organization, `conflict`
 *   for an active hostname of another organization, or if the target has another one
 */
export async function assignHostname(
  em: SqlEntityManager,
  services: Pick<Services, 'urls' | 'jobs'>,
  hostname: string,
  { organization, site }: Target,
): Promise<void> {
  const db = kyselyOf(em);
  requireForeign(services.urls.hosting, 'hostname', hostname);
  await lockOrganizations(db, organization);
  if (site !== null) await requireSiteIn(db, organization, site);
  const taken = await db
    .selectFrom('custom_hostname')
    .select('hostname')
    .where('organization_id', '=', organization)
    .where('site_id', site === null ? 'is' : '=', site)
    .where('hostname', '!=', hostname)
    .executeTakeFirst();
  if (taken)
    throw new DomainError('conflict', `The hostname ${taken.hostname} is already set: remove it first.`);
  const before = await readCustomHostname(db, hostname);
  const given = { hostname, organization_id: organization, site_id: site, created_at: new Date() };
  const assigned = await db
    .insertInto('custom_hostname')
    .values({ ...given, is_active: false })
    .onConflict((conflict) =>
      conflict
        .column('hostname')
        .doUpdateSet({
          ...given,
          is_active: sql<boolean>`custom_hostname.is_active`,
          status: null,
          error: null,
        })
        .where(({ eb, or, ref }) =>
          or([
            eb('custom_hostname.organization_id', '=', ref('excluded.organization_id')),
            eb('custom_hostname.is_active', '=', false),
          ]),
        ),
    )
    .returning('hostname')
    .execute();
  if (assigned.length === 0) throw new DomainError('conflict', 'This hostname is in use.');
  recordChange(em, { organization, site });
  const left = before?.site ?? null;
  if (before?.organization === organization && left !== site) recordChange(em, { organization, site: left });
  await services.jobs.enqueue(db, 'check-custom-hostname', { data: { hostname }, group: organization });
}

async function requireSiteIn(db: Db, organization: string, site: string): Promise<void> {
  const found = await db
    .selectFrom('site')
    .select('id')
    .where('id', '=', site)
    .where('organization_id', '=', organization)
    .forKeyShare()
    .executeTakeFirst();
  if (!found) throw notFound('site');
}

/** Gives a hostname up. @throws DomainError `not-found` if another organization has taken it over since it was read */
export async function removeHostname(
  em: SqlEntityManager,
  { hostname, organization }: { hostname: string; organization: string },
): Promise<void> {
  const removed = await kyselyOf(em)
    .deleteFrom('custom_hostname')
    .where('hostname', '=', hostname)
    .where('organization_id', '=', organization)
    .returning('site_id as site')
    .executeTakeFirst();
  if (!removed) throw notFound('custom hostname');
  recordChange(em, { organization, site: removed.site });
}

/** Where a site is, or all sites of an organization are, is a part of them. */
const recordChange = (em: SqlEntityManager, { organization, site }: Target) =>
  recordEvent(
    em,
    site === null
      ? { type: 'organization.updated', organization }
      : { type: 'site.updated', site, organization },
  );

/** The job: checks the records of a hostname and saves what they say. If the DNS does not answer, what was known stays. */
export async function checkCustomHostname(
  { db, services, transaction }: Pick<Context, 'db' | 'services' | 'transaction'>,
  hostname: string,
): Promise<void> {
  const row = await readCustomHostname(db, hostname);
  if (!row) return;
  const { status, ...result } = await checkDns(
    services.dns,
    hostname,
    expectedRecords(services.urls.hosting, row),
  );
  const isActive = status === undefined ? row.isActive : status === 'live';
  await transaction(async (em) => {
    const checked = await kyselyOf(em)
      .updateTable('custom_hostname')
      .set({
        ...(status && { status, is_active: isActive }),
        error: 'error' in result ? result.error : null,
        checked_at: new Date(),
      })
      .where('hostname', '=', hostname)
      // Another organization may have it by now, whose check is yet to come.
      .where('organization_id', '=', row.organization)
      .returning('site_id as site')
      .executeTakeFirst();
    if (checked && isActive !== row.isActive)
      recordChange(em, { organization: row.organization, site: checked.site });
  });
}
