import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { seedContent } from './content-seed.ts';
import type { BenchService } from './content-service.ts';

const PAGES = 20_000;

/** Measures garbage collection when every object is in use, and after a large space is deleted. */
export async function benchGarbage({ runtime, seed }: BenchService): Promise<void> {
  const { db } = runtime.database;
  const deleted = await seedContent(runtime.database, seed, PAGES, 'own');
  const { count } = await db
    .selectFrom('content_object')
    .select(db.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  const collect = async () => {
    const started = performance.now();
    const { objects } = await collectGarbage({ db, services: runtime.services }, { graceSeconds: 0 });
    return { removed: objects, seconds: ((performance.now() - started) / 1000).toFixed(2) };
  };
  // First collect what duplicates and merges have left behind.
  await collect();
  const nothing = await collect();
  await db.deleteFrom('space').where('id', '=', deleted.id).execute();
  const removed = await collect();
  console.log(`garbage collection in a store of ${count} objects`);
  console.table({ 'nothing to remove': nothing, [`a space of ${PAGES} pages removed`]: removed });
}
