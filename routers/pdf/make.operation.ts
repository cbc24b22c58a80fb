import { hash } from 'node:crypto';
import { runFor } from '../base/caller.ts';
import type { Context } from '../base/context.ts';
import type { BookDraft } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';
import { readBook } from './book.query.ts';
import { readPdf } from './pdf.query.ts';

/** Milliseconds between reports of progress. */
const REPORTS = 1000;

const FAILED = 'The PDF could not be made. Try again later.';

/**
 * Makes a PDF, once, however often it is called. A process that is killed in between leaves its job, which then runs again.
 * What goes wrong with the content is the result.
 */
export async function makePdf(
  context: Pick<Context, 'db' | 'services' | 'transaction'>,
  id: string,
): Promise<void> {
  const { db, services } = context;
  const pdf = await readPdf(db, { id });
  if (!pdf || pdf.state === 'complete' || pdf.state === 'failed') return;
  const { organization } = pdf;
  await runFor({ organization, user: organization }, async () => {
    const draft = await services.typesetter.open();
    try {
      await make(context, pdf, draft);
    } catch (error) {
      if (!(error instanceof DomainError)) services.logger.error({ err: error, pdf: id }, 'a PDF failed');
      const problem = error instanceof DomainError ? error.message : FAILED;
      await db.updateTable('pdf').set({ state: 'failed', problem }).where('id', '=', id).execute();
    } finally {
      await draft.discard();
    }
  });
}

async function make(
  { db, services }: Pick<Context, 'db' | 'services'>,
  pdf: NonNullable<Awaited<ReturnType<typeof readPdf>>>,
  draft: BookDraft,
): Promise<void> {
  const { id, organization } = pdf;
  await db.updateTable('pdf').set({ state: 'progress' }).where('id', '=', id).execute();
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
    db
      .updateTable('pdf')
      .set({ ...made, source, state: 'complete', done: total, total })
      .where('id', '=', id)
      .execute();
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
    db.updateTable('pdf')
      .set({ done, total })
      .where('id', '=', id)
      .where('state', '=', 'progress')
      .execute()
      .catch((error: unknown) => services.logger.warn({ err: error, pdf: id }, 'progress not recorded'));
  });
  const { bytes, notes, standard } = printed;
  const sha256 = hash('sha256', bytes);
  await services.storage.put(sha256, bytes);
  await complete({ file: sha256, size: bytes.length, pages: printed.pages });
  services.logger.info(
    { pdf: id, organization, pages: printed.pages, bytes: bytes.length, standard, notes: notes.slice(0, 20) },
    'a PDF was made',
  );
}
