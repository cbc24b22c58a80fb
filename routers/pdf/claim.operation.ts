/** Assigns PDFs to processes: one process makes a PDF, and each organization has one PDF made at a time. */

import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { readPdf } from './pdf.query.ts';

/** How long the lease of a process on a PDF lasts, and how often the process extends it, in seconds. */
const LEASE = 30;
export const EXTENSION_INTERVAL = 10;

/** How often a PDF is attempted: a PDF that kills its process would do so for ever. */
export const MAX_ATTEMPTS = 3;

/** Seconds until a postponed job runs again. */
const DELAY = 3;

const leaseEnd = sql<Date>`now() + make_interval(secs => ${LEASE})`;

export type ClaimedPdf = NonNullable<Awaited<ReturnType<typeof readPdf>>>;

/**
 * Claims a PDF that is to be made. While another PDF of the organization is being made, the job is postponed.
 * @returns undefined if there is nothing to do now
 */
export async function claimPdf(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  id: string,
): Promise<ClaimedPdf | undefined> {
  const db = kyselyOf(em);
  const pdf = await readPdf(db, { id });
  if (!pdf || !isOpen(pdf)) return undefined;
  const { organization } = pdf;
  // Claims of one organization are serialized, so that each sees the ones before it.
  await sql`select id from organization where id = ${organization} for no key update`.execute(db);
  // guard: pdf-one-per-organization
  const { rows } = await sql`
    update pdf set state = 'progress', attempts = attempts + 1, leased_until = ${leaseEnd}
    where id = ${id} and state in ('pending', 'progress') and not exists (
      select from pdf as other
      where other.organization_id = ${organization} and other.state = 'progress' and other.leased_until > now())
    returning id`.execute(db);
  if (rows.length === 0) {
    await jobs.enqueue(db, 'make-pdf', { data: { pdf: id }, group: organization, delay: DELAY });
    return undefined;
  }
  return readPdf(db, { id });
}

const isOpen = ({ state }: Pick<ClaimedPdf, 'state'>) => state === 'pending' || state === 'progress';

/** What a process can update of a PDF that it has claimed, until another one claims it. */
interface Changes {
  state?: 'pending' | 'complete' | 'failed';
  done?: number;
  total?: number;
  file?: string;
  size?: number;
  pages?: number;
  source?: string;
  problem?: string;
}

/** Updates a claimed PDF, and extends or ends the lease. @returns false if another process has claimed it */
export async function updateClaimed(
  db: Db,
  { id, attempts }: Pick<ClaimedPdf, 'id' | 'attempts'>,
  changes: Changes,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pdf')
    .set({ ...changes, leased_until: changes.state === undefined ? leaseEnd : null })
    .where('id', '=', id)
    // guard: pdf-claimed-elsewhere
    .where('attempts', '=', attempts)
    .where('state', '=', 'progress')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
