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

/** How long a PDF is the answer to the same question, in milliseconds: what it shows of other spaces may change. */
const FRESH = 10 * 60 * 1000;

/** How long a PDF is kept, in hours: longer than the addresses that lead to it. */
const KEPT = 24;

/** PDFs that may wait: of an organization in all, and for the visitors of its sites. */
const MAX_WAITING = { members: 100, visitors: 20 };

/** Members wait for nobody's visitors. */
const PRIORITY = { members: 1, visitors: 0 };

export interface PdfRequest {
  space: { id: string; organization: string };
  scope: PdfScope;
}

/**
 * The PDF of some content, which is made unless the same was asked for some minutes ago.
 * @throws DomainError `too-many` if too many of the organization wait
 */
export async function requestPdf(
  em: SqlEntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { space, scope }: PdfRequest,
  now: number,
): ReturnType<typeof readPdf> {
  const db = kyselyOf(em);
  const { organization } = space;
  const asked = { space: space.id, scope };
  const key = hash('sha256', canonicalJson(asked as unknown as Json));
  const since = new Date(now - FRESH);
  const known = await readPdf(db, { key, since });
  if (known) return known;
  const whom = scope.visitor ? 'visitors' : 'members';
  // One after the other, so that they neither ask for the same nor pass the limit together.
  await sql`select id from organization where id = ${organization} for no key update`.execute(db);
  const meanwhile = await readPdf(db, { key, since });
  if (meanwhile) return meanwhile;
  const { waiting } = await db
    .selectFrom('pdf')
    .select((eb) => eb.fn.countAll<string>().as('waiting'))
    .where('organization_id', '=', organization)
    .where('state', 'in', ['pending', 'progress'])
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= MAX_WAITING[whom])
    throw new DomainError('too-many', 'Too many PDFs are waiting to be made; try again soon.');
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
      expires_at: sql<Date>`now() + make_interval(hours => ${KEPT})`,
      done: 0,
    })
    .execute();
  await jobs.enqueue(db, 'make-pdf', { data: { pdf: id }, group: organization, priority: PRIORITY[whom] });
  return readPdf(db, { id });
}
