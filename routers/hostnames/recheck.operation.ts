import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { CHECK_INTERVAL } from './check-times.ts';
import { enqueueCheck } from './custom-hostnames.operation.ts';

/** Rows per transaction, few enough to keep it short. */
const BATCH = 500;

/** Returns some of the rows that are due, and makes them due again in a day. */
const rescheduleDue = async <Row>(db: Db, table: string, columns: RawBuilder<unknown>): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    update ${sql.table(table)} set check_at = now() + make_interval(hours => ${CHECK_INTERVAL})
    where ctid = any(array(
      select ctid from ${sql.table(table)} where check_at <= now() order by check_at limit ${BATCH}
      for update skip locked))
    returning ${columns}`.execute(db);
  return rows;
};

/** The job: enqueues checks of the custom hostnames and proxies that have not been checked for a day. */
export async function recheckHostnames({
  transaction,
  services,
}: Pick<Context, 'transaction' | 'services'>): Promise<void> {
  const { jobs } = services;
  for (;;) {
    const count = await transaction(async (em) => {
      const db = kyselyOf(em);
      const claims = await rescheduleDue<{ hostname: string; organization: string }>(
        db,
        'custom_hostname',
        sql`hostname, organization_id as organization`,
      );
      const proxies = await rescheduleDue<{ site: string; organization: string }>(
        db,
        'site_proxy',
        sql`site_id as site, organization_id as organization`,
      );
      await enqueueCheck(db, services, ...claims);
      const checks = proxies.map(({ site, organization: group }) => ({ data: { site }, group }));
      if (checks.length > 0) await jobs.enqueue(db, 'check-proxy', ...checks);
      return claims.length + proxies.length;
    });
    if (count < BATCH) return;
  }
}
