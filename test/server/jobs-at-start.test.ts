import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { jobContext } from '../../server/context.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { page, spaceWith, titlesIn } from '../search/scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('what an update left to index is indexed when a process starts', async () => {
  const { database, services, jobs } = service.runtime;
  const organization = await service.build.organization();
  const admin = service.as(organization.admin.token);
  const { id } = await spaceWith(admin, organization.id, [page('Alpha', 'About walruses.')]);
  // As after an update that changes the format of the index: there is none, and no changed content waits to be indexed.
  await database.db
    .withSchema('pgboss')
    .deleteFrom('job' as never)
    .execute();
  expect(await titlesIn(admin, id, 'walruses')).toEqual([]);

  await jobs.work(jobContext(database, services));
  await vi.waitUntil(async () => (await titlesIn(admin, id, 'walruses')).length > 0, { timeout: 20_000 });
});
