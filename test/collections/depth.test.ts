import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let organization: string;
let me: Client;
beforeAll(async () => {
  service = await startTestService();
  const { id, admin } = await service.build.organization();
  organization = id;
  me = service.as(admin.token);
});
afterAll(() => service.close());

const create = (parent?: string) => me.post(`/orgs/${organization}/collections`, { parent });
const move = (id: string | undefined, body: object) => me.post(`/collections/${id}/move`, body);

/** Nested collections, the outermost first. */
async function nest(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 0; level < count; level++) ids.push((await create(ids.at(-1))).body.id);
  return ids;
}

test('collections can be nested 32 levels deep, with spaces in the last one', async () => {
  const levels = await nest(32);
  const refused = await create(levels.at(-1));
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toBe('Collections can be nested at most 32 levels deep.');
  const { status, body } = await me.post(`/orgs/${organization}/spaces`, { parent: levels.at(-1) });
  expect(status).toBe(201);
  expect((await me.post(`/spaces/${body.id}/duplicate`)).status).toBe(201);
});

test('a move is refused if the collections in the moved one would be too deep', async () => {
  const [outer, moved] = [await nest(30), await nest(3)];
  expect((await move(moved[0], { parent: outer.at(-1) })).status).toBe(400);
  expect((await move(moved[0], { parent: outer.at(-2) })).status).toBe(200);
  expect((await create(moved[2])).status).toBe(400);
  // A move within the same parent or upwards is always possible.
  const sibling = (await create(outer.at(-2))).body.id;
  const position = { after: { type: 'collection', collection: sibling } };
  expect((await move(moved[0], { position })).status).toBe(200);
  expect((await move(moved[0], { parent: null })).status).toBe(200);
  expect((await create(moved[2])).status).toBe(201);
});

test('two concurrent moves do not exceed the limit together', async () => {
  const [top, middle, bottom] = [await nest(12), await nest(12), await nest(12)];
  const answers = await Promise.all([
    move(middle[0], { parent: top.at(-1) }),
    move(bottom[0], { parent: middle.at(-1) }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('collections that are nested too deeply already can be moved, but not further down', async () => {
  const levels = await nest(32);
  const { db } = service.runtime.database;
  const deep = (await create()).body.id;
  const inside = (await create()).body.id;
  const place = (id: string, ancestors: string[]) =>
    db
      .updateTable('collection')
      .set({ parent_id: ancestors.at(-1) ?? null, ancestors })
      .where('id', '=', id)
      .execute();
  await place(deep, levels);
  await place(inside, [...levels, deep]);
  const [first, second] = [(await create()).body.id, (await create()).body.id];
  expect((await move(levels[0], { parent: first })).status).toBe(400);
  expect(
    (await move(levels[0], { position: { after: { type: 'collection', collection: second } } })).status,
  ).toBe(200);
  expect((await move(deep, { parent: null })).status).toBe(200);
});
