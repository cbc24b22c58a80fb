import type { Context } from '../base/context.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { runBackfill } from '../sql/backfill.operation.ts';
import { savePageConditions } from './page-conditions.operation.ts';

/** Records the claims that conditions of pages name, for spaces whose content is older than these records. */
export async function recordEarlierConditions(ctx: Context): Promise<void> {
  const { db, services } = ctx;
  const recorded = await runBackfill(ctx, {
    key: 'page-conditions',
    next: (reading, last) =>
      reading
        .selectFrom('space')
        .select(['id', 'revision_id as revision'])
        .where('id', '>', last)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),
    async compute({ id, revision }) {
      const [after] = await readRoots(db, [revision] as const);
      const roots = { before: undefined, after };
      return services.background.for({ user: id }).run('pageConditionChanges', roots, objectReader(db));
    },
    async save(tx, { id, revision }, changes) {
      // The space is locked, so that later changes of its content update what is recorded here.
      const active = tx.selectFrom('space').select('id').where('id', '=', id);
      const isActive = active.where('revision_id', '=', revision).forNoKeyUpdate();
      if (!(await isActive.executeTakeFirst())) return false;
      await savePageConditions(tx, id, changes);
      return true;
    },
  });
  if (recorded > 0) services.logger.info({ spaces: recorded }, 'recorded the conditions of pages');
}
