import { runTranslation } from '../../routers/translations/run.operation.ts';
import { refreshTranslations } from '../../routers/translations/translations.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { TestService } from './service.ts';

/** Runs the jobs of all translations that wait for one, or whose run was interrupted, as the queue does. */
export async function runTranslations({ runtime: { database, services } }: TestService): Promise<void> {
  const waiting = await database.db
    .selectFrom('translation')
    .select(['id as translation', 'run'])
    .where('status', '<>', 'completed')
    .orderBy('id')
    .execute();
  for (const job of waiting) await runTranslation(jobContext(database, services), job);
}

/** Runs the job that a change of these spaces enqueues. */
export const runTranslationRefresh = (
  { runtime: { database, services } }: TestService,
  ...spaces: string[]
) => refreshTranslations(jobContext(database, services), { spaces });
