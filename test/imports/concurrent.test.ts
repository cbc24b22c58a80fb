import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../routers/base/context.ts';
import type { DocsSource } from '../../routers/engine/import/source.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { toolContext } from '../../server/context.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from './scene.ts';

let service: TestService;
let context: Context;
beforeAll(async () => {
  service = await startTestService();
  context = toolContext(service.runtime.database, service.runtime.services);
});
afterAll(() => service.close());

const DOCS = { 'README.md': '# Home\n\nSee [a](a.md).\n', 'a.md': '# A\n\nFirst.\n', 'b.md': '# B\n' };

/** The folder of a scene as a source; `meanwhile` runs once, while the import reads it. */
async function sourceWith(scene: ImportScene, meanwhile: () => Promise<unknown>): Promise<DocsSource> {
  const source = await openFolder(scene.folder);
  let run: Promise<unknown> | undefined;
  return {
    ...source,
    async read(path) {
      run ??= meanwhile();
      await run;
      return source.read(path);
    },
  };
}

const authorOf = async ({ space }: ImportScene) => {
  const { db } = service.runtime.database;
  const row = await db
    .selectFrom('revision')
    .select('author_id')
    .where('space_id', '=', space)
    .executeTakeFirst();
  return row?.author_id as string;
};

test('concurrent imports of one folder create each page once', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  const outcomes = await Promise.all([scene.import(), scene.import(), scene.import()]);
  expect(outcomes.map(({ pages }) => pages)).toEqual([3, 3, 3]);
  expect(await scene.read()).toMatchObject({ readme: expect.anything(), a: 'A: First.', b: 'B: ' });
  expect(Object.keys(await scene.ids())).toHaveLength(3);
  expect((await scene.import()).changes).toEqual([]);
});

test('an import starts again if another import of the folder finishes first', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  const source = await sourceWith(scene, () => scene.import());
  const author = await authorOf(scene);
  const { changes } = await importSource(context, { space: scene.space, author, source });
  expect(changes).toEqual([]);
  expect(Object.keys(await scene.ids())).toHaveLength(3);
});

test('edits during an import are kept', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  await scene.import();
  await scene.write({ 'b.md': '# B\n\nFrom the folder.\n' });
  const { a } = await scene.ids();
  const change = { operation: 'update_page', page: a, document: { markdown: 'By people.' } };
  const source = await sourceWith(scene, () => scene.edit([change]));
  await importSource(context, { space: scene.space, author: await authorOf(scene), source });
  expect(await scene.read()).toMatchObject({ a: 'A: By people.', b: 'B: From the folder.' });
});

test('a space that is deleted during an import is not found, and nothing is imported', async () => {
  const scene = await setImportScene(service);
  await scene.write(DOCS);
  const author = await authorOf(scene);
  const source = await sourceWith(scene, () => scene.admin.delete(`/spaces/${scene.space}`));
  const importing = importSource(context, { space: scene.space, author, source });
  await expect(importing).rejects.toMatchObject({ code: 'not-found' });
  const { db } = service.runtime.database;
  const branches = db.selectFrom('import_branch').selectAll().where('space_id', '=', scene.space);
  expect(await branches.execute()).toEqual([]);
});
