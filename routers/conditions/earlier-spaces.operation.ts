import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type Context, type Db, kyselyOf, type Services } from '../context.ts';
import type { PageConditionChanges } from '../engine/expressions/page-conditions.ts';
import { savePageConditions } from './page-conditions.operation.ts';

/** The setting that tells how far the installation is: the id of the last space, or `DONE`. */
const KEY = 'page-conditions';
const DONE = 'done';

/**
 * Records what the conditions of pages name in spaces whose content is older than these records. Spaces go one by one in
 * the order of their ids, each in a transaction, so that a run goes on where the last one stopped. Once it has reached
 * the end, there is nothing left to do in this installation.
 */
export async function recordEarlierConditions(ctx: Context): Promise<void> {
  let recorded = 0;
  while (await recordNext(ctx)) recorded++;
  if (recorded > 0) ctx.services.logger.info({ spaces: recorded }, 'conditions of pages recorded');
}

/** @returns whether there was a space left. */
async function recordNext({ db, transaction, services }: Context): Promise<boolean> {
  const last = await readProgress(db);
  if (last === DONE) return false;
  const space = await db
    .selectFrom('space')
    .select(['id', 'revision_id as revision'])
    .where('id', '>', last)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const changes = space && (await computeAll(db, services, space));
  await transaction(async (em) => {
    const tx = kyselyOf(em);
    const unchanged = tx.selectFrom('setting').select('key').where('key', '=', KEY).where('value', '=', last);
    // Another process may have been quicker.
    if (!(await unchanged.forUpdate().executeTakeFirst())) return;
    if (space && changes) {
      // What is recorded from now on stays right: the space is locked. If its content has changed, it is its turn again.
      const active = tx.selectFrom('space').select('id').where('id', '=', space.id);
      const isActive = active.where('revision_id', '=', space.revision).forNoKeyUpdate();
      if (!(await isActive.executeTakeFirst())) return;
      await savePageConditions(tx, space.id, changes);
    }
    await tx
      .updateTable('setting')
      .set({ value: space?.id ?? DONE })
      .where('key', '=', KEY)
      .execute();
  });
  return space !== undefined;
}

async function readProgress(db: Db): Promise<string> {
  await db
    .insertInto('setting')
    .values({ key: KEY, value: '' })
    .onConflict((on) => on.doNothing())
    .execute();
  const { value } = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirstOrThrow();
  return value;
}

async function computeAll(
  db: Db,
  { background }: Services,
  { id, revision }: { id: string; revision: string },
): Promise<PageConditionChanges> {
  const [after] = await readRoots(db, [revision] as const);
  return background
    .for({ user: id })
    .run('pageConditionChanges', { before: undefined, after }, objectReader(db));
}
