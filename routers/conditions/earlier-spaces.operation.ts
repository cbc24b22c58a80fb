import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type Context, type Db, kyselyOf, type Services } from '../context.ts';
import { savePageConditions } from './page-conditions.operation.ts';

/** The setting that tells how far the installation is: the id of the last space, or `DONE`. */
const KEY = 'page-conditions';
const DONE = 'done';

/**
 * Records what the conditions of pages name in spaces whose content is older than these records. Spaces go one by one in
 * the order of their ids, each in a transaction, so that a run goes on where the last one stopped. Once it has reached
 * the end, there is nothing left to do in this installation.
 */
export async function recordEarlierConditions({ transaction, services }: Context): Promise<void> {
  let recorded = 0;
  while (await transaction((em) => recordNext(kyselyOf(em), services))) recorded++;
  if (recorded > 0) services.logger.info({ spaces: recorded }, 'conditions of pages recorded');
}

/** @returns whether there was a space left. */
async function recordNext(db: Db, { background }: Services): Promise<boolean> {
  await db
    .insertInto('setting')
    .values({ key: KEY, value: '' })
    .onConflict((on) => on.doNothing())
    .execute();
  const { value: last } = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (last === DONE) return false;
  const space = await db
    .selectFrom('space')
    .select(['id', 'revision_id as revision'])
    .where('id', '>', last)
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (space) {
    const [after] = await readRoots(db, [space.revision] as const);
    const roots = { before: undefined, after };
    const changes = await background
      .for({ user: space.id })
      .run('pageConditionChanges', roots, objectReader(db));
    // What has been recorded since stays right: the space is locked.
    await savePageConditions(db, space.id, changes);
  }
  await db
    .updateTable('setting')
    .set({ value: space?.id ?? DONE })
    .where('key', '=', KEY)
    .execute();
  return space !== undefined;
}
