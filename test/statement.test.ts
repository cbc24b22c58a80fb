import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { statement } from '../routers/sql/statement.ts';
import { startTestService, type TestService } from './helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a statement is compiled once, and each run has its own parameters in all their places', async () => {
  const { db } = service.runtime.database;
  const people = [await service.build.user(), await service.build.user()];
  const build = vi.fn((on: typeof db, id: string, other: string) =>
    on
      .selectFrom('user')
      .select('id')
      .where((eb) => eb.or([eb('id', '=', id), eb('id', '=', other), eb('email', '=', id)]))
      .where('display_name', '<>', 'nobody'),
  );
  const read = statement(build);
  for (const { id } of people) expect(await read(db, id, 'none')).toEqual([{ id }]);
  const [one, two] = people.map(({ id }) => id) as [string, string];
  expect((await read(db, two, one)).map(({ id }) => id).sort()).toEqual([one, two].sort());
  expect(await read(db, "' or true --", '\\')).toEqual([]);
  expect(build).toHaveBeenCalledTimes(1);
});
