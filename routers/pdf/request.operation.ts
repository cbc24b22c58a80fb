import { hash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import type { PdfScope } from '../../schema/json/pdf-scope.ts';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import { readPdf } from './pdf.query.ts';

/** How long a PDF is reused for the same request, in milliseconds: what it shows of other spaces may change. */
const REUSE_PERIOD = 10 * 60 * 1000;

/** How long a PDF is kept, in hours: longer than its URLs are valid. */
const RETENTION_HOURS = 24;

/** How many PDFs of an organization may be waiting when a member, or a visitor of a site, requests another. */
const MAX_WAITING = { members: 100, visitors: 20 };

/** PDFs for members come before those for visitors. */
const PRIORITY = { members: 1, visitors: 0 };

export interface PdfRequest {
  space: { id: string; organization: string };
  scope: PdfScope;
}

/**
 * Requests a PDF of some content; one that was requested some minutes ago is reused.
 * @throws DomainError `too-many` if too many PDFs of the organization are waiting
 */
export async function requestPdf(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { space, scope }: PdfRequest,
  now: number,
): ReturnType<typeof readPdf> {
  const db = kyselyOf(em);
  const { organization } = space;
  const identity = { space: space.id, scope };
  const key = hash('sha256', canonicalJson(identity as unknown as Json));
  const since = new Date(now - REUSE_PERIOD);
  const existing = await readPdf(db, { key, since });
  if (existing) return existing;
  const audience = scope.visitor ? 'visitors' : 'members';
  // Serialized, so that concurrent requests neither duplicate a PDF nor exceed the limit together.
  await sql`select id from organization where id = ${organization} for no key update`.execute(db);
  const concurrent = await readPdf(db, { key, since });
  if (concurrent) return concurrent;
  const { waiting } = await db
    .selectFrom('pdf')
    .select((eb) => eb.fn.countAll<string>().as('waiting'))
    .where('organization_id', '=', organization)
    .where('state', 'in', ['pending', 'progress'])
    .executeTakeFirstOrThrow();
  // guard: pdf-waiting-limit
  if (Number(waiting) >= MAX_WAITING[audience])
    throw new DomainError('too-many', 'Too many PDFs are waiting to be generated; try again soon.');
  const id = newId();
  await db
    .insertInto('pdf')
    .values({
      id,
      organization_id: organization,
      space_id: space.id,
      key,
      scope: sql`${JSON.stringify(scope)}::jsonb`,
      state: 'pending',
      created_at: new Date(now),
      expires_at: sql<Date>`now() + make_interval(hours => ${RETENTION_HOURS})`,
      done: 0,
    })
    .execute();
  await jobs.enqueue(db, 'make-pdf', {
    data: { pdf: id },
    group: organization,
    priority: PRIORITY[audience],
  });
  return readPdf(db, { id });
}
