import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../helpers/service.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene } from './scene.ts';
import { statuses as statusesIn } from './ways-to-read.ts';

let service: TestService;
let scene: Scene;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
});

const statuses = (client: Client) => statusesIn(client, scene);

describe('a visitor token', () => {
  const { stringify } = JSON;
  const ends: Record<string, [pass: () => Promise<Client>, end: () => Promise<unknown>]> = {
    'when the site is unpublished': [() => scene.visitor(), () => scene.update({ published: false })],
    'when its share link is deactivated': [
      async () => {
        await scene.update({ visibility: 'share-link' });
        return scene.visitor({}, { link: scene.link.id });
      },
      () =>
        service.runtime.database.db
          .updateTable('share_link')
          .set({ active: false })
          .where('id', '=', scene.link.id)
          .execute(),
    ],
    'when its share link is deleted': [
      async () => {
        await scene.update({ visibility: 'share-link' });
        return scene.visitor({}, { link: scene.link.id });
      },
      () => service.runtime.database.db.deleteFrom('share_link').where('id', '=', scene.link.id).execute(),
    ],
    'when a public site begins to require a share link': [
      () => scene.visitor(),
      () => scene.update({ visibility: 'share-link' }),
    ],
    'when a public site begins to require authentication': [
      () => scene.visitor(),
      () => scene.update({ visibility: 'visitor-auth' }),
    ],
    'when the space is removed from the site': [
      () => scene.visitor(),
      () => service.runtime.database.db.deleteFrom('site_space').where('id', '=', scene.siteSpace).execute(),
    ],
    'when the site is deleted': [
      () => scene.visitor(),
      () => service.runtime.database.db.deleteFrom('site').where('id', '=', scene.site).execute(),
    ],
  };
  test.for(Object.keys(ends))('a visitor token stops working %s', async (when) => {
    const [come, end] = ends[when] as (typeof ends)[string];
    const visitor = await come();
    expect([when, stringify(await statuses(visitor))]).toEqual([when, '[200]']);
    await end();
    expect(await statuses(visitor)).toEqual([404]);
  });
});

test('a visitor token with the share link of another site opens nothing', async () => {
  const other = await buildScene(service);
  await scene.update({ visibility: 'share-link' });
  expect(await statuses(await scene.visitor({}, { link: other.link.id }))).toEqual([404]);
  expect(await statuses(await scene.visitor({}, { link: scene.link.id }))).toEqual([200]);
});
