import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordEarlierConditions } from '../../routers/conditions/backfill.operation.ts';
import { jobContext } from '../../server/context.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, IS_PRO, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
/** The scene's page with a condition, and the path of its space's content. */
let page: string;
let content: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  page = scene.space.pages.Conditional as string;
  content = `${scene.space.at}/content`;
});

const object = { type: 'object', additionalProperties: false };
const flags = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'boolean', description: '' }]));
const schemaOf = (claims: readonly string[], unsigned: readonly string[] = []) => ({
  jsonSchema: {
    ...object,
    properties: { ...flags(claims), unsigned: { ...object, properties: flags(unsigned) } },
  },
});

const putSchema = (claims: readonly string[], unsigned: readonly string[] = [], site = scene.at) =>
  scene.admin.put(`${site}/adaptive-schema`, schemaOf(claims, unsigned));
const edit = (changes: object[], at = content) => scene.admin.post(at, { changes });
const update = (condition: string | null, fields: object = {}) =>
  edit([{ operation: 'update_page', page, condition, ...fields }]);
const insert = (condition: string, title = 'Beta') => ({ operation: 'insert_page', title, condition });

/** Another site of the organization that shows the space. */
async function buildSite(adaptiveContent = true): Promise<string> {
  const { id } = await service.build.site(scene.organization, { spaces: [scene.space.id] });
  const at = `/orgs/${scene.organization}/sites/${id}`;
  await expectOk(scene.admin.patch(at, { adaptiveContent: { enabled: adaptiveContent } }));
  return at;
}

/** The ids of the pages for which a schema without claims is refused. */
async function brokenPages(): Promise<string[]> {
  const { status, body } = await putSchema([]);
  if (status === 200) return [];
  expect(status).toBe(409);
  return body.error.details.map(({ path }: { path: string }) => path);
}

describe('a condition of a page that names a claim which no site accepts', () => {
  beforeEach(() => expectOk(putSchema(['isPro'], ['isBeta'])));

  test.for([
    ['a claim', 'visitor.claims.isNew', 'isNew'],
    ['an unsigned claim', 'visitor.claims.unsigned.isPro', 'unsigned.isPro'],
    ['a claim that only visitors can set', 'visitor.claims.isBeta', 'isBeta'],
    ['one of several', 'visitor.claims.isPro && !(visitor.claims["is-new"] ?? false)', 'is-new'],
    ['a part of a claim', 'visitor.claims.isPro.name', 'isPro.name'],
    ['a name with a dot', 'visitor.claims["unsigned.isBeta"]', '"unsigned.isBeta"'],
    ['a name with quotes', `visitor.claims['"isPro\\n']`, String.raw`"\"isPro\n"`],
  ] as const)('a condition with %s that no site accepts is refused', async ([, condition, claim]) => {
    const { status, body } = await edit([insert(condition)]);
    expect(status).toBe(400);
    expect(body.error.message).toContain(`The condition of the page "Beta" names the claim ${claim},`);
    expect(body.error.details[0].path).toBe('changes.0.condition');
  });

  test('a condition with an unknown claim is refused for an existing page, which the error names, and the whole request fails', async () => {
    const changed = { operation: 'update_page', page, condition: 'visitor.claims.isNew' };
    const { status, body } = await edit([insert(IS_PRO), changed]);
    expect(status).toBe(400);
    expect(body.error.message).toContain(page);
    expect(body.error.details[0].path).toBe('changes.1.condition');
    expect((await expectOk(scene.admin.get(scene.space.at))).revision).toBe(scene.space.revision);
  });

  test('a condition with an unknown claim is refused in a change request', async () => {
    const { number } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const at = `${scene.space.at}/change-requests/${number}/content`;
    expect((await edit([insert('visitor.claims.isNew')], at)).status).toBe(400);
    expect((await edit([insert('visitor.claims.isPro')], at)).status).toBe(200);
  });

  test('a condition with claims of the schema, or without claims, is accepted', async () => {
    await expectOk(update('visitor.claims.isPro && visitor.claims.unsigned.isBeta'));
    await expectOk(update('false'));
    await expectOk(update(null));
  });

  test('a condition with claims of another site that shows the space is accepted', async () => {
    const other = await buildSite();
    await expectOk(putSchema(['isNew'], [], other));
    await expectOk(update('visitor.claims.isNew && visitor.claims.isPro'));
    expect((await update('visitor.claims.isOld')).status).toBe(400);
  });

  test('a condition with any claim is accepted if another site that shows the space accepts all claims', async () => {
    await buildSite();
    await expectOk(update('visitor.claims.isNew'));
  });

  test('a condition with a claim that one site accepts is accepted if another site accepts no claims', async () => {
    await buildSite(false);
    expect((await update('visitor.claims.isNew')).status).toBe(400);
  });

  test('a condition is checked against the schema whether adaptive content is on or off', async () => {
    await scene.update({ adaptiveContent: false });
    expect((await update('visitor.claims.isNew')).status).toBe(400);
  });

  test('a condition in a space that no site shows may name any claim, but must be a valid expression', async () => {
    const { id } = await service.build.space(scene.organization);
    await expectOk(edit([insert('visitor.claims.isNew')], `/spaces/${id}/content`));
    expect((await edit([insert('visitor.claims.isNew()')], `/spaces/${id}/content`)).status).toBe(400);
  });
});

