import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { recordEvent } from '../events/record.operation.ts';
import { isExpired } from './check-times.ts';
import { type Claim, passOn, recordChange } from './custom-hostnames.operation.ts';
import { type HostnameClaim, readActiveClaim, readClaim } from './custom-hostnames.query.ts';
import { checkDns, type DnsResult, expectedRecords } from './dns-check.ts';
import { lockHostnames } from './lock.operation.ts';
import { settleProxies } from './proxies.operation.ts';

type Outcome = Partial<Pick<HostnameClaim, 'status' | 'error' | 'isActive'>> & { failingSince?: Date | null };

/**
 * The job: checks the records of a hostname that an organization named, and saves what they say. If they are right, it is
 * theirs, unless those of the organization that has it are right as well. If they have been wrong for a week, it is
 * nobody's. If the DNS does not answer, what was known stays.
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
  const ofRival = rival && (await check(rival));

  await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockHostnames(db, hostname);
    // Only now: it may have been given up, or proved by another organization, while the DNS was asked.
    const current = await readClaim(db, claim);
    if (!current) return;
    if (result.status !== 'live')
      return saveFailure(em, current, result, now, () => passOn(em, services, hostname));
    const holder = current.isActive ? undefined : await readActiveClaim(db, hostname);
    if (holder) {
      // guard: hostname-rival
      if (holder.organization !== rival?.organization || !isWrong(ofRival))
        return save(em, current, { status: 'dns_passed', error: HELD, failingSince: null }, now);
      await save(em, holder, { status: ofRival.status, error: ofRival.error, isActive: false }, now);
      recordDeactivation(em, holder, 'taken');
    }
    await save(em, current, { status: 'live', error: null, failingSince: null, isActive: true }, now);
    if (current.isActive) return;
    const { organization, site } = current;
    recordEvent(em, { type: 'custom_hostname.activated', organization, ...about(current) });
    recordChange(em, { organization, site });
    await settleProxies(em, hostname);
  });
}

const HELD = 'Another organization has this hostname for as long as its records name that one.';

type Wrong = Extract<DnsResult, { status: 'dns_no_cname' | 'dns_wrong_cname' }>;

const isWrong = (result: DnsResult | undefined): result is Wrong =>
  result?.status !== undefined && result.status !== 'live';

async function saveFailure(
  em: SqlEntityManager,
  claim: HostnameClaim,
  result: Exclude<DnsResult, { status: 'live' }>,
  now: Date,
  release: () => Promise<void>,
): Promise<void> {
  if (!isWrong(result)) return save(em, claim, { error: result.error }, now);
  const failingSince = claim.failingSince === null ? now : new Date(claim.failingSince);
  // guard: hostname-grace-week, hostname-lapse
  const ends = claim.isActive && isExpired(failingSince, now);
  await save(em, claim, { ...result, failingSince, ...(ends && { isActive: false }) }, now);
  if (!ends) return;
  recordDeactivation(em, claim, 'expired');
  await release();
}

async function save(em: SqlEntityManager, claim: HostnameClaim, outcome: Outcome, now: Date): Promise<void> {
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
  recordChange(em, { organization, site });
}

const about = ({ hostname, site }: HostnameClaim) => ({ hostname, ...(site !== null && { site }) });
