import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { edit, MARKDOWN, open, readPage, rewrite, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('merging', () => {
  test('a merge makes the edits the content of the space, as a revision with two parents', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const before = (await me.get(path)).body.revision;
    const { at } = await open(scene);
    await rewrite(scene, at, { title: 'Renamed' });
    expect((await readPage(scene, path)).title).toBe('Page');
    const proposed = (await me.get(at)).body.revision;

    const { status, body } = await me.post(`${at}/merge`);
    expect(status).toBe(200);
    expect(body).toEqual({ revision: expect.any(String), result: 'merge' });
    expect((await readPage(scene, path)).title).toBe('Renamed');
    expect((await me.get(path)).body).toMatchObject({
      revision: body.revision,
      changeRequests: 1,
      changeRequestsOpen: 0,
      changeRequestsDraft: 0,
    });
    expect((await me.get(`${path}/revisions/${body.revision}`)).body).toMatchObject({
      type: 'merge',
      parents: [before, proposed],
    });
    expect((await me.get(at)).body).toMatchObject({
      status: 'merged',
      outdated: false,
      revisionMerged: body.revision,
    });
  });

  test('a merged change request is final', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const { at } = await open(scene);
    await me.post(`${at}/merge`);
    expect((await me.post(`${at}/merge`)).status).toBe(409);
    expect((await me.post(`${at}/update`)).status).toBe(409);
    expect((await me.patch(at, { subject: 'Late' })).status).toBe(409);
    expect((await me.patch(at, { status: 'open' })).status).toBe(409);
    expect((await me.get(`${at}/merge-preview`)).status).toBe(409);
    expect((await me.post(`${at}/reviews`, { status: 'approved' })).status).toBe(409);
    expect((await me.post(`${at}/conflicts/resolve`, { take: 'ours' })).status).toBe(409);
    expect((await me.get(`${at}/conflicts`)).body).toEqual({ count: 0, items: [] });
  });

  test('an archived change request is neither merged nor updated', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    await scene.me.patch(at, { status: 'archived' });
    expect((await scene.me.post(`${at}/merge`)).status).toBe(409);
    expect((await scene.me.post(`${at}/update`)).status).toBe(409);
  });

  test('merging keeps all edits of both sides that do not overlap', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const { at } = await open(scene);
    await rewrite(scene, at, { document: { markdown: MARKDOWN.replace('First', 'The first') } });
    await rewrite(scene, path, { document: { markdown: MARKDOWN.replace('Third', 'The third') } });
    expect((await me.get(at)).body.outdated).toBe(true);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
    expect((await readPage(scene, path)).markdown).toBe(
      '# Page\n\nThe first paragraph.\n\nSecond paragraph.\n\nThe third paragraph.\n',
    );
  });

  test('a locked space accepts merges', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    await rewrite(scene, at, { title: 'Renamed' });
    await scene.me.patch(scene.path, { editMode: 'locked' });
    expect((await scene.me.post(`${at}/merge`)).body.result).toBe('merge');
    expect((await readPage(scene, scene.path)).title).toBe('Renamed');
  });

  test('merging needs the level review on the space', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const editor = service.as((await service.build.member(scene.organization, 'edit')).token);
    const reviewer = service.as((await service.build.member(scene.organization, 'review')).token);
    expect((await service.as().post(`${at}/merge`)).status).toBe(401);
    expect((await service.as((await service.build.user()).token).post(`${at}/merge`)).status).toBe(404);
    expect((await editor.post(`${at}/merge`)).status).toBe(403);
    expect((await editor.get(`${at}/merge-preview`)).status).toBe(200);
    expect((await reviewer.post(`${at}/merge`)).status).toBe(200);
  });
});

describe('updating from the space', () => {
  test('an update pulls in the current content of the space, and the change request is no longer outdated', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const { at } = await open(scene);
    await rewrite(scene, at, { title: 'Renamed' });
    await rewrite(scene, path, { document: { markdown: 'New text.\n' } });
    const active = (await me.get(path)).body.revision;
    const { status, body } = await me.post(`${at}/update`);
    expect(status).toBe(200);
    expect(body).toEqual({ revision: expect.any(String), result: 'update' });
    expect((await me.get(at)).body).toMatchObject({
      revision: body.revision,
      outdated: false,
      revisionMergedAncestor: active,
      status: 'draft',
    });
    expect(await readPage(scene, at)).toMatchObject({
      title: 'Renamed',
      markdown: '# Renamed\n\nNew text.\n',
    });
    expect((await me.get(path)).body.revision).toBe(active);
  });

  test('an update changes nothing when there is nothing to pull in', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const { revision } = (await scene.me.get(at)).body;
    expect((await scene.me.post(`${at}/update`)).body).toEqual({ revision, result: 'update' });
    expect((await scene.me.get(at)).body.revisionMergedAncestor).toBeUndefined();
  });

  test('updating from the space needs the level edit on the space', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const commenter = service.as((await service.build.member(scene.organization, 'comment')).token);
    const editor = service.as((await service.build.member(scene.organization, 'edit')).token);
    expect((await commenter.post(`${at}/update`)).status).toBe(403);
    expect((await editor.post(`${at}/update`)).status).toBe(200);
  });
});

