import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deleteConflicts,
  readConflicts,
  saveConflicts,
} from '../../routers/change-requests/conflicts.operation.ts';
import type { OpenConflict } from '../../routers/change-requests/pull.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { open, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('an update may leave more conflicts than a statement can have parameters', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  const { body } = await scene.me.get(at);
  const { db } = service.runtime.database;
  const conflicts = Array.from(
    { length: 70_000 },
    (_, index): OpenConflict => ({
      id: `c${index}`,
      kind: 'page-field',
      page: `p${index}`,
      field: 'title',
      base: 'a',
      ours: 'b',
      theirs: 'c',
      update: body.revision,
      baseRevision: body.revision,
    }),
  );
  await saveConflicts(db, body.id, conflicts);
  const again = conflicts.map((conflict) => ({ ...conflict, base: 'later', ours: 'd' }));
  await saveConflicts(db, body.id, again);
  const standing = await readConflicts(db, body.id);
  expect(standing).toHaveLength(conflicts.length);
  // What both sides came from stays what it was at first.
  expect(standing[0]).toMatchObject({ base: 'a', ours: 'd' });
  await deleteConflicts(db, body.id, conflicts);
  expect(await readConflicts(db, body.id)).toEqual([]);
});