test('without a schema, a condition of a page may name any claim', async () => {
  await expectOk(update('visitor.claims.isNew'));
  await scene.update({ adaptiveContent: false });
  await expectOk(update('visitor.claims.isOld'));
});

describe('a schema that breaks conditions of pages', () => {
  test('a schema that breaks the condition of a page is refused, with an error that names the page, its space and the claim', async () => {
    await expectOk(update('visitor.claims.isPro && visitor.claims.unsigned.isBeta', { title: 'Prices' }));
    await expectOk(putSchema(['isPro'], ['isBeta']));
    const { status, body } = await putSchema(['isPro', 'isBeta']);
    expect(status).toBe(409);
    const what = 'the page "Prices" of the space "Guides"';
    expect(body.error.message).toContain(what);
    const message = `${what}: The adaptive schema of the site has no claim unsigned.isBeta.`;
    expect(body.error.details).toEqual([{ path: page, message }]);
    const { jsonSchema } = await expectOk(scene.admin.get(`${scene.at}/adaptive-schema`));
    expect(jsonSchema.properties.unsigned.properties).toHaveProperty('isBeta');
  });

  test('a schema that breaks conditions of pages and of the site is refused, with an error that names both', async () => {
    await expectOk(putSchema(['isPro', 'isNew']));
    await expectOk(scene.admin.patch(`${scene.at}/sections/${scene.section}`, { condition: IS_PRO }));
    const { body } = await putSchema(['isNew']);
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([scene.section, page]);
  });

  test('a schema is accepted without claims that visitors could not have before either', async () => {
    await expectOk(update('visitor.claims.isPro && visitor.claims.isNew'));
    await expectOk(putSchema(['isPro', 'isNew', 'isOld']));
    expect((await putSchema(['isNew', 'isOld'])).status).toBe(409);
    expect((await putSchema(['isPro', 'isNew'])).status).toBe(200);
    // As after an import, or when a space is added to the site.
    const { db } = service.runtime.database;
    await db
      .updateTable('page_condition')
      .set({ claims: ['isGone'] })
      .where('page', '=', page)
      .execute();
    expect((await putSchema([])).status).toBe(200);
  });

  test('a first schema that breaks the condition of a page is refused if visitors could have any claim until then', async () => {
    expect((await putSchema(['isNew'])).status).toBe(409);
    expect((await putSchema(['isPro'])).status).toBe(200);
  });

  test('a schema is accepted without claims that conditions name for other sites', async () => {
    await expectOk(putSchema(['isPro']));
    const other = await buildSite();
    expect((await putSchema(['isNew'], [], other)).status).toBe(200);
    expect((await putSchema(['isNew'])).status).toBe(409);
  });

  test('a first schema is accepted whatever conditions name if visitors could have no claims until then', async () => {
    await scene.update({ adaptiveContent: false });
    expect((await putSchema(['isNew'])).status).toBe(200);
  });

  test('a schema is accepted whatever claims the pages of other sites name', async () => {
    const { id } = await service.build.site(scene.organization);
    const other = `/orgs/${scene.organization}/sites/${id}`;
    await expectOk(putSchema(['isPro'], [], other));
    expect((await putSchema([], [], other)).status).toBe(200);
  });

  test('a schema that breaks the conditions of many pages is refused, with an error that names the first ones and counts the others', async () => {
    await expectOk(putSchema(['isPro']));
    for (const batch of [0, 50, 100])
      await expectOk(edit(Array.from({ length: 50 }, (_, index) => insert(IS_PRO, `Page ${batch + index}`))));
    const { status, body } = await putSchema([]);
    expect(status).toBe(409);
    expect(body.error.message).toContain(', 146 more.');
    expect(body.error.details).toHaveLength(100);
  });
});

