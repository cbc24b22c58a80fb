import { type Context, type Db, kyselyOf, type Services } from '../context.ts';
import { SPEC_DOCUMENT_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS, saveApiOutline } from './api-outlines.operation.ts';
import { readBytes } from './stored-files.query.ts';

/** The setting that tells how far the installation is: the id of the last version, or `DONE`. */
const KEY = 'described-specs';
const DONE = 'done';

/**
 * Adds the HTML of descriptions to the documents of versions that are older than it. Versions go one by one in the order
 * of their ids, each in a transaction, so that a run goes on where the last one stopped. Once it has reached the end,
 * there is nothing left to do in this installation.
 */
export async function describeEarlierVersions({ transaction, services }: Context): Promise<void> {
  let described = 0;
  while (await transaction((em) => describeNext(kyselyOf(em), services))) described++;
  if (described > 0) services.logger.info({ versions: described }, 'descriptions of specifications added');
}

/** @returns whether there was a version left. */
async function describeNext(db: Db, { background, storage }: Services): Promise<boolean> {
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
  const version = await db
    .selectFrom('openapi_spec_version')
    .innerJoin('openapi_spec', 'openapi_spec.id', 'openapi_spec_version.spec_id')
    .select(['openapi_spec_version.id', 'document', 'organization_id as organization'])
    .where('openapi_spec_version.id', '>', last)
    .orderBy('openapi_spec_version.id')
    .limit(1)
    .executeTakeFirst();
  const bytes = version && (await readBytes(storage, version.document, SPEC_DOCUMENT_LIMIT));
  if (version && bytes) {
    const { document, outline } = await background
      .for(version.organization)
      .run('describeSpec', { bytes }, NO_OBJECTS);
    await storage.put(document.sha256, document.bytes);
    await saveApiOutline(db, document.sha256, outline);
    await db
      .updateTable('openapi_spec_version')
      .set({ document: document.sha256 })
      .where('id', '=', version.id)
      .execute();
  }
  await db
    .updateTable('setting')
    .set({ value: version?.id ?? DONE })
    .where('key', '=', KEY)
    .execute();
  return version !== undefined;
}
