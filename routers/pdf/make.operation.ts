import { hash } from 'node:crypto';
import { runFor } from '../base/caller.ts';
import type { Context } from '../base/context.ts';
import type { BookDraft } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';
import { readBook } from './book.query.ts';
import { type ClaimedPdf, claimPdf, EXTENSION, MAX_ATTEMPTS, updateClaimed } from './claim.operation.ts';

/** Milliseconds between reports of progress. */
const REPORTS = 1000;

const FAILED = 'The PDF could not be made. Try again later.';

type MakingContext = Pick<Context, 'db' | 'services' | 'transaction'>;

/**
 * Makes a PDF, once, however often it is called. A process that is killed in between leaves its job, which then runs again.
 * What is wrong with the content is the result.
 * @throws what went wrong otherwise, so that the job runs again, a few times
 */
export async function makePdf(context: MakingContext, id: string): Promise<void> {
  const { services, transaction } = context;
  const pdf = await transaction((em) => claimPdf(em, services, id));
  if (!pdf) return;
  const { organization } = pdf;
  await runFor({ organization, user: organization }, async () => {
    const draft = await services.typesetter.open();
    const lease = keepLease(context, pdf, draft);
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

/** Extends the lease while the PDF is made, and stops that once another process has it. */
function keepLease(
  { db, services }: MakingContext,
  pdf: Pick<ClaimedPdf, 'id' | 'attempts'>,
  draft: BookDraft,
): NodeJS.Timeout {
  return setInterval(() => {
    updateClaimed(db, pdf, {}).then(
      (isOurs) => (isOurs ? undefined : draft.discard()),
      // The next one may succeed; and what is written at the end says whose it is.
      (error: unknown) => services.logger.warn({ err: error, pdf: pdf.id }, 'lease not extended'),
    );
  }, EXTENSION * 1000);
}

async function recordFailure({ db, services }: MakingContext, pdf: ClaimedPdf, error: unknown) {
  if (error instanceof DomainError) {
    await updateClaimed(db, pdf, { state: 'failed', problem: error.message });
    return;
  }
  const isLast = pdf.attempts >= MAX_ATTEMPTS;
  if (isLast) services.logger.error({ err: error, pdf: pdf.id }, 'a PDF failed');
  const isOurs = await updateClaimed(
    db,
    pdf,
    isLast ? { state: 'failed', problem: FAILED } : { state: 'pending' },
  );
  if (isOurs && !isLast) throw error;
}

async function make({ db, services }: MakingContext, pdf: ClaimedPdf, draft: BookDraft): Promise<void> {
  const { id, organization } = pdf;
  // Its processes were killed before they could say so.
  if (pdf.attempts > MAX_ATTEMPTS) throw new DomainError('unavailable', FAILED);
  const { book, digest } = await readBook({ db, services }, pdf, draft);
  const source = hash('sha256', digest);
  const same = await db
    .selectFrom('pdf')
    .select(['file', 'size', 'pages'])
    .where('organization_id', '=', organization)
    .where('source', '=', source)
    .where('state', '=', 'complete')
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
  let reported = 0;
  const printed = await draft.typeset(book, (done) => {
    if (Date.now() - reported < REPORTS) return;
    reported = Date.now();
    // Only a report: the next one, or the end, says the same and more.
    updateClaimed(db, pdf, { done, total }).catch((error: unknown) =>
      services.logger.warn({ err: error, pdf: id }, 'progress not recorded'),
    );
  });
  const { sha256, bytes, notes, standard, ...made } = printed;
  await services.storage.put(sha256, bytes);
  await complete({ file: sha256, size: made.size, pages: made.pages });
  services.logger.info(
    { pdf: id, organization, ...made, standard, notes: notes.slice(0, 20) },
    'a PDF was made',
  );
}
