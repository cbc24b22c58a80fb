import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { recordEvent } from '../events/record.operation.ts';
import { isExpired } from './check-times.ts';
import { type Claim, onHostnameFreed, recordTargetUpdate } from './custom-hostnames.operation.ts';
import { type HostnameClaim, readActiveClaim, readClaim } from './custom-hostnames.query.ts';
import { checkDns, type DnsResult, expectedRecords } from './dns-check.ts';
import { lockHostnames } from './lock.operation.ts';
import { updateActiveProxies } from './proxies.operation.ts';

type CheckOutcome = Partial<Pick<HostnameClaim, 'status' | 'error' | 'isActive'>> & {
  failingSince?: Date | null;
};

/**
 * The job: checks the DNS records of a hostname that an organization claims, and saves the result. If they are correct, the
 * hostname becomes theirs, unless the records of the organization that has it are correct, too. If they have been wrong for a
 * week, it becomes nobody's. If the lookup fails, what was known stays.
 */
export async function checkCustomHostname(
  { db, services, transaction }: Pick<Context, 'db' | 'services' | 'transaction'>,
  claim: Claim,
  now = new Date(),
): Promise<void> {
  const { hostname } = claim;
  const check = (row: HostnameClaim) =>
    checkDns(services.dns, hostname, expectedRecords(services.urls.hosting, row));
  const row = await readClaim(db, claim);
  if (!row) return;
  const result = await check(row);
  const rival = result.status === 'live' && !row.isActive ? await readActiveClaim(db, hostname) : undefined;
  const rivalResult = rival && (await check(rival));

  await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockHostnames(db, hostname);
    // Read again: it may have been removed, or proved by another organization, during the lookup.
    const current = await readClaim(db, claim);
    if (!current) return;
    if (result.status !== 'live')
      return saveFailure(em, current, result, now, () => onHostnameFreed(em, services, hostname));
    const holder = current.isActive ? undefined : await readActiveClaim(db, hostname);
    if (holder) {
      // guard: hostname-rival
      if (holder.organization !== rival?.organization || !areRecordsWrong(rivalResult))
        return save(em, current, { status: 'dns_passed', error: HELD_BY_OTHER, failingSince: null }, now);
      await save(em, holder, { status: rivalResult.status, error: rivalResult.error, isActive: false }, now);
      recordDeactivation(em, holder, 'taken');
    }
    await save(em, current, { status: 'live', error: null, failingSince: null, isActive: true }, now);
    if (current.isActive) return;
    const { organization, site } = current;
    recordEvent(em, { type: 'custom_hostname.activated', organization, ...about(current) });
    recordTargetUpdate(em, { organization, site });
    await updateActiveProxies(em, hostname);
  });
}

const HELD_BY_OTHER =
  'Another organization has this hostname, as long as its DNS records name that organization.';

type WrongRecords = Extract<DnsResult, { status: 'dns_no_cname' | 'dns_wrong_cname' }>;

const areRecordsWrong = (result: DnsResult | undefined): result is WrongRecords =>
  result?.status !== undefined && result.status !== 'live';

async function saveFailure(
  em: SqlEntityManager,
  claim: HostnameClaim,
  result: Exclude<DnsResult, { status: 'live' }>,
  now: Date,
  release: () => Promise<void>,
): Promise<void> {
  if (!areRecordsWrong(result)) return save(em, claim, { error: result.error }, now);
  const failingSince = claim.failingSince === null ? now : new Date(claim.failingSince);
  // guard: hostname-grace-week, hostname-lapse
  const ends = claim.isActive && isExpired(failingSince, now);
  await save(em, claim, { ...result, failingSince, ...(ends && { isActive: false }) }, now);
  if (!ends) return;
  recordDeactivation(em, claim, 'expired');
  await release();
}

async function save(
  em: SqlEntityManager,
  claim: HostnameClaim,
  outcome: CheckOutcome,
  now: Date,
): Promise<void> {
  const { status, error, isActive, failingSince } = outcome;
  await kyselyOf(em)
    .updateTable('custom_hostname')
    .set({
      checked_at: now,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ...(isActive !== undefined && { is_active: isActive }),
      ...(failingSince !== undefined && { failing_since: failingSince }),
    })
    .where('hostname', '=', claim.hostname)
    .where('organization_id', '=', claim.organization)
    .execute();
}

function recordDeactivation(em: SqlEntityManager, claim: HostnameClaim, reason: 'expired' | 'taken'): void {
  const { organization, site } = claim;
  recordEvent(em, { type: 'custom_hostname.deactivated', organization, ...about(claim), reason });
  recordTargetUpdate(em, { organization, site });
}

const about = ({ hostname, site }: HostnameClaim) => ({ hostname, ...(site !== null && { site }) });