describe('the conditions that are checked against a schema', () => {
  beforeEach(() => expectOk(putSchema(['isPro', 'isNew'])));

  /** Merges a change request with these changes. */
  async function merge(changes: object[]): Promise<string> {
    const { number } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const at = `${scene.space.at}/change-requests/${number}`;
    await expectOk(edit(changes, `${at}/content`));
    const { revision } = await expectOk(scene.admin.post(`${at}/merge`));
    return revision;
  }

  test('a schema is checked against the conditions that edits have left', async () => {
    expect(await brokenPages()).toEqual([page]);
    await expectOk(update(null));
    expect(await brokenPages()).toEqual([]);
  });

  test('a schema is not refused for pages whose conditions no longer name a claim', async () => {
    await expectOk(update('true'));
    expect(await brokenPages()).toEqual([]);
  });

  test('a schema is checked against the claims that conditions name after they were changed', async () => {
    await expectOk(update('visitor.claims.isNew'));
    expect((await putSchema(['isNew'])).status).toBe(200);
    expect(await brokenPages()).toEqual([page]);
  });

  test('a schema is checked against pages of change requests only after they are merged', async () => {
    const { number } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const at = `${scene.space.at}/change-requests/${number}`;
    const deletion = { operation: 'delete_page', page };
    await expectOk(edit([insert(IS_PRO), deletion], `${at}/content`));
    expect(await brokenPages()).toEqual([page]);
    await expectOk(scene.admin.post(`${at}/merge`));
    const [added, ...others] = await brokenPages();
    expect(others).toEqual([]);
    expect(added).not.toBe(page);
  });

  test('a schema is not refused for pages that were deleted with a page above them', async () => {
    const above = { operation: 'insert_page', title: 'Above', type: 'group', ref: 'above' };
    await merge([above, { operation: 'update_page', page, into: 'above' }]);
    expect(await brokenPages()).toEqual([page]);
    const { pages } = await expectOk(scene.admin.get(`${content}/pages`));
    const { id } = pages.find(({ title }: { title: string }) => title === 'Above');
    await expectOk(edit([{ operation: 'delete_page', page: id }]));
    expect(await brokenPages()).toEqual([]);
  });

  test('a schema is checked against the conditions that reverting a merge has restored', async () => {
    const revision = await merge([{ operation: 'delete_page', page }]);
    await expectOk(putSchema(['isPro']));
    expect(await brokenPages()).toEqual([]);
    await expectOk(putSchema(['isPro', 'isNew']));
    await expectOk(scene.admin.post(`${scene.space.at}/revisions/${revision}/revert`));
    expect(await brokenPages()).toEqual([page]);
  });

  test('a schema is checked against the pages of copies of spaces', async () => {
    const copy = await expectOk(scene.admin.post(`${scene.space.at}/duplicate`));
    const { id } = await service.build.site(scene.organization, { spaces: [copy.id] });
    const at = `/orgs/${scene.organization}/sites/${id}`;
    await expectOk(putSchema(['isPro'], [], at));
    const { status, body } = await putSchema([], [], at);
    expect(status).toBe(409);
    expect(body.error.message).toContain('the page "Conditional" of the space "Copy of Guides"');
  });

  test('a schema is checked against the pages of a deleted space only after the space is restored', async () => {
    await expectOk(scene.admin.delete(scene.space.at));
    expect((await putSchema(['isNew'])).status).toBe(200);
    await expectOk(putSchema(['isPro', 'isNew']));
    await expectOk(scene.admin.post(`${scene.space.at}/restore`));
    expect(await brokenPages()).toEqual([page]);
  });
});

test('a space is added to a site whatever claims its conditions name', async () => {
  await expectOk(putSchema(['isPro']));
  const { id } = await service.build.space(scene.organization);
  await expectOk(edit([insert('visitor.claims.isNew')], `/spaces/${id}/content`));
  const { status } = await scene.admin.post(`${scene.at}/site-spaces`, {
    spaceId: id,
    sectionId: scene.section,
  });
  expect(status).toBe(201);
  expect((await putSchema(['isPro', 'isOld'])).status).toBe(200);
});

test('the backfill job records, once, the conditions of pages in spaces that are older than these records', async () => {
  const { database, services } = service.runtime;
  const forget = () => database.db.deleteFrom('page_condition').execute();
  const run = () => recordEarlierConditions(jobContext(database, services));
  await expectOk(putSchema(['isPro', 'isNew']));
  await database.db.deleteFrom('setting').where('key', '=', 'page-conditions').execute();
  await forget();
  const changed = await expectOk(edit([insert('visitor.claims.isNew')]));
  expect(changed.revision).not.toBe(scene.space.revision);
  expect(await brokenPages()).toHaveLength(1);
  await run();
  expect(await brokenPages()).toHaveLength(2);
  expect(await brokenPages()).toContain(page);
  await forget();
  await run();
  expect(await brokenPages()).toEqual([]);
});
