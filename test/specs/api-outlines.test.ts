import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { DomainError, LimitExceeded } from '../../routers/engine/errors.ts';
import { type Engine, localEngine } from '../../routers/engine/tasks/engine.ts';
import { readApiOutline } from '../../routers/specs/api-outlines.operation.ts';
import { toolContext } from '../../server/context.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { countingEngine, petstore, processSpecs, storeDocument } from '../helpers/specs.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Stores a document as a file, a different one for each call. */
let documents = 0;
const store = (text = petstore(`API ${++documents}`)): Promise<string> => storeDocument(service, text);

const read = (engine: Engine, sha256: string) =>
  readApiOutline(
    { db: service.runtime.database.db, storage: service.runtime.services.storage, engine },
    sha256,
  );

const kept = async (sha256: string) =>
  service.runtime.database.db
    .selectFrom('api_outline')
    .selectAll()
    .where('hash', '=', sha256)
    .executeTakeFirst();

test('an outline is computed once for concurrent readers, and then stored in the database', async () => {
  const sha256 = await store();
  const { engine, tasks } = countingEngine();
  const outlines = await Promise.all(Array.from({ length: 5 }, () => read(engine, sha256)));
  expect(tasks()).toBe(1);
  expect(outlines[0]).toMatchObject({
    title: `API ${documents}`,
    pages: [{ pages: [{ title: 'List pets' }] }],
  });
  expect((await kept(sha256))?.body).toEqual(outlines[0]);
});

/** The format in which this version stores outlines. */
async function currentFormat(): Promise<number> {
  const sha256 = await store();
  await read(localEngine, sha256);
  return (await kept(sha256))?.format ?? 0;
}

test('what another process has computed is not computed again', async () => {
  const sha256 = await store();
  const body = JSON.stringify({ title: 'Kept', pages: [], isCut: false });
  const row = { hash: sha256, format: await currentFormat(), body, created_at: new Date() };
  await service.runtime.database.db.insertInto('api_outline').values(row).execute();
  const { engine, tasks } = countingEngine();
  expect(await read(engine, sha256)).toMatchObject({ title: 'Kept' });
  expect(tasks()).toBe(0);
});

test('what an older version of the service has computed is computed again', async () => {
  const sha256 = await store();
  const title = `API ${documents}`;
  const format = await currentFormat();
  const row = { hash: sha256, format: format - 1, body: '{}', created_at: new Date() };
  await service.runtime.database.db.insertInto('api_outline').values(row).execute();
  expect(await read(localEngine, sha256)).toMatchObject({ title });
  expect(await kept(sha256)).toMatchObject({ format });
});

test('a file that is not an OpenAPI document is also read only once', async () => {
  const sha256 = await store(`no API ${++documents}`);
  expect(await read(localEngine, sha256)).toBeNull();
  expect(await kept(sha256)).toMatchObject({ body: null });
});

test('a failure is not stored: if the process was killed, the next read computes the outline', async () => {
  const sha256 = await store();
  const { engine } = countingEngine(new DomainError('unavailable', 'The service could not finish this.'));
  await expect(read(engine, sha256)).rejects.toThrow('could not finish');
  expect(await kept(sha256)).toBeUndefined();
  expect(await read(localEngine, sha256)).toMatchObject({ title: `API ${documents}` });
});

test('a document that exceeds the limits of a task has no outline, and is not retried again and again', async () => {
  const sha256 = await store();
  const { engine, tasks } = countingEngine(new LimitExceeded('invalid', 'This needs more memory.'));
  expect([await read(engine, sha256), await read(engine, sha256)]).toEqual([null, null]);
  expect(tasks()).toBe(1);
  expect(await kept(sha256)).toBeUndefined();
});

test('outlines are removed with their documents, not before', async () => {
  const { id, admin } = await service.build.organization();
  const client = service.as(admin.token);
  await client.put(`/orgs/${id}/openapi/pets`, { source: { text: petstore('Still used') } });
  await processSpecs(service);
  const { document } = await service.runtime.database.db
    .selectFrom('openapi_spec_version')
    .select('document')
    .executeTakeFirstOrThrow();
  const unused = await store();
  for (const sha256 of [document, unused]) await read(localEngine, sha256);
  const context = toolContext(service.runtime.database, service.runtime.services);
  await collectGarbage(context);
  expect(await kept(unused)).toBeDefined();
  await service.runtime.database.db
    .updateTable('api_outline')
    .set({ created_at: new Date(Date.now() - 3 * 24 * 3600 * 1000) })
    .execute();
  await collectGarbage(context);
  expect(await kept(unused)).toBeUndefined();
  expect(await kept(document)).toBeDefined();
});
