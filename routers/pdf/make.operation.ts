import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { runFor } from '../base/caller.ts';
import type { Context } from '../base/context.ts';
import type { BookDraft } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';
import { readBook } from './book.query.ts';
import {
  type ClaimedPdf,
  claimPdf,
  EXTENSION_INTERVAL,
  MAX_ATTEMPTS,
  updateClaimed,
} from './claim.operation.ts';

/** Milliseconds between updates of the progress. */
const PROGRESS_INTERVAL = 1000;

const FAILED = 'The PDF could not be generated. Try again later.';

type MakingContext = Pick<Context, 'db' | 'services' | 'transaction'>;

/**
 * Makes a PDF, only once, however often it is called. If the process is killed, the job stays and runs again. Errors in the
 * content are saved as the result.
 * @throws any other error, so that the job is retried a few times
 */
export async function makePdf(context: MakingContext, id: string): Promise<void> {
  const { services, transaction } = context;
  const pdf = await transaction((em) => claimPdf(em, services, id));
  if (!pdf) return;
  const { organization } = pdf;
  await runFor({ organization, user: organization }, async () => {
    const draft = await services.typesetter.open();
    const lease = startExtendingLease(context, pdf, draft);
    try {
      await make(context, pdf, draft);
    } catch (error) {
      await recordFailure(context, pdf, error);
    } finally {
      clearInterval(lease);
      await draft.discard();
    }
  });
}

/** Extends the lease regularly, and aborts once another process has claimed the PDF. */
function startExtendingLease(
  { db, services }: MakingContext,
  pdf: Pick<ClaimedPdf, 'id' | 'attempts'>,
  draft: BookDraft,
): NodeJS.Timeout {
  return setInterval(() => {
    updateClaimed(db, pdf, {}).then(
      (isStillClaimed) => (isStillClaimed ? undefined : draft.discard()),
      // The next extension may succeed; and the final update checks the claim again.
      (error: unknown) => services.logger.warn({ err: error, pdf: pdf.id }, 'lease not extended'),
    );
  }, EXTENSION_INTERVAL * 1000);
}

async function recordFailure({ db, services }: MakingContext, pdf: ClaimedPdf, error: unknown) {
  if (error instanceof DomainError) {
    await updateClaimed(db, pdf, { state: 'failed', problem: error.message });
    return;
  }
  const isLast = pdf.attempts >= MAX_ATTEMPTS;
  if (isLast) services.logger.error({ err: error, pdf: pdf.id }, 'a PDF failed');
  const isStillClaimed = await updateClaimed(
    db,
    pdf,
    isLast ? { state: 'failed', problem: FAILED } : { state: 'pending' },
  );
  if (isStillClaimed && !isLast) throw error;
}

async function make({ db, services }: MakingContext, pdf: ClaimedPdf, draft: BookDraft): Promise<void> {
  const { id, organization } = pdf;
  // The processes that attempted it were killed before they could record a failure.
  // guard: pdf-attempts
  if (pdf.attempts > MAX_ATTEMPTS) throw new DomainError('unavailable', FAILED);
  const { book, digest } = await readBook({ db, services }, pdf, draft);
  const source = hash('sha256', digest);
  const same = await db
    .selectFrom('pdf')
    .select(['file', 'size', 'pages'])
    .where('organization_id', '=', organization)
    // guard: pdf-same-source
    .where('source', '=', source)
    .where('state', '=', 'complete')
    // One that is about to expire may be removed, with its file, before this one refers to that.
    .where('expires_at', '>', sql<Date>`now() + interval '1 hour'`)
    .limit(1)
    .executeTakeFirst();
  const total = book.pages.length;
  const complete = (made: { file: string; size: number; pages: number }) =>
    updateClaimed(db, pdf, { ...made, source, state: 'complete', done: total, total });
  const { file, size, pages } = same ?? {};
  if (file && size != null && pages != null && (await services.storage.size(file)) !== undefined) {
    await complete({ file, size, pages });
    return;
  }
  let lastUpdate = 0;
  const printed = await draft.typeset(book, (done) => {
    if (Date.now() - lastUpdate < PROGRESS_INTERVAL) return;
    lastUpdate = Date.now();
    // Losing an update is harmless: the next one supersedes it.
    updateClaimed(db, pdf, { done, total }).catch((error: unknown) =>
      services.logger.warn({ err: error, pdf: id }, 'progress not recorded'),
    );
  });
  const { sha256, bytes, notes, standard, ...made } = printed;
  await services.storage.put(sha256, bytes);
  await complete({ file: sha256, size: made.size, pages: made.pages });
  services.logger.info(
    { pdf: id, organization, ...made, standard, notes: notes.slice(0, 20) },
    'a PDF was generated',
  );
}