test('reverting a merge restores the previous content', async () => {
  const scene = await setScene(service);
  const { me, path } = scene;
  const { at } = await open(scene);
  await rewrite(scene, at, { title: 'Renamed' });
  const { revision } = (await me.post(`${at}/merge`)).body;
  const { status, body } = await me.post(`${path}/revisions/${revision}/revert`);
  expect(status).toBe(200);
  expect(body).toEqual({ revision: expect.any(String), result: 'rollback' });
  expect((await readPage(scene, path)).title).toBe('Page');
  expect((await me.get(`${path}/revisions/${body.revision}`)).body).toMatchObject({
    type: 'rollback',
    parents: [revision],
  });
  expect((await me.post(`${path}/revisions/${revision}/revert`)).status).toBe(409);
});

test('reverting a merge keeps later changes, and is refused if they touch the same content', async () => {
  const scene = await setScene(service);
  const { me, path, page } = scene;
  const { at } = await open(scene);
  await rewrite(scene, at, { title: 'Renamed' });
  const { revision } = (await me.post(`${at}/merge`)).body;
  await rewrite(scene, path, { document: { markdown: 'Later.\n' } });
  await rewrite(scene, path, { title: 'Once more' });
  const refused = await me.post(`${path}/revisions/${revision}/revert`);
  expect(refused.status).toBe(409);
  expect(refused.body.error.details).toEqual([{ path: `pages.${page}.title`, message: expect.any(String) }]);
  await rewrite(scene, path, { title: 'Renamed' });
  expect((await me.post(`${path}/revisions/${revision}/revert`)).status).toBe(200);
  expect(await readPage(scene, path)).toMatchObject({ title: 'Page', markdown: '# Page\n\nLater.\n' });
});

test('reverting a merge is only for merges, and for those who may merge', async () => {
  const scene = await setScene(service);
  const { me, path, organization } = scene;
  const { revision } = (await me.get(path)).body;
  expect((await me.post(`${path}/revisions/${revision}/revert`)).status).toBe(409);
  expect((await me.post(`${path}/revisions/x/revert`)).status).toBe(404);
  const editor = service.as((await service.build.member(organization, 'edit')).token);
  expect((await editor.post(`${path}/revisions/${revision}/revert`)).status).toBe(403);
});

describe('many at a time', () => {
  const COUNT = 16;

  test('disjoint change requests merged concurrently all succeed, one after another', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const opened = await Promise.all(Array.from({ length: COUNT }, () => open(scene)));
    await Promise.all(
      opened.map(({ at, number }) => edit(me, at, { operation: 'insert_page', title: `Page ${number}` })),
    );
    const merged = await Promise.all(opened.map(({ at }) => me.post(`${at}/merge`)));
    expect(merged.map(({ body }) => body.result)).toEqual(Array(COUNT).fill('merge'));

    const { pages } = (await me.get(`${path}/content/pages`)).body;
    const titles = pages.map(({ title }: { title: string }) => title).sort();
    expect(titles).toEqual(['Page', ...opened.map(({ number }) => `Page ${number}`)].sort());

    const revisions = new Set(merged.map(({ body }) => body.revision));
    const line: string[] = [];
    for (let at = (await me.get(path)).body.revision; revisions.has(at); ) {
      line.push(at);
      at = (await me.get(`${path}/revisions/${at}`)).body.parents[0];
    }
    expect(new Set(line)).toEqual(revisions);
    expect((await me.get(path)).body).toMatchObject({ changeRequests: COUNT, changeRequestsDraft: 0 });
  });

  test('concurrent creating, editing, updating and merging do not interfere', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(scene)));
    const work = opened.flatMap(({ at, number }) => [
      edit(me, at, { operation: 'insert_page', title: `First ${number}` }),
      open(scene),
      me.post(`${at}/update`),
      edit(me, path, { operation: 'insert_page', title: `Direct ${number}` }),
      edit(me, at, { operation: 'insert_page', title: `Second ${number}` }),
    ]);
    await Promise.all(work);
    for (const { body } of await Promise.all(opened.map(({ at }) => me.post(`${at}/merge`))))
      expect(body.result).toBe('merge');
    const { pages } = (await me.get(`${path}/content/pages`)).body;
    const expected = opened.flatMap(({ number }) => [
      `Direct ${number}`,
      `First ${number}`,
      `Second ${number}`,
    ]);
    expect(pages.map(({ title }: { title: string }) => title).sort()).toEqual(['Page', ...expected].sort());
    expect((await me.get(path)).body).toMatchObject({ changeRequests: 8, changeRequestsDraft: 4 });
  });

  test('a change request merged twice concurrently is merged once', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const answers = await Promise.all([1, 2, 3].map(() => scene.me.post(`${at}/merge`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});
