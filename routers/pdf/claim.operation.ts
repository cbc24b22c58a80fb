/** Who makes a PDF: one process at a time, and one PDF of an organization at a time. */

import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { readPdf } from './pdf.query.ts';

/** For how long a process has a PDF to itself before it extends its lease, and how often it does: in seconds. */
const LEASE = 30;
export const EXTENSION = 10;

/** How often a PDF is begun: what kills the process each time would do so for ever. */
export const MAX_ATTEMPTS = 3;

/** Seconds until a job that came too early runs again. */
const DELAY = 3;

const until = sql<Date>`now() + make_interval(secs => ${LEASE})`;

export type ClaimedPdf = NonNullable<Awaited<ReturnType<typeof readPdf>>>;

/**
 * Claims a PDF that is to be made. While another one of its organization is being made, its job is put off.
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
  // Claims of one organization come one after the other, so that each sees those before it.
  await sql`select id from organization where id = ${organization} for no key update`.execute(db);
  const { rows } = await sql`
    update pdf set state = 'progress', attempts = attempts + 1, leased_until = ${until}
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

/** What a process that has claimed a PDF writes of it: nothing any more once another one has claimed it. */
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

/** Writes what has become of a claimed PDF, and extends or ends the lease. @returns whether it still is this claim's */
export async function updateClaimed(
  db: Db,
  { id, attempts }: Pick<ClaimedPdf, 'id' | 'attempts'>,
  changes: Changes,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pdf')
    .set({ ...changes, leased_until: changes.state === undefined ? until : null })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'progress')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
