import { runTranslation } from '../../routers/translations/run.operation.ts';
import { refreshTranslations } from '../../routers/translations/translations.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { TestService } from './service.ts';

/** Runs the jobs of all pending or interrupted translations, as the queue does. */
export async function runTranslations({ runtime: { database, services } }: TestService): Promise<void> {
  const waiting = await database.db
    .selectFrom('translation')
    .select(['id as translation', 'run'])
    .where('status', '<>', 'completed')
    .orderBy('id')
    .execute();
  for (const job of waiting) await runTranslation(jobContext(database, services), job);
}

/** Runs the job that is enqueued when these spaces change. */
export const runTranslationRefresh = (
  { runtime: { database, services } }: TestService,
  ...spaces: string[]
) => refreshTranslations(jobContext(database, services), { spaces });
